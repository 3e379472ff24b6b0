package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/claude"
	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/askollama"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgestage"
	"github.com/mobiumdev/mobium-rag/pkg/lexical"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/ollama"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

// bench is the judges of a run, with what they need.
type bench struct {
	*tool.Tool
	numCtx        int
	models, cache string
	closers       []func() error
}

// until is a context with the deadline, if there is one.
func (b *bench) until(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	if after == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, after, fmt.Errorf("the deadline of %v has passed", after))
}

// connect finds every judge before the first is asked.
func (b *bench) connect(ctx context.Context, names []string, files judgestage.Files) ([]judge.Judge, error) {
	var judges []judge.Judge
	for _, name := range names {
		j, err := b.one(ctx, name, files)
		if err != nil {
			return nil, err
		}
		judges = append(judges, j)
	}
	return judges, nil
}

func (b *bench) one(ctx context.Context, name string, files judgestage.Files) (judge.Judge, error) {
	switch {
	case name == judge.Lexical:
		return lexical.New(lexical.NewIDF(files.Texts())), nil
	case name == judge.LexicalCE:
		x, err := b.crossEncoder()
		if err != nil {
			return nil, err
		}
		return lexical.NewCE(lexical.NewIDF(files.Texts()), x), nil
	}
	if model, isClaude := strings.CutPrefix(name, judge.ClaudeScheme); isClaude {
		client, err := claude.Connect(ctx, model)
		if err != nil {
			return nil, err
		}
		return judge.New(client), nil
	}
	model := strings.TrimPrefix(name, judge.OllamaScheme)
	client, err := ollama.Connect(ctx, model, ollama.Options{Host: os.Getenv("OLLAMA_HOST"), NumCtx: b.numCtx, Seed: 1})
	if err != nil {
		return nil, err
	}
	return judge.New(askollama.Asker{Client: client}), nil
}

func (b *bench) crossEncoder() (*rerank.CrossEncoder, error) {
	var once sync.Once
	c, err := cache.Open(b.cache, func(err error) { once.Do(func() { b.Warnf("%v", err) }) })
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, c.Close)
	store, err := model.Find(b.models)
	if err != nil {
		return nil, err
	}
	x, err := rerank.Open(store, c, 0)
	if err == nil {
		b.closers = append(b.closers, x.Close)
	}
	return x, err
}

// Close closes what connect opened, the last first.
func (b *bench) Close() error {
	var err error
	for i := len(b.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, b.closers[i]())
	}
	return err
}

// stores opens the store of one judge on one set of answers.
func (b *bench) stores(dir string) func(set, judge string) (*judge.Store, error) {
	if dir == "off" {
		return nil
	}
	return func(set, name string) (*judge.Store, error) { return judge.OpenStore(dir, set, name) }
}

// judge runs the stage; a control that failed is a verdict of no.
func (b *bench) judge(ctx context.Context, s *judgestage.Stage) error {
	in, err := b.Input()
	if err != nil {
		return err
	}
	tick, done := b.Progress("verdicts")
	s.Tick = tick
	refusals, err := s.Stream(ctx, in, b.Output())
	done()
	for _, why := range refusals {
		err = errors.Join(err, tool.Refuse(why))
	}
	return err
}

// begin says what a judge that somebody pays for is going to be asked.
func (b *bench) begin(name string, items, calls int) {
	if strings.HasPrefix(name, judge.ClaudeScheme) && calls > 0 {
		b.Warnf("%s: %d calls on %d items, and at most as many again for replies that need repair; they count against your plan", name, calls, items)
	}
}
