package embed

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func TestText(t *testing.T) {
	trail := record.Passage{Text: "Run it.\n", Headings: []string{"Setup", "Linux"}}
	tests := []struct {
		name    string
		passage record.Passage
		context Context
		want    string
	}{
		{"no context", trail, NoContext, "Run it.\n"},
		{"trail", trail, TrailContext, "Setup > Linux\nRun it.\n"},
		{"trail in place of the heading", with(trail, "### Linux\n\nRun it.\n"), TrailContext, "Setup > Linux\nRun it.\n"},
		{"trail in place of a setext heading", with(trail, "Linux\n-----\nRun it.\n"), TrailContext, "Setup > Linux\nRun it.\n"},
		{"a heading alone", with(trail, "### Linux"), TrailContext, "Setup > Linux\n"},
		{"a hash is no heading", with(trail, "#!/bin/sh\nx\n"), TrailContext, "Setup > Linux\n#!/bin/sh\nx\n"},
		{"a table is no heading", with(trail, "a | b\n--|--\nx"), TrailContext, "Setup > Linux\na | b\n--|--\nx"},
		{"no headings", record.Passage{Text: "Intro."}, TrailContext, "Intro."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(&tt.passage, tt.context); got != tt.want {
				t.Errorf("Text = %q, want %q", got, tt.want)
			}
		})
	}
}

func with(p record.Passage, text string) record.Passage {
	p.Text = text
	return p
}

// vector is x, y, then zeros.
func vector(x, y float32) []float32 {
	v := make([]float32, dim)
	v[0], v[1] = x, y
	return v
}

func TestUnit(t *testing.T) {
	tests := []struct {
		name string
		in   []float32
		want []float32
		err  string
	}{
		{"3-4-5", vector(3, -4), vector(0.6, -0.8), ""},                       // √(9+16) = 5
		{"squares below float32", vector(3e-30, 4e-30), vector(0.6, 0.8), ""}, // 9e-60 is 0 in float32
		{"squares beyond float32", vector(3e30, 4e30), vector(0.6, 0.8), ""},  // 9e60 is +Inf in float32
		{"zero", vector(0, 0), nil, "a vector of length 0"},
		{"not a number", vector(float32(math.NaN()), 1), nil, "a vector of length NaN"},
		{"infinite", vector(float32(math.Inf(1)), 1), nil, "a vector of length +Inf"},
		{"short", []float32{1}, nil, "1 numbers, expected 384"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := unit(tt.in)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("unit = %v, want an error with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(record.Vector(tt.want), got, cmpopts.EquateApprox(0, 1e-7)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestParseCached(t *testing.T) {
	good := append(cache.Floats(vector(0.6, 0.8)), 1, 2, 0, 0) // 1 + 2·256 = 513 tokens
	got, err := parse(good)
	if err != nil {
		t.Fatal(err)
	}
	want := Embedding{Vector: vector(0.6, 0.8), Tokens: 513, Cut: true}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, bad := range [][]byte{nil, good[:3], good[:len(good)-1], good[4:]} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%d bytes were taken for a vector", len(bad))
		}
	}
}
