package record

import (
	"errors"
	"fmt"
)

// Score is one metric of one question under one system.
type Score struct {
	Base
	Question QuestionRef `json:"question"`
	System   SystemName  `json:"system"`
	// Judge is the rater, where the metric is a judge's or a person's.
	Judge  string     `json:"judge,omitempty"`
	Metric MetricName `json:"metric"`
	// Value is present just when Status is Scored.
	Value  *float64 `json:"value,omitzero"`
	Status Status   `json:"status"`
	Reason string   `json:"reason,omitempty"`
	// Of is the denominator, where Value is a share whose questions do not weigh
	// the same: the claims of an answer, its citations. 0 counts as 1.
	Of float64 `json:"of,omitzero"`
	// Warnings are what a reader must know of a value that stands, in words that
	// are the same for all questions, so that they can be counted: "no hits".
	Warnings []string `json:"warnings,omitempty"`
	// AskedFor is the question's kind, for figures by kind.
	AskedFor QuestionKind `json:"kind,omitempty"`
	// Wanted and Came explain a miss: the needs, and the first sections of the list.
	Wanted []Need      `json:"wanted,omitempty"`
	Came   []SectionID `json:"came,omitempty"`
}

// FallbackSystem is what hits are scored as that fell back to BM25, whichever
// system they came from. Any of them fails the gate.
const FallbackSystem SystemName = "bm25-fallback"

// Kind is KindScore.
func (*Score) Kind() Kind { return KindScore }

// Validate checks the names, and that there is a value just when it was scored.
func (s *Score) Validate() error {
	err := missing("question.id", string(s.Question.ID), "system", string(s.System), "metric", string(s.Metric))
	err = errors.Join(err, s.Status.validate(s.Reason))
	if (s.Value != nil) != (s.Status == Scored) {
		err = errors.Join(err, fmt.Errorf("status %s with value %v: a value stands just when status is scored", s.Status, s.Value != nil))
	}
	return err
}

// Mark is a rater's yes or no.
type Mark string

// The marks. An unscored verdict has none.
const (
	Yes Mark = "yes"
	No  Mark = "no"
)

// Verdict is one judge's mark on one answer.
type Verdict struct {
	Base
	// Key is of question, answer, passages and prompt: a changed answer is another key.
	Key      string      `json:"key"`
	Question QuestionRef `json:"question"`
	System   SystemName  `json:"system"`
	Model    string      `json:"model,omitempty"`
	Judge    string      `json:"judge"`
	Metric   MetricName  `json:"metric"`
	// AskedFor is the question's kind, where it is known.
	AskedFor QuestionKind `json:"kind,omitempty"`
	// Answer is the digest of what was judged (Answer.Digest).
	Answer string `json:"answer"`
	// Control names the control the answer was made for; empty for a real answer.
	Control string `json:"control,omitempty"`
	// Expect is the mark that a control must get.
	Expect Mark `json:"expect,omitempty"`
	// Planted is what was changed in an altered answer.
	Planted *Plant `json:"planted,omitzero"`
	// Repeat counts the times the same answer was judged, from 0.
	Repeat int     `json:"repeat"`
	Claims []Claim `json:"claims,omitempty"`
	Mark   Mark    `json:"mark,omitempty"`
	Status Status  `json:"status"`
	Reason string  `json:"reason,omitempty"`
}

// Claim is one claim of an answer with the judge's verdict on it.
type Claim struct {
	Claim     string `json:"claim"`
	Supported Mark   `json:"supported"`
	// Quote is the words of a passage that support it, checked to be there.
	Quote string `json:"quote,omitempty"`
	Label string `json:"label,omitempty"`
}

// Plant is a change made to one sentence of an answer.
type Plant struct {
	Sentence string `json:"sentence"` // as it stands now
	Was      string `json:"was"`
	Now      string `json:"now"`
}

// Kind is KindVerdict.
func (*Verdict) Kind() Kind { return KindVerdict }

// Validate checks the names, and that there is a mark just when it was scored.
func (v *Verdict) Validate() error {
	err := missing("key", v.Key, "question.id", string(v.Question.ID), "judge", v.Judge, "metric", string(v.Metric), "answer", v.Answer)
	if v.Control == "" && v.Expect != "" || v.Control != "" && v.Expect == "" && v.Status == Scored {
		err = errors.Join(err, fmt.Errorf("control %q with expect %q: a control, and only a control, has a mark it must get", v.Control, v.Expect))
	}
	err = errors.Join(err, v.Status.validate(v.Reason))
	if (v.Mark == Yes || v.Mark == No) != (v.Status == Scored) {
		err = errors.Join(err, fmt.Errorf("status %s with mark %q: a mark, yes or no, stands just when status is scored", v.Status, v.Mark))
	}
	return err
}

// Pair is two raters' marks on one answer.
type Pair struct {
	Base
	Question QuestionRef `json:"question"`
	System   SystemName  `json:"system,omitempty"`
	Metric   MetricName  `json:"metric"`
	RaterA   string      `json:"rater_a"`
	RaterB   string      `json:"rater_b"`
	MarkA    Mark        `json:"mark_a"`
	MarkB    Mark        `json:"mark_b"`
	// Independent is false where one rater saw the other's reading.
	Independent bool `json:"independent"`
	// Weight is the sampling weight, where answers were not drawn evenly; 0 counts as 1.
	Weight float64 `json:"weight,omitzero"`
}

// Kind is KindPair.
func (*Pair) Kind() Kind { return KindPair }

// Validate checks the raters and their marks.
func (p *Pair) Validate() error {
	err := missing("question.id", string(p.Question.ID), "metric", string(p.Metric), "rater_a", p.RaterA, "rater_b", p.RaterB)
	for _, m := range []Mark{p.MarkA, p.MarkB} {
		if m != Yes && m != No {
			err = errors.Join(err, fmt.Errorf("expected mark yes or no, got %q", m))
		}
	}
	return err
}

// Outcome is what became of a control.
type Outcome string

// The outcomes of a control. Not established is not passing.
const (
	ControlOK             Outcome = "yes"
	ControlFailed         Outcome = "no"
	ControlNotEstablished Outcome = "not established"
)

// Control is a check that a metric can come back otherwise.
type Control struct {
	Base
	Metric MetricName `json:"metric"`
	System SystemName `json:"system,omitempty"`
	Judge  string     `json:"judge,omitempty"`
	// Control names the check: oracle, random, made-up, altered…
	Control string `json:"control"`
	// Expect and Got are what it must give and what it gave, for a reader.
	Expect string `json:"expect"`
	Got    string `json:"got"`
	// Value is what it gave as a number, where it is one, with Lo and Hi of its interval.
	Value *float64 `json:"value,omitzero"`
	Lo    *float64 `json:"lo,omitzero"`
	Hi    *float64 `json:"hi,omitzero"`
	// N is the number of items, Misses those that came out wrong.
	N      int     `json:"n"`
	Misses int     `json:"misses,omitzero"`
	OK     Outcome `json:"ok"`
	Reason string  `json:"reason,omitempty"`
}

// Kind is KindControl.
func (*Control) Kind() Kind { return KindControl }

// Validate checks the names and the outcome.
func (c *Control) Validate() error {
	err := missing("metric", string(c.Metric), "control", c.Control)
	switch c.OK {
	case ControlOK, ControlFailed, ControlNotEstablished:
	default:
		err = errors.Join(err, fmt.Errorf("expected ok yes, no or not established, got %q", c.OK))
	}
	return err
}

// Interval is an estimate with its interval, or the reason why there is none.
type Interval struct {
	Base
	Metric MetricName `json:"metric"`
	System SystemName `json:"system"`
	// Baseline is the system subtracted, where this is a paired difference.
	Baseline SystemName `json:"baseline,omitempty"`
	Judge    string     `json:"judge,omitempty"`
	// AskedFor is the kind of question the figure is restricted to; empty for all.
	AskedFor QuestionKind `json:"kind,omitempty"`
	// Stat is what was estimated: mean, ratio, kappa, corrected…
	Stat string `json:"stat,omitempty"`
	// N is the number of questions that carry a value.
	N         int `json:"n"`
	NUnscored int `json:"n_unscored"`
	NError    int `json:"n_error"`
	// Value, Lo and Hi are absent where Trusted is false.
	Value *float64 `json:"value,omitzero"`
	Lo    *float64 `json:"lo,omitzero"`
	Hi    *float64 `json:"hi,omitzero"`
	// Level is the nominal coverage, 0.95.
	Level float64 `json:"level"`
	// Method is percentile, BCa, Wilson…
	Method    string  `json:"method,omitempty"`
	Resamples int     `json:"resamples,omitzero"`
	Seed      *uint64 `json:"seed,omitzero"`
	// P is the sign-flip randomisation p of a difference, PHolm after Holm's correction.
	P     *float64 `json:"p,omitzero"`
	PHolm *float64 `json:"p_holm,omitzero"`
	// Floor is the value the mean must reach, where one was set.
	Floor *float64 `json:"floor,omitzero"`
	// Warnings are statistical troubles a reader must know.
	Warnings []string `json:"warnings,omitempty"`
	Trusted  bool     `json:"trusted"`
	// Reason says why it is not trusted.
	Reason string `json:"reason,omitempty"`
}

// Kind is KindInterval.
func (*Interval) Kind() Kind { return KindInterval }

// Validate checks that a value stands just when it is trusted.
func (i *Interval) Validate() error {
	err := missing("metric", string(i.Metric), "system", string(i.System))
	if i.Trusted != (i.Value != nil) {
		err = errors.Join(err, errors.New("a value stands just when the interval is trusted"))
	}
	if !i.Trusted && i.Reason == "" {
		err = errors.Join(err, errors.New("an interval that is not trusted needs a reason"))
	}
	return err
}
