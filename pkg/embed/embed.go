// Package embed turns text into vectors whose dot product says how near two
// texts are in meaning.
//
// The [BiEncoder] is BAAI/bge-small-en-v1.5 (int8, ONNX): the hidden state of
// the [CLS] token, scaled to unit length, as its model card prescribes (Xiao
// et al., C-Pack, arXiv:2309.07597). The card also prescribes an instruction in
// front of questions; it is left out by default, since it did not help on the
// sets we measured.
//
// Invariants:
//   - A vector is 384 float32 of unit length: normalised in float64, so that
//     |v| is 1 within 1e-6. No element is NaN.
//   - A vector depends on its text alone: the same bits alone or among a
//     thousand, in any order, on any number of cores, cache cold, warm or off.
//     Promised for one CPU type and one build of the runtime; between two,
//     cosine 0.998 (see onnx.VNNI).
//   - Of a text longer than 512 tokens, [CLS] and [SEP] included, the end is
//     not in the vector; [Embedding.Cut] says so.
package embed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Embedder turns text into unit vectors. It is safe for concurrent use.
type Embedder interface {
	// Embed returns the vector of a text, which may be empty.
	Embed(ctx context.Context, text string) (Embedding, error)
	// Model identifies the model: vectors of two models do not compare.
	Model() record.Model
	// Dim is the length of a vector.
	Dim() int
}

// Embedding is the vector of a text and how it came to be.
type Embedding struct {
	Vector record.Vector
	// Tokens counts the whole text's, [CLS] and [SEP] included.
	Tokens int
	// Cut says that the text has more tokens than the model reads.
	Cut bool
	// Cached says that it was not computed now.
	Cached bool
	// Took is the time for this text, loading the model apart.
	Took time.Duration
}

// Context is what stands in front of a passage's text when it is embedded.
type Context string

// The contexts. TrailContext is the headings from the page's title down.
const (
	NoContext    Context = "none"
	TrailContext Context = "trail"
)

// Text is what a passage is shown to a model as: its text or, with
// TrailContext, its headings joined by " > ", then the text without the line of
// its own heading, which the trail has already.
func Text(p *record.Passage, c Context) string {
	trail := p.Trail()
	if c != TrailContext || trail == "" {
		return p.Text
	}
	return trail + "\n" + body(p.Text)
}

// body is text without a heading in its first lines: an ATX one, or a setext
// one of a single line.
func body(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if marks := strings.TrimLeft(first, "#"); len(first)-len(marks) >= 1 && len(first)-len(marks) <= 6 &&
		(marks == "" || marks[0] == ' ' || marks[0] == '\t' || marks[0] == '\r') {
		return strings.TrimLeft(rest, "\r\n")
	}
	under, after, _ := strings.Cut(rest, "\n")
	if under = strings.TrimRight(under, " \t\r"); first != "" && under != "" && (strings.Trim(under, "=") == "" || strings.Trim(under, "-") == "") {
		return strings.TrimLeft(after, "\r\n")
	}
	return text
}

// Passage returns p with its vector, in place of one it had. P is not changed.
func Passage(ctx context.Context, e Embedder, p *record.Passage, c Context) (*record.Passage, Embedding, error) {
	emb, err := e.Embed(ctx, Text(p, c))
	if err != nil {
		return nil, emb, fmt.Errorf("passage %s: %w", p.ID, err)
	}
	out := *p
	out.Vector = emb.Vector
	return &out, emb, nil
}

// Question returns q with the vector of instruction and text, in place of one
// it had. Q is not changed. Of a golden record only what [record.Golden.AsQuestion]
// keeps must come here.
func Question(ctx context.Context, e Embedder, q *record.Question, instruction string) (*record.Question, Embedding, error) {
	emb, err := e.Embed(ctx, instruction+q.Text)
	if err != nil {
		return nil, emb, fmt.Errorf("question %s: %w", q.ID, err)
	}
	out := *q
	out.Vector = emb.Vector
	return &out, emb, nil
}
