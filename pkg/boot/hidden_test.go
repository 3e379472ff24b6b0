package boot

import (
	"slices"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestNothingTellsOfABrokenJudge: neither value, nor table, nor a warning says how a broken judge does.
func TestNothingTellsOfABrokenJudge(t *testing.T) {
	in := &Input{
		Scores: marksOf("k", "s", strings.Repeat("yn", 20)),
		Pairs:  pairsOf("k", "Ada", "s", strings.Repeat("yy nn yy nn yn ", 8)),
		Controls: append(judgeControls("k", map[string]func(*record.Control){
			record.MadeUp: func(c *record.Control) { c.OK = record.ControlFailed },
		}), agreeing("k", "Ada")...),
	}
	for _, iv := range analyse(t, Default(), in).Intervals {
		if iv.Trusted || iv.Value != nil || iv.Lo != nil || iv.Extra != nil || slices.ContainsFunc(iv.Warnings, func(w string) bool { return strings.Contains(w, "TPR") }) {
			t.Errorf("%s: %+v", iv.Stat, iv)
		}
	}
}
