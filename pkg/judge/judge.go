// Package judge asks judges whether an answer is faithful to its passages and
// relevant to its question, and holds every judge to controls drawn from the
// same answers.
//
//   - A judge sees a Case and nothing else: no gold, no kind, no key facts, no
//     system, and not whether the case is a control.
//   - The mark is binary: faithful is every claim supported, relevant is that the
//     question is answered.
//   - A verdict comes from a structured field, by exact value. Nothing is searched
//     for in text.
//   - A judge that fails, talks nonsense or gives fewer verdicts than there are
//     claims is unscored, with the reason: never 0, never 1.
package judge

import (
	"context"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A Judge rules on answers. It is safe for use at once, and keeps nothing: asked
// twice, it rules twice, which is what repeats measure.
type Judge interface {
	// Name is the judge with its scheme: ollama:qwen2.5:14b, claude-cli:…, lexical, lexical+ce.
	Name() string
	// Model is the model behind it, for the run record; a judge without a model
	// gives its name.
	Model() record.Model
	// Version is a hash of all besides the model that changes a mark: prompts,
	// thresholds, options.
	Version() string
	// Faithful says of each claim of the answer whether the passages support it.
	// An error means that there is no verdict, and is the reason.
	Faithful(ctx context.Context, c Case) (Reading, error)
	// Relevant says whether the answer answers the question.
	Relevant(ctx context.Context, c Case) (Reading, error)
}

// A Case is all that a judge gets to see.
type Case struct {
	Question string
	Answer   string
	Passages []record.Labelled
}

// A Reading is what a judge makes of a case.
type Reading struct {
	// Claims are the answer's, each with its verdict; none for relevance.
	Claims []record.Claim
	Mark   record.Mark
}

// An Asker is a model that gives one structured reply to one prompt: what a
// model-backed judge stands on. It is safe for use at once, and keeps nothing.
type Asker interface {
	// Name is the asker with its model: ollama:qwen2.5:14b.
	Name() string
	// Model is its model with the digest, for the run record.
	Model() record.Model
	// Options are what besides prompt and model changes a reply, in one line:
	// num_ctx=8192 seed=1. They are part of the judge's version.
	Options() string
	// Ask returns the JSON value of the reply, which the caller validates, or an
	// error that says why there is none.
	Ask(ctx context.Context, p Prompt) ([]byte, error)
}

// A Prompt is one call of an Asker. The schema is in the system prompt's text
// too; it is here for those who can force a reply into it.
type Prompt struct {
	System, User, Schema string
	// MaxTokens caps the reply: a model that never closes its JSON stops there.
	MaxTokens int
}
