// Mr-embed gives every passage or question its vector, of unit length, so that
// the dot product of two says how near they are in meaning.
//
//	mr-embed -as passage  < corpus.jsonl | mr-index build -index data/index
//	mr-embed -as question < golden.jsonl | mr-index search -index data/index
//
// In: passage records with -as passage; question or golden records with -as
// question. Of a golden record only id and question go on, as a question
// record. Every other field, known or not, travels unchanged. A vector that is
// there already is computed anew. Timing records pass; any other type is an error.
//
// Out: the same records in the same order, each with "vector": base64 of
// little-endian float32, or an array of numbers with -vectors array. The run
// record names the model with its sha256.
//
// The model is bge-small-en-v1.5 (384 numbers a text). It reads 512 tokens,
// some 2,000 characters of English; of a longer text the end is not in the
// vector, which a warning counts. One text's vector does not depend on the
// others, the order, the number of cores or the cache: on one type of CPU the
// same input gives the same bytes.
//
// Vectors are kept in the cache, where any number of processes share them. It
// is one SQLite file; deleting it is safe and costs only time.
//
// With -timing each stream ends with timing records: seconds to load the model,
// of each text computed, and of each text that the cache held. Questions then
// run one after another unless -workers says otherwise, so that the seconds are
// those of a question alone.
//
// Examples:
//
//	# needs models jq
//	$ jq -nc '{type:"question",id:"q1",text:"How do I deploy?"}' > q.jsonl
//	$ mr-embed -as question -vectors array q.jsonl | \
//	    jq -c 'select(.type=="question") | {id, n: (.vector | length)}'
//	{"id":"q1","n":384}
//	$ mr-embed -as question -cache off -timing q.jsonl | \
//	    jq -c 'select(.type=="timing") | {step,n}'
//	{"step":"load","n":1}
//	{"step":"embed","n":1}
//	$ mr-embed -as passage q.jsonl > out.jsonl
//	mr-embed: error: q.jsonl:1: expected a passage, got a question record
//	hint: run mr-embed -as question
//	exit status 1
//
// Exit codes: 0 done, 1 failed (a bad record, no model, a full disk), 2 misuse.
package main

import (
	"context"
	_ "embed"
	"errors"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/embed/embedstage"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-embed", source, run) }

func run(ctx context.Context, t *tool.Tool) (err error) {
	as := t.Flags.String("as", "passage", "`kind` of records to embed: passage or question")
	headings := t.Flags.String("context", "trail", "what stands in front of a passage's text: trail for its headings, or none")
	instruction := t.Flags.String("instruction", "", "`text` in front of a question; the model card's is \"Represent this sentence for searching relevant passages: \"")
	vectors := t.Flags.String("vectors", "base64", "how vectors are written: base64 or array")
	models := t.Flags.String("models", "", "`folder` of the models (default $MR_MODELS, else mobium-rag/models in the user's cache)")
	kept := t.Flags.String("cache", "", "`folder` of the cache, or off (default $MR_CACHE, else mobium-rag/cache in the user's cache)")
	workers := t.Flags.Int("workers", 0, "texts at once, one core each; 0 is as many as there are cores, at most 12")
	timing := t.Flags.Bool("timing", false, "write timing records at the end of each stream")
	if err := t.Parse(true); err != nil {
		return err
	}
	switch {
	case *as != string(embedstage.Passages) && *as != string(embedstage.Questions):
		return tool.Misusef("-as: expected passage or question, got %q", *as)
	case *headings != string(embed.NoContext) && *headings != string(embed.TrailContext):
		return tool.Misusef("-context: expected none or trail, got %q", *headings)
	case *vectors != "base64" && *vectors != "array":
		return tool.Misusef("-vectors: expected base64 or array, got %q", *vectors)
	case *workers < 0:
		return tool.Misusef("-workers: expected 0 or more, got %d", *workers)
	case *as == "passage" && *instruction != "":
		return tool.Misusef("-instruction is for questions: add -as question")
	}

	store, err := model.Find(*models)
	if err != nil {
		return err
	}
	c, err := cache.Open(*kept, func(err error) { t.Warnf("%v", err) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	e, err := embed.Open(store, c, embed.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	tick, done := t.Progress("texts")
	f := &embedstage.Filter{
		Embedder: e, As: embedstage.Kind(*as), Context: embed.Context(*headings), Instruction: *instruction,
		Run: t.Provenance("models", "cache", "workers", "timing"), Workers: *workers, Timing: *timing, Tick: tick,
	}
	in, err := t.Input()
	if err != nil {
		return err
	}
	out := t.Output()
	out.ArrayVectors = *vectors == "array"
	err = f.Stream(ctx, in, out)
	done()
	if l := f.Long(); l.Texts > 0 {
		t.Warnf("%d of %d texts are longer than %d tokens, and the end of each is not in its vector; the longest is %s with %d or more", l.Texts, l.All, embed.MaxTokens, l.ID, l.Tokens)
	}
	return err
}
