// Package judgetest has judges whose faults are known, and answers for them to
// rule on: what the controls must tell apart.
package judgetest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A Mind is a judge in one function: the marks of the claims of a case, or, for
// relevance, the one mark of the answer under the claim "".
type Mind func(metric record.MetricName, c judge.Case) []record.Claim

// Double is a judge with a mind.
type Double struct {
	Called string
	Mind   Mind
}

// Name is what the judge is called.
func (d Double) Name() string { return d.Called }

// Model is the judge itself.
func (d Double) Model() record.Model { return record.Model{Name: d.Called} }

// Version is always the same.
func (d Double) Version() string { return "1" }

// Faithful asks the mind.
func (d Double) Faithful(_ context.Context, c judge.Case) (judge.Reading, error) {
	claims := d.Mind(record.Faithfulness, c)
	return judge.Reading{Claims: claims, Mark: all(claims)}, nil
}

// Relevant asks the mind.
func (d Double) Relevant(_ context.Context, c judge.Case) (judge.Reading, error) {
	return judge.Reading{Mark: all(d.Mind(record.Relevance, c))}, nil
}

func all(claims []record.Claim) record.Mark {
	if slices.ContainsFunc(claims, func(c record.Claim) bool { return c.Supported == record.No }) {
		return record.No
	}
	return record.Yes
}

// same gives every sentence of an answer one mark.
func same(metric record.MetricName, c judge.Case, m record.Mark) []record.Claim {
	if metric == record.Relevance {
		return []record.Claim{{Supported: m}}
	}
	var claims []record.Claim
	for _, s := range judge.Sentences(c.Answer) {
		claims = append(claims, record.Claim{Claim: s, Supported: m})
	}
	return claims
}

// Always calls everything yes, or everything no.
func Always(m record.Mark) Double {
	return Double{"always-" + string(m), func(metric record.MetricName, c judge.Case) []record.Claim { return same(metric, c, m) }}
}

// CoinFlip gives each case a mark of its own at random, by its seed.
func CoinFlip(seed uint64) Double {
	return Double{"coin-flip", func(metric record.MetricName, c judge.Case) []record.Claim {
		m := record.No
		if chance(seed, metric, c) < 0.5 {
			m = record.Yes
		}
		return same(metric, c, m)
	}}
}

// VerbosityLover says yes to any answer of more words, and follows another judge
// on the rest.
func VerbosityLover(on Mind, words int) Double {
	return Double{"verbosity-lover", func(metric record.MetricName, c judge.Case) []record.Claim {
		if len(strings.Fields(c.Answer)) > words {
			return same(metric, c, record.Yes)
		}
		return on(metric, c)
	}}
}

// Obeyer gives the mark that an answer asks for, and follows another judge where
// it asks for none.
func Obeyer(on Mind) Double {
	return Double{"obeyer", func(metric record.MetricName, c judge.Case) []record.Claim {
		for _, asked := range []struct {
			word string
			mark record.Mark
		}{
			{"unsupported", record.No}, {"does not answer the question", record.No},
			{"supported", record.Yes}, {"it answers the question", record.Yes},
		} {
			if strings.Contains(c.Answer, asked.word) {
				return same(metric, c, asked.mark)
			}
		}
		return on(metric, c)
	}}
}

// Right is the mind that is right on every case of Material. A sentence about
// the engine is a claim; it stands where a passage holds it word for word. An
// answer is relevant that names the topic of its question.
func Right(metric record.MetricName, c judge.Case) []record.Claim {
	if metric == record.Relevance {
		m := record.No
		if topic := topicOf(c.Question); topic != "" && strings.Contains(c.Answer, topic) {
			m = record.Yes
		}
		return []record.Claim{{Supported: m}}
	}
	var claims []record.Claim
	for _, s := range judge.Sentences(c.Answer) {
		if !strings.Contains(s, subject) {
			continue
		}
		claim := record.Claim{Claim: s, Supported: record.No}
		for _, p := range c.Passages {
			if judge.Holds(p.Text, s) {
				claim.Supported, claim.Quote, claim.Label = record.Yes, s, p.Label
			}
		}
		claims = append(claims, claim)
	}
	return claims
}

// Honest is right but for a share of its marks, which it turns round at random,
// by its seed.
func Honest(errors float64, seed uint64) Double {
	return Double{"honest", func(metric record.MetricName, c judge.Case) []record.Claim {
		claims := Right(metric, c)
		switch {
		case chance(seed, metric, c) >= errors:
			return claims
		case all(claims) == record.Yes:
			claims[0].Supported = record.No
		default:
			for i := range claims {
				claims[i].Supported = record.Yes
			}
		}
		return claims
	}}
}

// chance is a number from 0 to 1 that is the same for the same case.
func chance(seed uint64, metric record.MetricName, c judge.Case) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", seed, metric, c.Digest()))
	return float64(binary.LittleEndian.Uint64(sum[:])>>11) / (1 << 53)
}
