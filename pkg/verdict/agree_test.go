package verdict

import (
	"math"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func marksOf(text string) *marks {
	m := &marks{metric: record.Relevance, a: "j", b: "Ada"}
	of := map[byte]record.Mark{'y': record.Yes, 'n': record.No}
	for _, p := range strings.Fields(text) {
		m.pairs = append(m.pairs, [2]record.Mark{of[p[0]], of[p[1]]})
	}
	return m
}

// TestAgreementControls: agreement with itself is 1, and with permuted marks 0,
// whatever the raters are like.
func TestAgreementControls(t *testing.T) {
	repeat := strings.Repeat
	for _, tt := range []struct {
		name, marks string
		want        record.Outcome
	}{
		{"they agree", repeat("yy nn ", 20), record.ControlOK},
		{"they do not", repeat("yn ny ", 20), record.ControlOK},
		{"rarely no", repeat("yy ", 38) + "yn nn", record.ControlOK},
		{"one of them has one label", repeat("yy yn ", 10), record.ControlOK},
		{"one label only", repeat("yy ", 20), record.ControlNotEstablished},
		{"one answer", "yn", record.ControlOK}, // no agreement, and none expected
	} {
		m := marksOf(tt.marks)
		for _, c := range []*record.Control{m.itself(), m.permuted(1000, 1)} {
			if err := c.Validate(); err != nil {
				t.Error(err)
			}
			if tt.name == "one answer" && c.Control == boot.Itself {
				continue // each of them has one label
			}
			if c.OK != tt.want || c.Judge != "j and Ada" {
				t.Errorf("%s: %s is %s, want %s: %+v", tt.name, c.Control, c.OK, tt.want, c)
			}
		}
	}
	if c := marksOf(repeat("yy nn ", 20)).permuted(1000, 1); math.Abs(*c.Value) > 0.02 || *c.Hi-*c.Lo > 0.1 {
		t.Errorf("%+v", c)
	}
}

// TestKinship: a judge of the answers' own family is named, once.
func TestKinship(t *testing.T) {
	of := func(judge, model string) *record.Verdict { return &record.Verdict{Judge: judge, Model: model} }
	got := kinship([]*record.Verdict{
		of("ollama:qwen2.5:14b", "ollama:qwen3:8b"), of("ollama:qwen2.5:14b", "ollama:qwen3:8b"), of("lexical", "ollama:qwen3:8b"),
		of("ollama:mistral-small:24b", "ollama:llama3.1:8b"), of("lexical", "extract"),
	})
	want := []string{"ollama:qwen2.5:14b judges answers of ollama:qwen3:8b: both are of the family qwen, and judges favour their own"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
}
