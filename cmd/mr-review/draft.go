package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/ollama"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

func draft(ctx context.Context, t *tool.Tool) error {
	paths := pathFlags(t)
	engine := t.Flags.String("engine", "", "ollama:`MODEL` to draft with (default: list the sections that want a question)")
	passages := t.Flags.String("corpus", "data/corpus.jsonl", "`file` of the corpus' passages")
	from := t.Flags.String("decisions", "review/decisions.json", "`file` of the rulings, which need not be there")
	n := t.Flags.Int("n", 10, "sections to draft for")
	least := t.Flags.Int("min", 200, "fewest `characters` of a section to draft for")
	numCtx := t.Flags.Int("num-ctx", 8192, "`tokens` of context the model is asked for, at most its own limit")
	seed := t.Flags.Int("seed", 1, "seed of the model")
	if err := t.Parse(false); err != nil {
		return err
	}
	name, isModel := strings.CutPrefix(*engine, "ollama:")
	if *engine != "" && (!isModel || name == "") || *n < 1 || *least < 1 || *numCtx < 1 {
		return tool.Misusef("expected -engine ollama:MODEL, and numbers above 0")
	}
	c, err := readCorpus(t, *passages)
	if err != nil {
		return err
	}
	decisions, err := review.Store{Path: *from}.Load()
	if err != nil {
		return err
	}
	d := &review.Drafting{Paths: *paths, Corpus: c, Decisions: decisions.Decisions, N: *n, Min: *least}
	if *engine == "" {
		sections, err := d.Sections()
		if err != nil {
			return err
		}
		return show(t, review.Todo(sections))
	}
	client, err := ollama.Connect(ctx, name, ollama.Options{Host: os.Getenv("OLLAMA_HOST"), NumCtx: *numCtx, Seed: *seed})
	if err != nil {
		return err
	}
	d.Note = func(section record.SectionID, id record.QuestionID, err error) {
		if err != nil {
			t.Warnf("%s: %v", section, err)
			return
		}
		fmt.Fprintf(t.Stderr, "mr-review: %s is proposed for %s\n", id, section)
	}
	count, err := d.Run(ctx, asker{client})
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stderr, "mr-review: %d questions are proposed, %d sections have nothing to ask, %d drafts failed\n", count.Proposed, count.Skipped, count.Failed)
	if count.Failed > 0 && count.Proposed+count.Skipped == 0 {
		return errors.New("every draft failed: see the warnings")
	}
	return nil
}

// maxReplyTokens caps a reply: a model that never closes its JSON stops there.
const maxReplyTokens = 1024

// asker is an Ollama model as a review.Asker.
type asker struct{ client *ollama.Client }

func (a asker) Name() string { return "ollama:" + a.client.Model }

func (a asker) Ask(ctx context.Context, p review.Prompt) (string, error) {
	reply, err := a.client.Ask(ctx, ollama.Prompt{System: p.System, User: p.User, Schema: []byte(p.Schema), NumPredict: maxReplyTokens})
	return reply.Content, err
}
