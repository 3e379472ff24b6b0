package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

// server is the flags that all pages share.
type server struct {
	port   *int
	noOpen *bool
}

func serverFlags(t *tool.Tool) server {
	return server{
		t.Flags.Int("port", 0, "`port` of 127.0.0.1 to listen on; 0 takes one that is free"),
		t.Flags.Bool("no-open", false, "print the address, and open no browser"),
	}
}

// serve serves a site until ctx ends.
func (s server) serve(ctx context.Context, t *tool.Tool, site http.Handler) error {
	if *s.port < 0 || *s.port > 65535 {
		return tool.Misusef("-port: expected 0 to 65535, got %d", *s.port)
	}
	web, err := reviewweb.Listen(*s.port)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stderr, "mr-review: %s\n", web.URL())
	if !*s.noOpen {
		if err := reviewweb.Open(ctx, web.URL()); err != nil {
			t.Warnf("no browser was opened (%v): open the address above", err)
		}
	}
	return web.Serve(ctx, site)
}

func golden(ctx context.Context, t *tool.Tool) (err error) {
	set := t.Flags.String("golden", "data/golden.jsonl", "`file` of the golden set")
	proposed := t.Flags.String("proposed", "data/golden-proposed.jsonl", "`file` of proposed questions, which need not be there")
	next := t.Flags.String("next-pin", "data/golden-next-pin.jsonl", "`file` of those whose gold is newer than the pin, which need not be there")
	decisions := t.Flags.String("decisions", "review/decisions.json", "`file` of the rulings")
	passages := t.Flags.String("corpus", "data/corpus.jsonl", "`file` of the corpus' passages")
	hits := t.Flags.String("hits", "", "`file` of hits to show (default: the words of each question are searched)")
	system := t.Flags.String("system", "", "`name` of the system in -hits, where there are several")
	by := t.Flags.String("by", reviewweb.GitName(ctx), "your `name`, as rulings carry it")
	s := serverFlags(t)
	if err := t.Parse(false); err != nil {
		return err
	}
	in, err := t.Open(*passages)
	if err != nil {
		return err
	}
	c, err := corpus.Read(in)
	if err != nil {
		return err
	}
	site := &reviewweb.Golden{
		Paths: review.Paths{Golden: *set, Proposed: *proposed, NextPin: *next},
		Store: review.Store{Path: *decisions}, Depth: 20, By: *by, Now: time.Now,
	}
	if *hits != "" {
		if in, err = t.Open(*hits); err != nil {
			return err
		}
		if site.Hits, err = reviewweb.ReadHits(in, record.SystemName(*system), c.Commit); err != nil {
			return err
		}
	}
	if site.Sections, err = reviewweb.NewSections(ctx, c); err != nil {
		return err
	}
	defer func() {
		if cerr := site.Sections.Close(); err == nil {
			err = cerr
		}
	}()
	handler, err := site.Handler()
	if err != nil {
		return err
	}
	return s.serve(ctx, t, handler)
}

func guide(ctx context.Context, t *tool.Tool) error {
	s := serverFlags(t)
	if err := t.Parse(false); err != nil {
		return err
	}
	return s.serve(ctx, t, reviewweb.Guide())
}
