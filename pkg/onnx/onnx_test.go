package onnx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/model"
)

func files(t testing.TB, name model.Name) (lib model.Library, m model.Model) {
	t.Helper()
	store, err := model.Find("")
	if err == nil {
		lib, err = store.Runtime()
	}
	if err == nil {
		m, err = store.Open(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIP needs models: run scripts/fetch-models")
	}
	if err != nil {
		t.Fatal(err)
	}
	return lib, m
}

func open(t testing.TB, name model.Name, opts Options) *Session {
	t.Helper()
	lib, m := files(t, name)
	s, err := Open(lib.Path, m.Path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const (
	cls = 101
	sep = 102
)

// text makes n tokens of words drawn with seed.
func text(n int, seed uint64) []int64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = 1996 + rng.Int64N(20000)
	}
	ids[0], ids[n-1] = cls, sep
	return ids
}

func TestRunShapes(t *testing.T) {
	tests := []struct {
		model  model.Name
		output string
		want   []int64
	}{
		{model.Embedding, "last_hidden_state", []int64{1, 7, 384}},
		{model.CrossEncoder, "logits", []int64{1, 1}},
		{model.LateInteraction, "last_hidden_state", []int64{1, 7, 384}},
	}
	for _, tt := range tests {
		t.Run(string(tt.model), func(t *testing.T) {
			s := open(t, tt.model, Options{Output: tt.output})
			out, err := s.Run(t.Context(), Input{IDs: text(7, 1)})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, out.Shape); d != "" {
				t.Errorf("shape (-want +got):\n%s", d)
			}
			n := int64(1)
			for _, d := range out.Shape {
				n *= d
			}
			if int64(len(out.Data)) != n {
				t.Errorf("%d numbers for shape %v", len(out.Data), out.Shape)
			}
			last := out.Row(int(n/out.Shape[len(out.Shape)-1]) - 1)
			if &last[len(last)-1] != &out.Data[n-1] {
				t.Error("the last row does not end where the data ends")
			}
		})
	}
}

// A text's numbers are the same bits alone, among others, in any order, with
// any number of callers, and with any number of threads a run.
func TestSameBits(t *testing.T) {
	var texts [][]int64
	for i := range 24 {
		texts = append(texts, text([]int{2, 3, 17, 64, 65, 130, 257, 512}[i%8], uint64(i)))
	}
	runAll := func(t *testing.T, s *Session, callers int, seed uint64) [][]float32 {
		t.Helper()
		out := make([][]float32, len(texts))
		order := make(chan int, len(texts))
		for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(len(texts)) {
			order <- i
		}
		close(order)
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for i := range order {
					o, err := s.Run(t.Context(), Input{IDs: texts[i]})
					if err != nil {
						t.Error(err)
						return
					}
					out[i] = o.Data
				}
			})
		}
		wg.Wait()
		return out
	}
	s := open(t, model.Embedding, Options{Output: "last_hidden_state"})
	want := runAll(t, s, 1, 0)
	for _, tt := range []struct{ threads, callers int }{{1, 8}, {2, 1}, {2, 3}, {8, 1}} {
		t.Run(fmt.Sprintf("threads=%d,callers=%d", tt.threads, tt.callers), func(t *testing.T) {
			s := open(t, model.Embedding, Options{Output: "last_hidden_state", Threads: tt.threads})
			for i, got := range runAll(t, s, tt.callers, uint64(tt.callers)) {
				if d := firstDifference(want[i], got); d >= 0 {
					t.Errorf("text %d of %d tokens: number %d is %v, alone %v", i, len(texts[i]), d, got[d], want[i][d])
				}
			}
		})
	}
}

// firstDifference is the index of the first number that differs, -1 for none.
func firstDifference(a, b []float32) int {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func TestMask(t *testing.T) {
	s := open(t, model.Embedding, Options{Output: "last_hidden_state"})
	ids := text(12, 5)
	run := func(in Input) []float32 {
		t.Helper()
		out, err := s.Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Row(0)
	}
	ones := []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	half := []int64{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}
	plain := run(Input{IDs: ids})
	if i := firstDifference(plain, run(Input{IDs: ids, Mask: ones, Types: make([]int64, 12)})); i >= 0 {
		t.Errorf("the default mask is not all ones, or the default types not all zeros: number %d differs", i)
	}
	if firstDifference(plain, run(Input{IDs: ids, Mask: half})) < 0 {
		t.Error("masking half of the text changed nothing: the mask does not reach the model")
	}
	if firstDifference(plain, run(Input{IDs: ids, Types: ones})) < 0 {
		t.Error("other types changed nothing: they do not reach the model")
	}
}

func TestRunRefuses(t *testing.T) {
	s := open(t, model.Embedding, Options{Output: "last_hidden_state"})
	done, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		in   Input
		want string
	}{
		{"no tokens", t.Context(), Input{}, "no tokens"},
		{"few types", t.Context(), Input{IDs: text(3, 1), Types: []int64{0}}, "3 tokens with 1 types"},
		{"long mask", t.Context(), Input{IDs: text(3, 1), Mask: make([]int64, 4)}, "a mask of 4"},
		{"past the model's window", t.Context(), Input{IDs: text(513, 1)}, "513 tokens"},
		{"id out of the vocabulary", t.Context(), Input{IDs: []int64{cls, 1 << 40, sep}}, "3 tokens"},
		{"cancelled", done, Input{IDs: text(3, 1)}, context.Canceled.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := s.Run(tt.ctx, tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run = %v, %v; want an error with %q", out.Shape, err, tt.want)
			}
		})
	}
	if _, err := s.Run(t.Context(), Input{IDs: text(3, 1)}); err != nil {
		t.Errorf("after errors the session is of no use: %v", err)
	}
}

func TestClose(t *testing.T) {
	lib, m := files(t, model.Embedding)
	s, err := Open(lib.Path, m.Path, Options{Output: "last_hidden_state"})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				if _, err := s.Run(t.Context(), Input{IDs: text(64, 1)}); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if _, err := s.Run(t.Context(), Input{IDs: text(3, 1)}); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close = %v, want ErrClosed", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	lib, m := files(t, model.Embedding)
	dir := t.TempDir()
	text := filepath.Join(dir, "text.onnx")
	if err := os.WriteFile(text, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	head := filepath.Join(dir, "head.onnx")
	all, err := os.ReadFile(m.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(head, all[:1<<20], 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, library, path, output string
		want, hint                  string
	}{
		{"missing model", lib.Path, filepath.Join(dir, "none"), "logits", "no such file", "fetch-models"},
		{"model is text", lib.Path, text, "logits", "text.onnx: not a model", "fetch-models"},
		{"model is cut", lib.Path, head, "logits", "head.onnx: not a model", "fetch-models"},
		{"another runtime", text, m.Path, "logits", "this process already runs", ""},
	}
	open(t, model.Embedding, Options{Output: "last_hidden_state"}) // the library is loaded
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.library, tt.path, Options{Output: tt.output})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint.Of(err), tt.hint) {
				t.Errorf("Open = %v (hint %q), want an error with %q (hint %q)", err, hint.Of(err), tt.want, tt.hint)
			}
		})
	}
	s, err := Open(lib.Path, m.Path, Options{Output: "logits"})
	if err == nil { // the runtime looks at names when it runs
		_, err = s.Run(t.Context(), Input{IDs: []int64{cls, sep}})
		s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "logits") {
		t.Errorf("an output the model does not have: %v", err)
	}
}
