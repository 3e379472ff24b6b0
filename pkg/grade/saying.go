package grade

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// facts are the controls of key-fact coverage.
func (b *bench) facts() {
	if !b.want[KeyFactCoverage] {
		return
	}
	one := b.pool.all[:1]
	b.fixed(KeyFactCoverage, "own facts", "1", 1, func(q *question) ([]golden.Ranked, engine) {
		return one, say(strings.Join(q.said, "\n"), "P1")
	})
	b.near0("other facts", b.others)
	b.near0("echo", func(q *question) []string { return []string{q.Text} })
	b.altered()
}

// others are the key facts of each question that shares no gold with q.
func (b *bench) others(q *question) []string {
	var all []string
	for _, other := range b.questions {
		shared := other == q
		for _, need := range other.Needs {
			for _, s := range need.Sections {
				shared = shared || len(q.Serves(s)) > 0
			}
		}
		if !shared && len(other.facts) > 0 {
			all = append(all, strings.Join(other.said, "\n"))
		}
	}
	return all
}

// near0 is a control that says each of some texts, and whose mean must stay below low.
func (b *bench) near0(name string, texts func(*question) []string) {
	m := b.metric(KeyFactCoverage)
	c := &record.Control{Metric: KeyFactCoverage, Control: name, Expect: fmt.Sprintf("below %g on average", low), OK: record.ControlOK}
	sum := 0.0
	for _, q := range b.questions {
		if !m.asks(q) {
			continue
		}
		for _, text := range texts(q) {
			if b.err != nil {
				return
			}
			value := b.covered(q, text)
			c.N++
			if sum += value; value > 0 {
				c.Misses++
			}
		}
	}
	got := sum / float64(c.N)
	if !(got < low) {
		c.OK, c.Reason = record.ControlFailed, fmt.Sprintf("%d of %d texts cover facts that they do not say", c.Misses, c.N)
	}
	b.finish(c, got)
}

// covered is the key-fact coverage of a text, NaN where there is none.
func (b *bench) covered(q *question, text string) float64 {
	it, err := b.trial(b.ctx, q, b.pool.all[:1], say(text, "P1"))
	if err != nil {
		b.err = fmt.Errorf("control of %s: %w", KeyFactCoverage, err)
		return math.NaN()
	}
	if s := b.metric(KeyFactCoverage).score("control", it); s.Value != nil {
		return *s.Value
	}
	return math.NaN()
}

// altered says the facts that hold a number with every number changed. None may be covered.
func (b *bench) altered() {
	c := &record.Control{Metric: KeyFactCoverage, Control: "altered numbers", Expect: "0", OK: record.ControlOK}
	m := b.metric(KeyFactCoverage)
	sum := 0.0
	for _, q := range b.questions {
		if !m.asks(q) {
			continue
		}
		for i, f := range q.facts {
			if len(f.Numbers()) == 0 || b.err != nil {
				continue
			}
			alone := &question{Question: q.Question, facts: []keyfact.Fact{f}, said: q.said[i : i+1]}
			value := b.covered(alone, alter(q.said[i], f.Numbers()))
			c.N++
			if sum += value; !(value == 0) {
				c.Misses++
				c.OK, c.Reason = record.ControlFailed, fmt.Sprintf("question %q: %q is covered with other numbers", q.ID, q.said[i])
			}
		}
	}
	if c.N == 0 { // a set without numbers has nothing to alter
		return
	}
	b.finish(c, sum/float64(c.N))
}

// alter replaces every number of a text by one that is not among numbers.
func alter(text string, numbers []string) string {
	next := 1000
	fresh := func() string {
		for next++; slices.Contains(numbers, strconv.Itoa(next)); next++ {
		}
		return strconv.Itoa(next)
	}
	var b strings.Builder
	for _, word := range strings.Fields(text) {
		if len(keyfact.NewFact("", word).Numbers()) > 0 {
			word = strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) {
					return r
				}
				return -1
			}, word)
			if len(keyfact.NewFact("", word).Numbers()) > 0 { // a number in letters
				word = ""
			}
			word += " " + fresh()
		}
		b.WriteString(word + " ")
	}
	return b.String()
}

// counts are the controls of what is merely counted.
func (b *bench) counts() {
	one := b.pool.all[:1]
	planted := func(*question) ([]golden.Ranked, engine) { return one, say("x", "P2") } // only P1 is given
	for _, name := range []record.MetricName{DroppedCitations, Ungrounded} {
		if b.want[name] {
			b.fixed(name, "planted label", "1", 1, planted)
			b.fixed(name, "clean", "0", 0, b.oracle)
		}
	}
	long := engine{reply: answer.Reply{Sentences: []record.Sentence{{Text: "one two\nthree", Labels: []string{"P1"}}, {Text: "four"}},
		PromptTokens: 17, Tokens: 5}}
	for _, c := range []struct {
		name record.MetricName
		want float64
	}{{AnswerWords, 4}, {PromptTokens, 17}, {AnswerTokens, 5}} {
		if b.want[c.name] {
			b.fixed(c.name, "planted length", fmt.Sprint(c.want), c.want, func(*question) ([]golden.Ranked, engine) { return one, long })
		}
	}
}

// areas are the controls of refusal-auc.
func (b *bench) areas() {
	if !b.want[RefusalAUC] || b.err != nil {
		return
	}
	var n [2]int
	for _, q := range b.questions {
		n[group(q)]++
	}
	fixed := func(name string, want float64, score func(*question) float64) {
		got := b.areaOf(score)
		c := &record.Control{Metric: RefusalAUC, Control: name, Expect: fmt.Sprintf("%g", want), N: len(b.questions), OK: record.ControlOK}
		if !(math.Abs(got-want) <= exact) {
			c.OK, c.Reason = record.ControlFailed, "the area is off"
		}
		b.finish(c, got)
	}
	fixed(control.Oracle, 1, func(q *question) float64 { return -float64(group(q)) })
	sum := 0.0
	for draw := range b.Draws {
		sum += b.areaOf(func(q *question) float64 { return b.random(fmt.Sprintf("area %d", draw), q).Float64() })
	}
	answerable, unanswerable := float64(n[0]), float64(n[1])
	// the variance of Mann and Whitney's statistic where the groups do not differ
	se := math.Sqrt((answerable + unanswerable + 1) / (12 * answerable * unanswerable) / float64(b.Draws))
	b.chance(RefusalAUC, control.Random, b.Draws*len(b.questions), sum/float64(b.Draws), 0.5, se)
	fixed("reversed", 0, func(q *question) float64 { return float64(group(q)) })
	fixed("one score", 0.5, func(*question) float64 { return 0 })
}

// areaOf is the mean of what refusal-auc makes of an engine with these scores.
func (b *bench) areaOf(score func(*question) float64) float64 {
	var items []*item
	for _, q := range b.questions {
		s := score(q)
		e := say("x", "P1")
		e.reply.Score = &s
		it, err := b.trial(b.ctx, q, b.pool.all[:1], e)
		if err != nil {
			b.err = fmt.Errorf("control of %s: %w", RefusalAUC, err)
			return math.NaN()
		}
		items = append(items, it)
	}
	return mean(b.areaScores("control", items))
}
