package lexical

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Half names a part of a labelled collection, drawn by a hash of the id.
type Half string

// The halves.
const (
	// Chosen is the half on which weights and threshold were fitted.
	Chosen Half = "chosen"
	// Shown is the half that no choice was made on: what a report prints.
	Shown Half = "shown"
)

// Figures are how a judge does on claims that people have labelled as
// attributable to their references or not.
type Figures struct {
	Judge string `json:"judge"`
	// Collection is where the claims come from.
	Collection string `json:"collection"`
	Half       Half   `json:"half"`
	N          int    `json:"n"`
	// AUC is the chance that an attributable claim scores above another; Lo and
	// Hi are its 95 % interval (DeLong, DeLong and Clarke-Pearson 1988).
	AUC float64 `json:"auc"`
	Lo  float64 `json:"lo"`
	Hi  float64 `json:"hi"`
	// MacroF1 is the mean F1 of both classes at Threshold, with its 95 %
	// interval by bootstrap over claims (percentile, 2,000 resamples).
	MacroF1   float64 `json:"macro_f1"`
	F1Lo      float64 `json:"f1_lo"`
	F1Hi      float64 `json:"f1_hi"`
	Threshold float64 `json:"threshold"`
}

// measured holds the committed figures; a test computes them again.
//
//go:embed attributionbench.jsonl
var measured []byte

// Measured returns the committed figures of a judge of this package, by its
// name, on the half that no choice was made on; false where there are none.
func Measured(judge string) (Figures, bool) {
	for _, f := range Rows() {
		if f.Judge == judge && f.Half == Shown {
			return f, true
		}
	}
	return Figures{}, false
}

// Rows are all committed figures.
func Rows() []Figures {
	var rows []Figures
	for line := range bytes.Lines(measured) {
		var f Figures
		if err := json.Unmarshal(bytes.TrimSpace(line), &f, json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(false)); err != nil {
			panic(fmt.Sprintf("attributionbench.jsonl: %v", err)) // it is compiled in, and read by the tests
		}
		rows = append(rows, f)
	}
	return rows
}
