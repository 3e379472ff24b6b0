package verdict

import (
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Scores makes the score records of the verdicts on answers, in their order: 1
// for yes and 0 for no, and behind a faithfulness the share of the claims that
// are supported, with their number as its denominator. Controls have none.
func Scores(verdicts []*record.Verdict) []*record.Score {
	var all []*record.Score
	for _, v := range verdicts {
		if v.Control != "" {
			continue
		}
		s := &record.Score{
			Question: v.Question, System: SystemOf(v), Judge: v.Judge, Metric: v.Metric,
			Status: v.Status, Reason: v.Reason, AskedFor: v.AskedFor,
		}
		if v.Status == record.Scored {
			s.Value = one(v.Mark == record.Yes)
		}
		all = append(all, s)
		if v.Metric == record.Faithfulness {
			all = append(all, claims(s, v))
		}
	}
	return all
}

// claims is the share of a verdict's claims that are supported.
func claims(faithful *record.Score, v *record.Verdict) *record.Score {
	s := *faithful
	s.Metric = record.SupportedClaims
	switch n := len(v.Claims); {
	case v.Status != record.Scored:
	case n == 0:
		s.Value, s.Status, s.Reason = nil, record.Unscored, "the judge names no claim"
	default:
		share := float64(supported(v.Claims)) / float64(n)
		s.Value, s.Of = &share, float64(n)
	}
	return &s
}

func one(yes bool) *float64 {
	v := 0.0
	if yes {
		v = 1
	}
	return &v
}

// SystemOf is what answered: what searched with what wrote, two-stage/extract,
// as in mr-score answers.
func SystemOf(v *record.Verdict) record.SystemName {
	if v.Model == "" || v.System == record.FallbackSystem {
		return v.System
	}
	return v.System + "/" + record.SystemName(v.Model)
}
