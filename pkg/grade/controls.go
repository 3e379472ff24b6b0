package grade

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

const (
	exact   = 1e-9 // what rounding may do
	errors4 = 4    // the standard errors that chance may be off
	low     = 0.05 // what another question's key facts stay below
)

// engine says what a control would have it say.
type engine struct {
	reply answer.Reply
	err   error
}

func (engine) Name() string { return "control" }

func (e engine) Answer(context.Context, answer.Request) (answer.Reply, error) { return e.reply, e.err }

// trial puts a question with these passages to an engine.
func (g *Answers) trial(ctx context.Context, q *question, passages []golden.Ranked, e engine) (*item, error) {
	hits := &record.Hits{Question: record.QuestionRef{ID: q.ID, Text: q.Text}, System: "control"}
	for i, p := range passages {
		hits.Hits = append(hits.Hits, record.Hit{Passage: p.Passage, Section: p.Section, Rank: i + 1, Text: g.text(p)})
	}
	a, err := g.ask(ctx, e, hits, len(passages))
	if err != nil {
		return nil, err
	}
	it := &item{question: q, answer: a}
	for _, c := range a.Citations {
		it.cited = append(it.cited, c.Section)
	}
	return it, nil
}

// text is a passage's own where the corpus is at hand.
func (g *Answers) text(p golden.Ranked) string {
	if g.Texts != nil {
		if passage := g.Texts.Passage(p.Passage); passage != nil {
			return passage.Text
		}
	}
	return string(p.Passage)
}

// say is a reply of one sentence that cites these labels.
func say(text string, labels ...string) engine {
	return engine{reply: answer.Reply{Sentences: []record.Sentence{{Text: text, Labels: labels}}}}
}

var refuse = engine{reply: answer.Reply{Refused: true, Reason: "control"}}

func labels(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("P%d", i+1))
	}
	return all
}

// bench runs the controls of one stream.
type bench struct {
	*Answers
	ctx  context.Context
	pool *pool
	want map[record.MetricName]bool // those that are scored
	out  []*record.Control
	err  error
}

// controls returns the controls of the metrics wanted. The same seed gives the
// same controls.
func (g *Answers) controls(ctx context.Context, all *answers, want map[record.MetricName]bool) ([]*record.Control, error) {
	b := &bench{Answers: g, ctx: ctx, pool: g.newPool(all), want: want}
	b.refusals()
	b.areas()
	b.citations()
	b.facts()
	b.counts()
	return b.out, b.err
}

// metric is the metric of that name.
func (b *bench) metric(name record.MetricName) metric {
	for _, m := range b.metrics {
		if m.name == name {
			return m
		}
	}
	panic("grade: internal error: no metric " + string(name))
}

// ask puts each question that a metric is about to the engine that put chooses
// for it, and returns the scores. Once something failed it returns none.
func (b *bench) scores(name record.MetricName, put func(*question) ([]golden.Ranked, engine)) []*record.Score {
	m := b.metric(name)
	var all []*record.Score
	for _, q := range b.questions {
		if !m.asks(q) || b.err != nil {
			continue
		}
		passages, e := put(q)
		it, err := b.trial(b.ctx, q, passages, e)
		if err != nil {
			b.err = fmt.Errorf("control of %s: %w", name, err)
			return nil
		}
		all = append(all, m.score("control", it))
	}
	return all
}

// fixed is a control whose every question must give want.
func (b *bench) fixed(name record.MetricName, control, expect string, want float64, put func(*question) ([]golden.Ranked, engine)) *record.Control {
	scores := b.scores(name, put)
	c := &record.Control{Metric: name, Control: control, Expect: expect, N: len(scores), OK: record.ControlOK}
	sum := 0.0
	for _, s := range scores {
		got := math.NaN()
		if s.Status == record.Scored {
			got = *s.Value
		}
		sum += got
		if !(math.Abs(got-want) <= exact) {
			if c.Misses++; c.Misses == 1 {
				c.OK, c.Reason = record.ControlFailed, fmt.Sprintf("question %q gives %.4f", s.Question.ID, got)
			}
		}
	}
	b.finish(c, sum/float64(len(scores)))
	return c
}

// finish puts the mean into a control, and the control into the stream. A
// control without a single item establishes nothing.
func (b *bench) finish(c *record.Control, mean float64) {
	c.Got = fmt.Sprintf("%.4f", mean)
	if !math.IsNaN(mean) {
		c.Value = &mean
	}
	if c.N == 0 {
		c.Got, c.OK, c.Reason = "nothing", record.ControlNotEstablished, "no question is fit for it"
	}
	b.out = append(b.out, c)
}

// chance is a control whose mean must be want within 4 standard errors.
func (b *bench) chance(name record.MetricName, control string, n int, got, want, se float64) {
	off := errors4 * se
	c := &record.Control{Metric: name, Control: control, N: n, OK: record.ControlOK,
		Expect: fmt.Sprintf("%.5f ± %.5f (%d standard errors)", want, off, errors4)}
	if !(math.Abs(got-want) <= off+exact) {
		c.OK, c.Reason = record.ControlFailed, "chance is off its expectation"
	}
	b.finish(c, got)
	c.Got = fmt.Sprintf("%.5f", got)
	if lo, hi := got-off, got+off; c.Value != nil {
		c.Lo, c.Hi = &lo, &hi
	}
}

// random is the generator of a question's draws.
func (b *bench) random(control string, q *question) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(control + "\x00" + string(q.ID))) // never fails
	return rand.New(rand.NewPCG(b.Seed, h.Sum64()))
}

// oracle cites one passage a need, or refuses where there is none.
func (b *bench) oracle(q *question) ([]golden.Ranked, engine) {
	if !q.Answerable() {
		return b.pool.all[:1], refuse
	}
	passages := b.pool.oracle(q)
	text := ""
	for _, p := range passages {
		text += b.text(p) + "\n"
	}
	return passages, say(text, labels(len(passages))...)
}

// refusals are the controls of both rates of refusal.
func (b *bench) refusals() {
	for _, name := range []record.MetricName{RefusedUnanswerable, RefusedAnswerable} {
		if !b.want[name] {
			continue
		}
		right := one(name == RefusedUnanswerable)
		b.fixed(name, control.Oracle, fmt.Sprintf("%g", right), right, b.oracle)
		b.coin(name)
		for _, loser := range []struct {
			name   string
			engine engine
			rate   float64
		}{{"always-refuser", refuse, 1}, {"never-refuser", say("x", "P1"), 0}} {
			always := func(*question) ([]golden.Ranked, engine) { return b.pool.all[:1], loser.engine }
			c := b.fixed(name, loser.name, fmt.Sprintf("%g", loser.rate), loser.rate, always)
			b.loses(c, always)
		}
		b.crash(name)
	}
}

// coin refuses by a coin.
func (b *bench) coin(name record.MetricName) {
	sum, n := 0.0, 0
	for draw := range b.Draws {
		for _, s := range b.scores(name, func(q *question) ([]golden.Ranked, engine) {
			r := b.random(fmt.Sprintf("coin %d", draw), q)
			if r.IntN(2) == 0 {
				return b.pool.all[:1], refuse
			}
			return b.pool.all[:1], say("x", "P1")
		}) {
			if s.Value != nil {
				sum += *s.Value
				n++
			}
		}
	}
	b.chance(name, control.Random, n, sum/float64(n), 0.5, 0.5/math.Sqrt(float64(n)))
}

// loses holds that an engine has no advantage where oracle has 1: rightly less
// falsely refused. It needs both kinds of question.
func (b *bench) loses(c *record.Control, put func(*question) ([]golden.Ranked, engine)) {
	if !b.want[RefusedUnanswerable] || !b.want[RefusedAnswerable] || b.err != nil {
		return
	}
	advantage := func(put func(*question) ([]golden.Ranked, engine)) float64 {
		return mean(b.scores(RefusedUnanswerable, put)) - mean(b.scores(RefusedAnswerable, put))
	}
	best, got := advantage(b.oracle), advantage(put)
	c.Expect += ", and rightly less falsely refused 0, where oracle has 1"
	c.Got += fmt.Sprintf(", and %.4f, where oracle has %.4f", got, best)
	if !(math.Abs(got) <= exact && math.Abs(best-1) <= exact) {
		c.OK, c.Reason = record.ControlFailed, c.Control+" does not lose to oracle as it must"
	}
}

func mean(scores []*record.Score) float64 {
	sum := 0.0
	for _, s := range scores {
		if s.Value == nil {
			return math.NaN()
		}
		sum += *s.Value
	}
	return sum / float64(len(scores))
}

// crash is an engine that fails: no question may have a value.
func (b *bench) crash(name record.MetricName) {
	scores := b.scores(name, func(*question) ([]golden.Ranked, engine) {
		return b.pool.all[:1], engine{err: fmt.Errorf("control")}
	})
	c := &record.Control{Metric: name, Control: "crash", Expect: "no value", N: len(scores), OK: record.ControlOK}
	for _, s := range scores {
		if s.Value != nil || s.Status != record.Failed {
			c.Misses++
			c.OK, c.Reason = record.ControlFailed, "an engine that failed was scored"
		}
	}
	c.Got = fmt.Sprintf("%d values", c.Misses)
	b.out = append(b.out, c)
}
