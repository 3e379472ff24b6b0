package lexical

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"gonum.org/v1/gonum/mat"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// labelled is one row of AttributionBench (Li et al. 2024, arXiv:2402.15089).
type labelled struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Claim      string   `json:"claim"`
	References []string `json:"references"`
	Label      int      `json:"label"`
}

// half draws the half of a row by its id alone.
func (r labelled) half() Half {
	sum := sha256.Sum256([]byte(r.ID))
	if sum[31]&1 == 0 {
		return Chosen
	}
	return Shown
}

func (r labelled) passages() []record.Labelled {
	var ps []record.Labelled
	for i, text := range r.References {
		ps = append(ps, record.Labelled{Label: fmt.Sprint("P", i+1), Text: text})
	}
	return ps
}

// shared opens a file of the measured collections, or skips the test.
func shared(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("MR_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	f, err := os.Open(filepath.Join(dir, "ir", name))
	if err != nil {
		t.Skipf("SKIP needs ../shared/ir/%s (MR_SHARED names another place): %v", name, err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// attribution reads AttributionBench's development set and the idf of its references.
func attribution(t *testing.T) ([]labelled, *IDF) {
	t.Helper()
	lines := bufio.NewScanner(shared(t, "attributionbench_dev/data.jsonl"))
	lines.Buffer(nil, 1<<24)
	var rows []labelled
	for lines.Scan() {
		var r labelled
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil || len(rows) != 1198 {
		t.Fatalf("%d rows, expected 1198: %v", len(rows), err)
	}
	return rows, NewIDF(func(yield func(string) bool) {
		for _, r := range rows {
			if !yield(strings.Join(r.References, "\n")) {
				return
			}
		}
	})
}

// an example is a row with what the judge goes by.
type example struct {
	labelled
	x                map[featureName]float64
	verbatim, broken bool
}

// read takes the features of every row, without the cross-encoder.
func read(t *testing.T, rows []labelled, idf *IDF) []example {
	t.Helper()
	l := lexical{idf: idf, table: plain}
	out := make([]example, len(rows))
	for i, r := range rows {
		s, err := subjectOf(judge.Case{Question: r.Question, Answer: r.Claim, Passages: r.passages()})
		if err != nil {
			t.Fatal(err)
		}
		c := newClaim(r.Claim, idf)
		w := c.best(s.pages)
		x, err := l.features(context.Background(), c, w, s.pages)
		if err != nil {
			t.Fatal(err)
		}
		_, verbatim := c.verbatim(s.pages)
		out[i] = example{r, x, verbatim, c.broken(w, c.near(s.pages), s.named) != ""}
	}
	return out
}

// fit is the logistic regression of the labels on a table's features, on the
// examples whose rules hold or not alike, by Newton's method with a ridge of 1
// on the weights of standardised features.
func fit(tb table, examples []example) table {
	n, k := len(examples), len(tb.features)
	mean, sd := make([]float64, k), make([]float64, k)
	for j, f := range tb.features {
		for _, e := range examples {
			mean[j] += e.x[f.name] / float64(n)
		}
		for _, e := range examples {
			sd[j] += (e.x[f.name] - mean[j]) * (e.x[f.name] - mean[j]) / float64(n)
		}
		sd[j] = math.Sqrt(sd[j])
	}
	w := mat.NewVecDense(k+1, nil)
	for range 50 {
		h, g := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
		for _, e := range examples {
			row := []float64{1}
			for j, f := range tb.features {
				row = append(row, (e.x[f.name]-mean[j])/sd[j])
			}
			z := mat.NewVecDense(k+1, row)
			p := logistic(mat.Dot(w, z))
			g.AddScaledVec(g, p-float64(e.Label), z)
			h.RankOne(h, p*(1-p), z, z)
		}
		for j := 1; j <= k; j++ {
			g.SetVec(j, g.AtVec(j)+w.AtVec(j))
			h.Set(j, j, h.At(j, j)+1)
		}
		var step mat.VecDense
		if err := step.SolveVec(h, g); err != nil {
			panic(err)
		}
		w.SubVec(w, &step)
	}
	out := table{name: tb.name, bias: w.AtVec(0), threshold: tb.threshold}
	for j, f := range tb.features {
		out.features = append(out.features, feature{f.name, w.AtVec(j+1) / sd[j]})
		out.bias -= w.AtVec(j+1) * mean[j] / sd[j]
	}
	return out
}
