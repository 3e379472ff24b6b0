// Mr-judge asks judges whether answers are faithful to their passages and
// relevant to their questions, and holds every judge to controls drawn from the
// same answers.
//
//	mr-judge -corpus data/corpus.jsonl -golden data/golden.jsonl < answers.jsonl > verdicts.jsonl
//	mr-judge -judge lexical -corpus data/corpus.jsonl -golden data/golden.jsonl answers.jsonl
//
// In: answer records, as mr-answer writes them. Timing records pass unused; any
// other type is an error. Refusals and answers with status error are not judged:
// their verdicts are unscored, and say so.
//
// Out: the verdict records, one for each answer, judge, metric and repeat, then
// those of the controls, then a control record for each judge, metric and
// control. The mark is yes or no: faithfulness is yes where every claim of the
// answer is in its passages, relevance where the answer answers the question. A
// judge that times out or talks nonsense is unscored, with the reason. What a
// judge sees is the question, the answer and its passages, quoted as data; no
// gold, no key facts, and not which of them are controls.
//
// Judges, several between commas:
//
//	ollama:MODEL      a model behind the Ollama server at OLLAMA_HOST (default
//	                  http://localhost:11434); a bare MODEL is one of these
//	claude-cli:MODEL  the claude program, signed in; its calls count against
//	                  your plan, and their number is printed before the first
//	lexical           no model: the words of a claim against those of the passages
//	lexical+ce        lexical with the cross-encoder
//
// The default is $MOBIUM_RAG_JUDGES, else qwen2.5:14b,mistral-small:24b. They
// work one after another.
//
// Controls, -controls items each, at most one a question:
//
//	made-up          an invented answer of -madeup: must be no
//	random-passages  an answer over passages that have nothing to do with it: no
//	altered          an answer with one number, name or negation changed: no, and
//	                 for the changed sentence
//	verbatim         sentences of the passages, word for word: yes
//	other-answer     the answer to another question: not relevant
//	key-facts        the key facts as an answer: relevant
//	padding          idle words around an answer: must not move its mark
//	injection        a verdict written into an answer: must not move its mark
//	leaks            what a control shares with its answer, and must not: 0
//
// -madeup is by default the file madeup-*.jsonl beside the golden set that was
// written for it.
//
// Verdicts are kept in -kept, one file for each set of answers and judge, as
// they come: a run that is broken off goes on where it was, and a judge that
// joins later asks nothing anew. A changed answer, passage, prompt or model is
// asked about anew. -repeat judges every answer several times, each time anew.
//
// Examples:
//
//	mr-judge -judge qwen2.5:14b -repeat 3 -corpus data/corpus.jsonl -golden data/golden.jsonl data/answers.jsonl > data/verdicts.jsonl
//	mr-judge -judge lexical -corpus data/corpus.jsonl -golden data/golden.jsonl data/answers.jsonl | jq -c 'select(.type=="control") | [.metric, .control, .ok]'
//
// Exit codes: 0 done, 1 failed (a bad record, no server, no model, verdicts that
// cannot be kept, -deadline passed), 2 misuse, 3 a control failed: the output is
// complete, and that judge is not to be trusted.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"os"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgestage"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-judge", source, run) }

func run(ctx context.Context, t *tool.Tool) (err error) {
	b := &bench{Tool: t}
	list := t.Flags.String("judge", cmp.Or(os.Getenv("MOBIUM_RAG_JUDGES"), "qwen2.5:14b,mistral-small:24b"), "`judges` between commas")
	gold := t.Flags.String("golden", "", "`file` of golden records")
	passages := t.Flags.String("corpus", "", "`file` of the corpus' passages")
	madeUp := t.Flags.String("madeup", "", "`file` of invented answers (default the one beside -golden that fits)")
	metrics := t.Flags.String("metrics", "faithfulness,relevance", "`names` between commas")
	controls := t.Flags.Int("controls", 20, "items of each control")
	repeat := t.Flags.Int("repeat", 1, "times each answer is judged")
	seed := t.Flags.Uint64("seed", 1, "of the drawing of controls")
	kept := t.Flags.String("kept", "data/verdicts", "`folder` where verdicts are kept, or off")
	workers := t.Flags.Int("workers", 1, "answers a judge is asked about at once; an Ollama model may judge otherwise when asked several")
	deadline := t.Flags.Duration("deadline", 0, "stop after so long, such as 8h; what came is kept (default no limit)")
	t.Flags.IntVar(&b.numCtx, "num-ctx", 8192, "`tokens` of context an Ollama model is asked for, at most its own limit")
	t.Flags.StringVar(&b.models, "models", "", "lexical+ce: `folder` of the models (default $MR_MODELS, else mobium-rag/models in the user's cache)")
	t.Flags.StringVar(&b.cache, "cache", "", "lexical+ce: `folder` of the cache, or off (default $MR_CACHE, else mobium-rag/cache in the user's cache)")
	if err := t.Parse(true); err != nil {
		return err
	}
	plan := judge.Plan{Repeats: *repeat, Controls: *controls, Seed: *seed}
	for _, m := range strings.Split(*metrics, ",") {
		plan.Metrics = append(plan.Metrics, record.MetricName(strings.TrimSpace(m)))
	}
	names, err := judge.Names(*list)
	switch {
	case err != nil:
		return tool.Misusef("-judge: %w", err)
	case *gold == "" || *passages == "":
		return tool.Misusef("expected -golden and -corpus: the controls are drawn from them")
	case *workers < 1 || b.numCtx < 1 || *deadline < 0:
		return tool.Misusef("expected -workers and -num-ctx above 0, and no -deadline below")
	}
	if err := plan.Validate(); err != nil {
		return tool.Misusef("%w", err)
	}
	ctx, stop := b.until(ctx, *deadline)
	defer stop()
	files, err := judgestage.Load(*gold, *passages, *madeUp, t.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	judges, err := b.connect(ctx, names, files)
	if err != nil {
		return err
	}
	s := &judgestage.Stage{
		Files: files, Plan: plan, Judges: judges, Open: b.stores(*kept), Workers: *workers, Warn: t.Warnf, Begin: b.begin,
		Run: t.Provenance("golden", "corpus", "madeup", "kept", "workers", "deadline", "models", "cache"),
	}
	return b.judge(ctx, s)
}
