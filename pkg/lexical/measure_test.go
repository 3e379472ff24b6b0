package lexical

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
)

const marginFile = "testdata/margins.jsonl"

// stored is a margin of the cross-encoder, which takes minutes to compute for all.
type stored struct {
	ID     string  `json:"id"`
	Margin float64 `json:"margin"`
}

// TestFigures computes the weights and the committed figures again: the words'
// features from the texts, the cross-encoder's from the margins in testdata.
// With MR_MEASURE=1 it writes the figures instead.
func TestFigures(t *testing.T) {
	rows, idf := attribution(t)
	examples := read(t, rows, idf)
	margins := readMargins(t)
	var chosen []example
	for _, e := range examples {
		m, ok := margins[e.ID]
		if !ok {
			t.Fatalf("%s: %s is missing", marginFile, e.ID)
		}
		e.x[margin] = m
		if e.half() == Chosen {
			chosen = append(chosen, e)
		}
	}
	var lines bytes.Buffer
	for _, tb := range []table{plain, mixed} {
		fitted := fit(tb, chosen)
		t.Logf("%+v", fitted)
		if math.Abs(fitted.bias-tb.bias) > 0.01 {
			t.Errorf("%s: bias is %.4f, the half gives %.4f", tb.name, tb.bias, fitted.bias)
		}
		for i, f := range tb.features {
			if w := fitted.features[i].weight; math.Abs(w-f.weight) > 0.01 {
				t.Errorf("%s: the weight of %s is %.4f, the half gives %.4f", tb.name, f.name, f.weight, w)
			}
		}
		for _, h := range []Half{Chosen, Shown} {
			got := figures(tb, h, examples)
			t.Logf("%+v", got)
			line, err := json.Marshal(got, json.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
			compare(t, got)
		}
	}
	if os.Getenv("MR_MEASURE") != "" {
		if err := os.WriteFile("attributionbench.jsonl", lines.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compare holds figures against the committed ones.
func compare(t *testing.T, got Figures) {
	t.Helper()
	for _, want := range Rows() {
		if want.Judge != got.Judge || want.Half != got.Half {
			continue
		}
		for _, p := range [][2]float64{{want.AUC, got.AUC}, {want.Lo, got.Lo}, {want.Hi, got.Hi},
			{want.MacroF1, got.MacroF1}, {want.F1Lo, got.F1Lo}, {want.F1Hi, got.F1Hi}, {want.Threshold, got.Threshold}} {
			if math.Abs(p[0]-p[1]) > 0.01 {
				t.Errorf("committed %+v, computed %+v", want, got)
				return
			}
		}
		if want.N != got.N || want.Collection != got.Collection {
			t.Errorf("committed %+v, computed %+v", want, got)
		}
		return
	}
	t.Errorf("no figures are committed for %s, %s", got.Judge, got.Half)
}

// score is what the judge makes of an example.
func (e example) score(tb table) float64 {
	s := tb.score(e.x)
	switch {
	case e.verbatim:
		return 1
	case e.broken:
		s *= tb.threshold // for the order: rejected, and the more so the lower
	}
	return s
}

// figures are those of one half.
func figures(tb table, h Half, examples []example) Figures {
	var pos, neg []float64
	for _, e := range examples {
		switch s := e.score(tb); {
		case e.half() != h:
		case e.Label == 1:
			pos = append(pos, s)
		default:
			neg = append(neg, s)
		}
	}
	auc, se := delong(pos, neg)
	f1, lo, hi := macroF1(pos, neg, tb.threshold)
	round := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	return Figures{Judge: tb.name, Collection: "AttributionBench dev", Half: h, N: len(pos) + len(neg),
		AUC: round(auc), Lo: round(auc - 1.96*se), Hi: round(auc + 1.96*se),
		MacroF1: round(f1), F1Lo: round(lo), F1Hi: round(hi), Threshold: tb.threshold}
}

// delong is the AUC with its standard error (DeLong et al. 1988, Biometrics 44, 837).
func delong(pos, neg []float64) (auc, se float64) {
	place := func(x float64, among []float64) float64 { // share below, ties by half
		n := 0.0
		for _, y := range among {
			switch cmp.Compare(y, x) {
			case -1:
				n++
			case 0:
				n += 0.5
			}
		}
		return n / float64(len(among))
	}
	variance := func(of, among []float64) (mean, v float64) {
		var all []float64
		for _, x := range of {
			all = append(all, place(x, among))
			mean += all[len(all)-1] / float64(len(of))
		}
		for _, x := range all {
			v += (x - mean) * (x - mean) / float64(len(all)-1)
		}
		return mean, v / float64(len(all))
	}
	auc, v1 := variance(pos, neg)
	_, v2 := variance(neg, pos)
	return auc, math.Sqrt(v1 + v2)
}

// macroF1 is the mean of both classes' F1, with its bootstrap interval.
func macroF1(pos, neg []float64, threshold float64) (value, lo, hi float64) {
	var marks [][2]bool // label, said
	for _, s := range pos {
		marks = append(marks, [2]bool{true, s >= threshold})
	}
	for _, s := range neg {
		marks = append(marks, [2]bool{false, s >= threshold})
	}
	of := func(at func(i int) [2]bool) float64 {
		var tp, tn, wrong float64
		for i := range marks {
			switch m := at(i); {
			case m[0] != m[1]:
				wrong++
			case m[0]:
				tp++
			default:
				tn++
			}
		}
		return (2*tp/(2*tp+wrong) + 2*tn/(2*tn+wrong)) / 2
	}
	value = of(func(i int) [2]bool { return marks[i] })
	rng := rand.New(rand.NewPCG(5, 0))
	var all []float64
	for range 2000 {
		all = append(all, of(func(int) [2]bool { return marks[rng.IntN(len(marks))] }))
	}
	slices.Sort(all)
	return value, all[50], all[1949]
}

func readMargins(t *testing.T) map[string]float64 {
	t.Helper()
	f, err := os.Open(marginFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := map[string]float64{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var x stored
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		m[x.ID] = x.Margin
	}
	return m
}

// TestMargins runs the cross-encoder over some 40 claims and holds the margins
// against those in testdata; with MR_MEASURE=1 it runs over all, and writes
// them. Int8 kernels differ by CPU in a few logits: nine tenths must be as stored.
func TestMargins(t *testing.T) {
	rows, idf := attribution(t)
	ce := crossEncoder(t)
	l := lexical{idf: idf, table: mixed, scorer: ce}
	all := os.Getenv("MR_MEASURE") != ""
	var want map[string]float64
	if !all {
		want = readMargins(t)
	}
	var out bytes.Buffer
	n, same := 0, 0
	for i, r := range rows {
		if !all && i%30 != 0 {
			continue
		}
		s, err := subjectOf(judge.Case{Answer: r.Claim, Passages: r.passages()})
		if err != nil {
			t.Fatal(err)
		}
		c := newClaim(r.Claim, idf)
		x, err := l.features(context.Background(), c, c.best(s.pages), s.pages)
		if err != nil {
			t.Fatal(err)
		}
		n++
		if d := math.Abs(x[margin] - want[r.ID]); d < 0.02 {
			same++
		} else if !all {
			t.Logf("%s: margin %.4f, stored %.4f", r.ID, x[margin], want[r.ID])
		}
		line, err := json.Marshal(stored{r.ID, math.Round(x[margin]*1e4) / 1e4})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if all {
		if err := os.WriteFile(marginFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if same*10 < n*9 {
		t.Errorf("%d of %d margins are as stored, expected nine tenths", same, n)
	}
}

// crossEncoder opens the model with the user's cache, or skips the test.
func crossEncoder(t *testing.T) *rerank.CrossEncoder {
	t.Helper()
	store, err := model.Find("")
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	c, err := cache.Open("", func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	ce, err := rerank.Open(store, c, 1)
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	t.Cleanup(func() {
		if err := ce.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return ce
}
