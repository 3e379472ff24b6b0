package boot

import (
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestAreaIsWithinItsBounds: the influences of ten questions, two of them
// unanswerable, with an area of 0.875. BCa of their mean ends above 1.
func TestAreaIsWithinItsBounds(t *testing.T) {
	values := []float64{1.009, 1.009, 1.009, 1.009, 1.009, 1.009, 1.009, 0.341, 1.759, -0.413}
	for _, tt := range []struct {
		metric record.MetricName
		cut    bool
	}{{area, true}, {"answer-words", false}} {
		s := &series{measure: measure{metric: tt.metric}, system: "s"}
		for i, v := range values {
			s.units = append(s.units, &unit{id: record.QuestionID(rune('a' + i)), values: []float64{v}, of: []float64{1}})
		}
		iv := (&analysis{Plan: Default()}).estimate(s, StatMean, "", trust{})
		if iv.Value == nil || iv.Hi == nil {
			t.Fatalf("%s: no interval: %s", tt.metric, iv.Reason)
		}
		said := strings.Contains(strings.Join(iv.Warnings, "\n"), "resamples are outside of 0 to 1, where the interval is cut off")
		if (*iv.Hi <= 1) != tt.cut || said != tt.cut {
			t.Errorf("%s: [%v, %v], warnings %q: cut off %v, want %v", tt.metric, *iv.Lo, *iv.Hi, iv.Warnings, said, tt.cut)
		}
	}
}
