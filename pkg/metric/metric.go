package metric

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Kind is a metric without its cut-off.
type Kind string

// The kinds.
const (
	Recall    Kind = "recall"
	Precision Kind = "P"
	MRR       Kind = "MRR"
	NDCG      Kind = "nDCG"
	MAP       Kind = "MAP"
	Judged    Kind = "Judged"
)

var kinds = []Kind{Recall, Precision, MRR, NDCG, MAP, Judged}

// Metric is a kind with its cut-off.
type Metric struct {
	Kind Kind
	// Cut is the number of sections, or of passages, that count; 0 is all.
	Cut int
	// Passages says that the passages are cut, and folded then; of recall alone,
	// which does not ask for their ranks.
	Passages bool
}

// Name is how the metric is written: recall@5, recall@5p, MRR.
func (m Metric) Name() record.MetricName {
	name := string(m.Kind)
	if m.Cut > 0 {
		name += "@" + strconv.Itoa(m.Cut)
	}
	if m.Passages {
		name += "p"
	}
	return record.MetricName(name)
}

var pattern = regexp.MustCompile(`^([A-Za-z]+)(?:@([1-9][0-9]{0,6})(p?))?$`)

// Parse reads a metric's name; small and capital letters are the same.
func Parse(name string) (Metric, error) {
	parts := pattern.FindStringSubmatch(name)
	if parts == nil {
		return Metric{}, fmt.Errorf("expected a metric such as recall@5, recall@5p, MRR@10, MRR, nDCG@10, P@5, MAP or Judged@10, got %q", name)
	}
	i := slices.IndexFunc(kinds, func(k Kind) bool { return strings.EqualFold(string(k), parts[1]) })
	if i < 0 {
		return Metric{}, fmt.Errorf("expected recall, MRR, nDCG, P, MAP or Judged, got %q", name)
	}
	m := Metric{Kind: kinds[i], Passages: parts[3] == "p"}
	if parts[2] != "" {
		m.Cut, _ = strconv.Atoi(parts[2]) // the pattern holds digits alone
	}
	switch {
	case m.Kind == MAP && m.Cut > 0:
		return Metric{}, fmt.Errorf("MAP has no cut-off, got %q", name)
	case m.Passages && m.Kind != Recall:
		return Metric{}, fmt.Errorf("only recall is measured in passages, got %q", name)
	case m.Cut == 0 && (m.Kind == Recall || m.Kind == Precision || m.Kind == Judged):
		return Metric{}, fmt.Errorf("%s needs a cut-off: %s@5", m.Kind, m.Kind)
	}
	return m, nil
}

// Suite is the metrics that are scored together.
type Suite []Metric

// ParseSuite reads names between commas. A metric named twice is an error.
func ParseSuite(names string) (Suite, error) {
	var s Suite
	for name := range strings.SplitSeq(names, ",") {
		m, err := Parse(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if slices.Contains(s, m) {
			return nil, fmt.Errorf("metric %s is named twice", m.Name())
		}
		s = append(s, m)
	}
	return s, nil
}

// String is the form that ParseSuite reads.
func (s Suite) String() string {
	var names []string
	for _, m := range s {
		names = append(names, string(m.Name()))
	}
	return strings.Join(names, ",")
}

// Fits is nil if every metric of the suite is defined: MAP and Judged@k are for qrels.
func (s Suite) Fits(graded bool) error {
	for _, m := range s {
		if !graded && (m.Kind == MAP || m.Kind == Judged) {
			return fmt.Errorf("%s is for qrels: a golden set judges no single document", m.Name())
		}
	}
	return nil
}
