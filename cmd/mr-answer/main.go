// Mr-answer answers questions from the passages that were found for them, and
// cites the passages it stands on, or refuses.
//
//	mr-answer < reranked.jsonl > answers.jsonl
//	mr-answer -engine extract < reranked.jsonl | jq -r 'select(.type=="answer") | .text // empty'
//
// In: hits records with the text of their passages, as mr-index search and
// mr-rerank write them. Timing records pass; any other type is an error.
//
// Out: one answer record a question, in order. The first -passages hits are
// labelled P1, P2… and quoted to the engine as data, never as instructions. The
// answer's sentences carry the labels they cite; a label that was not given is
// dropped and counted, and an answer left without one is marked ungrounded. A
// refusal is a field (refused, with a reason), never a phrase. An engine that
// fails gives status error with the reason: not an answer, and not a refusal.
//
// Engines:
//
//	ollama:MODEL  a model behind the Ollama server at OLLAMA_HOST (default
//	              http://localhost:11434); temperature 0, structured reply
//	extract       no server: the sentences of the passages that answer best, in
//	              their paragraphs, word for word, or a refusal below -threshold
//
// The default is ollama: with $MOBIUM_RAG_MODEL (llama3.1:8b). Replies of a
// model are kept in the cache, so that a run broken off goes on where it
// stopped; -cache off asks anew. Only the question's text and the passages
// reach an engine, and no other server than the one named is contacted.
//
// Examples:
//
//	MOBIUM_RAG_MODEL=qwen2.5:14b mr-answer < data/reranked.jsonl > data/answers.jsonl
//	mr-answer data/reranked.jsonl | jq -r 'select(.type=="answer") | .text, (.citations[].section | "  " + .)'
//
// Exit codes: 0 done, 1 failed (a bad record, no server, no model, a full
// disk), 2 misuse.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"os"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/answer/answerstage"
	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/ollama"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-answer", source, run) }

func run(ctx context.Context, t *tool.Tool) (err error) {
	engine := t.Flags.String("engine", "ollama:"+cmp.Or(os.Getenv("MOBIUM_RAG_MODEL"), "llama3.1:8b"), "ollama:`MODEL`, or extract")
	passages := t.Flags.Int("passages", 5, "hits the engine is shown")
	numCtx := t.Flags.Int("num-ctx", 8192, "`tokens` of context an Ollama model is asked for, at most its own limit")
	seed := t.Flags.Int("seed", 1, "seed of an Ollama model")
	threshold := t.Flags.Float64("threshold", answer.Default.Threshold, "extract: refuse where the best sentence scores below")
	margin := t.Flags.Float64("margin", answer.Default.Margin, "extract: choose sentences that score at most so much below the best")
	sentences := t.Flags.Int("sentences", answer.Default.Sentences, "extract: choose at most so many sentences")
	models := t.Flags.String("models", "", "`folder` of the models (default $MR_MODELS, else mobium-rag/models in the user's cache)")
	kept := t.Flags.String("cache", "", "`folder` of the cache, or off (default $MR_CACHE, else mobium-rag/cache in the user's cache)")
	workers := t.Flags.Int("workers", 1, "questions at once; an Ollama model may answer otherwise when asked several")
	if err := t.Parse(true); err != nil {
		return err
	}
	name, isModel := strings.CutPrefix(*engine, "ollama:")
	if *passages < 1 || *workers < 1 || *sentences < 1 || *numCtx < 1 || !isModel && *engine != "extract" || isModel && name == "" {
		return tool.Misusef("expected -engine ollama:MODEL or extract, and numbers above 0")
	}
	c, err := cache.Open(*kept, func(err error) { t.Warnf("%v", err) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	tick, done := t.Progress("questions")
	f := &answerstage.Filter{Passages: *passages, Workers: *workers, Tick: tick}
	if isModel {
		f.Run = t.Provenance("models", "cache", "workers", "threshold", "margin", "sentences")
		client, err := ollama.Connect(ctx, name, ollama.Options{Host: os.Getenv("OLLAMA_HOST"), NumCtx: *numCtx, Seed: *seed})
		if err != nil {
			return err
		}
		f.Engine = answer.Kept{Model: answer.Model{Client: client}, Cache: c}
		f.Run.Models = []record.Model{{Name: *engine, SHA256: client.Digest}}
		f.Run.Prompts = map[string]string{"answer": answer.PromptHash()}
	} else {
		f.Run = t.Provenance("models", "cache", "workers", "num-ctx", "seed")
		store, err := model.Find(*models)
		if err != nil {
			return err
		}
		x, err := rerank.Open(store, c, 0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, x.Close()) }()
		f.Engine = answer.Extract{Scorer: x, Policy: answer.Policy{Threshold: *threshold, Margin: *margin, Sentences: *sentences}}
		f.Run.Models = []record.Model{x.Model()}
	}
	err = t.Filter(ctx, f.Stream)
	done()
	if n := f.Tally(); n.Failed > 0 {
		t.Warnf("%d of %d questions have status error; one of the reasons: %s", n.Failed, n.Questions, n.Reason)
	}
	return err
}
