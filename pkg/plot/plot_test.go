package plot

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func interval(lo, hi float64) *[2]float64 { return &[2]float64{lo, hi} }

// charts are one of each, each in its awkward forms, by the name of its golden file.
func charts() map[string]interface{ SVG() ([]byte, error) } {
	three := Curves{
		Title: "Recall by cut-off", Note: "Share of the needs met by the first k sections, 55 questions. Bands: 95 % BCa intervals, 10,000 resamples.",
		X: "k (sections)", Y: "recall@k",
		Curves: []Curve{
			{"bi-encoder", []Point{{1, 0.42, interval(0.30, 0.55)}, {3, 0.58, interval(0.46, 0.69)}, {5, 0.658, interval(0.54, 0.76)}, {10, 0.78, interval(0.67, 0.87)}, {20, 0.86, interval(0.77, 0.93)}}},
			{"bm25", []Point{{1, 0.55, interval(0.42, 0.67)}, {3, 0.70, interval(0.58, 0.80)}, {5, 0.752, interval(0.65, 0.84)}, {10, 0.82, interval(0.72, 0.90)}, {20, 0.88, interval(0.80, 0.94)}}},
			{"two-stage", []Point{{1, 0.65, interval(0.52, 0.77)}, {3, 0.79, interval(0.69, 0.88)}, {5, 0.86, interval(0.77, 0.94)}, {10, 0.91, interval(0.83, 0.97)}, {20, 0.94, interval(0.88, 0.98)}}},
		},
	}
	many := Curves{Title: "Recall by cut-off", Note: "n = 323", X: "k", Y: "recall@k"}
	for i := range 16 {
		c := Curve{Name: fmt.Sprintf("system %d <with> a long & telling name, number %d", i, i)}
		for _, k := range []float64{1, 5, 20} {
			c.Points = append(c.Points, Point{X: k, Y: 0.2 + 0.03*float64(i) + 0.015*k})
		}
		many.Curves = append(many.Curves, c)
	}
	gains := Bars{Title: "Gain per question: two-stage over bi-encoder, recall@5", Note: "18 of 55 questions changed; the 37 others are not shown.", X: "difference in recall@5"}
	for i := range 18 {
		gains.Bars = append(gains.Bars, Bar{fmt.Sprintf("q%03d", i*3), 1 - float64(i/3)*0.33})
	}
	forest := Forest{
		Title: "Differences from bi-encoder, recall@5", Note: "Paired by question, 95 % BCa intervals.", X: "difference", Signed: true,
		Estimates: []Estimate{
			{"bm25", 0.094, interval(-0.01, 0.2), "n = 55", false}, {"hybrid, section-rrf of bm25, vector and late", 0.136, interval(0.06, 0.23), "n = 55", false},
			{"two-stage", 0.157, interval(0.06, 0.25), "n = 55", false}, {"A against A", 0, interval(0, 0), "n = 55", false}, {"no interval", -0.02, nil, "n = 1", false},
		},
	}
	controls := Forest{
		Title: "Controls of the judges: share missed", Note: "A control passes when the upper end of its 95 % Wilson interval is at most 0.25.", X: "miss rate", Reference: 0.25,
		Estimates: []Estimate{
			{"lexical · made-up", 0.05, interval(0.009, 0.236), "n = 20, passed", false},
			{"lexical · altered", 0.4, interval(0.22, 0.61), "n = 20, failed", true},
		},
	}
	kappa := Heat{
		Title: "Agreement between raters: Cohen's kappa", Note: "Faithfulness, 40 answers. – : undefined, one label only.",
		Names: []string{"person", "ollama:qwen2.5:14b", "claude-cli:opus", "lexical"},
		Values: [][]*float64{
			{nil, ptr(0.61), ptr(0.78), ptr(0.12)}, {ptr(0.61), nil, ptr(0.7), ptr(-0.05)}, {ptr(0.78), ptr(0.7), nil, nil}, {ptr(0.12), ptr(-0.05), nil, nil},
		},
	}
	return map[string]interface{ SVG() ([]byte, error) }{
		"curves": three, "curves-many": many, "bars": gains, "forest": forest, "controls": controls, "heat": kappa,
		"bars-one":    Bars{Title: "One question", Bars: []Bar{{"並行 \U0001f642 \x01 " + strings.Repeat("long ", 30), -0.5}}},
		"forest-zero": Forest{Title: "All the same", X: "difference", Estimates: []Estimate{{"a", 0, interval(0, 0), "", false}}},
	}
}

func ptr(f float64) *float64 { return &f }

func TestGolden(t *testing.T) {
	for name, chart := range charts() {
		t.Run(name, func(t *testing.T) {
			got, err := chart.SVG()
			if err != nil {
				t.Fatal(err)
			}
			again, err := chart.SVG()
			if err != nil || !bytes.Equal(got, again) {
				t.Errorf("drawn twice, it is not the same (%v)", err)
			}
			if len(got) > 60<<10 {
				t.Errorf("%d bytes, expected a small file", len(got))
			}
			wellFormed(t, got)
			file := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("(-want +got; look at it, then go test -update):\n%s", d)
			}
		})
	}
}

// wellFormed checks that the file is XML, has a title and is not bound to a day.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
	for _, want := range []string{"<title>", `role="img"`, "Arial", "fill:#FFFFFF"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("lacks %s", want)
		}
	}
}

func TestRefuses(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name  string
		chart interface{ SVG() ([]byte, error) }
		want  string
	}{
		{"no curve", Curves{}, "nothing to draw"},
		{"no bar", Bars{}, "nothing to draw"},
		{"no estimate", Forest{}, "nothing to draw"},
		{"no rater", Heat{}, "nothing to draw"},
		{"one cut-off", Curves{Curves: []Curve{{"a", []Point{{5, 0.5, nil}}}}}, "one cut-off makes no curve"},
		{"empty curve", Curves{Curves: []Curve{{"a", nil}}}, `curve "a" has no point`},
		{"NaN in a curve", Curves{Curves: []Curve{{"a", []Point{{1, nan, nil}, {5, 1, nil}}}}}, "NaN"},
		{"NaN in a band", Curves{Curves: []Curve{{"a", []Point{{1, 0.5, interval(nan, 1)}, {5, 1, nil}}}}}, "NaN"},
		{"recall of 2", Curves{Curves: []Curve{{"a", []Point{{1, 2, nil}, {5, 1, nil}}}}}, "expected x above 0 and y from 0 to 1"},
		{"k of 0", Curves{Curves: []Curve{{"a", []Point{{0, 1, nil}, {5, 1, nil}}}}}, "expected x above 0 and y from 0 to 1"},
		{"infinite bar", Bars{Bars: []Bar{{"q", math.Inf(1)}}}, "+Inf"},
		{"NaN in an interval", Forest{Estimates: []Estimate{{"a", 0, interval(0, nan), "", false}}}, "NaN"},
		{"NaN as reference", Forest{Reference: nan, Estimates: []Estimate{{"a", 0, nil, "", false}}}, "NaN"},
		{"NaN in a heat map", Heat{Names: []string{"a"}, Values: [][]*float64{{&nan}}}, "NaN"},
		{"kappa of 2", Heat{Names: []string{"a"}, Values: [][]*float64{{ptr(2)}}}, "from -1 to 1"},
		{"heat map not square", Heat{Names: []string{"a", "b"}, Values: [][]*float64{{nil, nil}}}, "2 by 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := tt.chart.SVG(); err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("expected an error with %q, got %v and %d bytes", tt.want, err, len(got))
			}
		})
	}
}

func TestNiceTicks(t *testing.T) {
	tests := []struct {
		lo, hi float64
		want   string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"},
		{-0.33, 1, "-0.4 -0.2 0 0.2 0.4 0.6 0.8 1"},
		{-0.02, 0.25, "-0.05 0 0.05 0.1 0.15 0.2 0.25"},
		{0, 0, "-0.6 -0.4 -0.2 0 0.2 0.4 0.6"},
		{0, 0.003, "0 0.0005 0.001 0.0015 0.002 0.0025 0.003"},
		{12, 345, "0 50 100 150 200 250 300 350"},
	}
	for _, tt := range tests {
		var got []string
		for _, v := range niceTicks(tt.lo, tt.hi) {
			got = append(got, strings.ReplaceAll(tickLabel(v, false), "−", "-"))
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("from %v to %v (-want +got):\n%s", tt.lo, tt.hi, d)
		}
	}
}
