package boot

import (
	"slices"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// standing is a judge j beside a broken judge k, both on 20 answers, with labels
// of Ada; all that mr-score agreement writes of them, and sealed as it does.
func standing(t *testing.T) *Input {
	t.Helper()
	in := &Input{
		Scores: slices.Concat(marksOf("j", "s", strings.Repeat("yn", 10)), marksOf("k", "s", strings.Repeat("yyyn", 5))),
		Pairs: slices.Concat(
			pairsOf("j", "k", "s", strings.Repeat("yy ny yy nn ", 5)),
			pairsOf("j", "Ada", "s", strings.Repeat("yy nn ", 9)+"yn ny"),
			pairsOf("k", "Ada", "s", strings.Repeat("yy yn yy nn ", 5)),
		),
		Controls: slices.Concat(judgeControls("j", nil), judgeControls("k", map[string]func(*record.Control){
			record.RandomPassages: func(c *record.Control) { c.OK, c.Misses = record.ControlFailed, 20 },
		}), agreeing("j", "k"), agreeing("j", "Ada"), agreeing("k", "Ada")),
		origins: map[record.Record]origin{},
	}
	sealed(t, in)
	return in
}

// TestMarksBehindControls: what a filter does to a stream between mr-score and
// mr-boot, by mistake or in hope, takes its numbers away.
func TestMarksBehindControls(t *testing.T) {
	const (
		others = "its controls stand behind other marks ("
		mean   = "s j, mean"
		kappa  = "s j and Ada, kappa"
	)
	dropScores := func(drop func(*record.Score) bool) func(*Input) {
		return func(in *Input) { in.Scores = slices.DeleteFunc(in.Scores, drop) }
	}
	dropPairs := func(drop func(*record.Pair) bool) func(*Input) {
		return func(in *Input) { in.Pairs = slices.DeleteFunc(in.Pairs, drop) }
	}
	no := func(s *record.Score) bool { return s.Value != nil && *s.Value == 0 }
	for _, tt := range []struct {
		name, figure string
		change       func(*Input)
		want         string // the beginning of the reason, "" for a number
	}{
		{"as they are", mean, func(*Input) {}, ""},
		{"as they are, kappa", kappa, func(*Input) {}, ""},
		{"in another order", mean, func(in *Input) { slices.Reverse(in.Scores) }, ""},
		{"the no left out", mean, dropScores(no), others + "20 scores, "},
		{"the no left out, kappa", kappa, dropScores(no), "judge j: its controls stand behind other marks ("},
		{"a question left out", mean, dropScores(func(s *record.Score) bool { return s.Question.ID == "q07" }), others},
		{"a mark changed", mean, func(in *Input) { *in.Scores[1].Value = 1 }, others},
		{"a time-out called a refusal", mean, func(in *Input) {
			in.Scores[1].Value, in.Scores[1].Status, in.Scores[1].Reason = nil, record.Unscored, refused
		}, others},
		{"marks of k given to j", mean, func(in *Input) {
			in.Scores = slices.DeleteFunc(in.Scores, func(s *record.Score) bool { return s.Judge == "j" })
			for _, s := range in.Scores {
				s.Judge = "j"
			}
		}, others},
		{"another system added", mean, func(in *Input) { in.Scores = append(in.Scores, marksOf("j", "t", "yyyy")...) }, others},
		{"controls written by hand", mean, func(in *Input) {
			for _, c := range in.Controls {
				c.Extra = nil
			}
		}, "its controls do not say which marks they stand behind"},
		{"where both differ left out", kappa, dropPairs(func(p *record.Pair) bool { return p.MarkA != p.MarkB }), others + "20 pairs, "},
		{"made to agree", kappa, func(in *Input) {
			for _, p := range in.Pairs {
				p.MarkA = p.MarkB
			}
		}, others},
		{"called independent", kappa, func(in *Input) {
			for _, p := range in.Pairs {
				p.Independent = !p.Independent
			}
		}, others},
		{"weighed", kappa, func(in *Input) { in.Pairs[20].Weight = 1e9 }, others},
		{"without its scores", kappa, dropScores(func(s *record.Score) bool { return s.Judge == "j" }), "judge j: its controls stand behind other marks ("},
		{"pairs and controls of agreement alone", kappa, func(in *Input) {
			in.Scores = nil
			in.Controls = slices.DeleteFunc(in.Controls, func(c *record.Control) bool { return !ofAgreement(c) })
		}, "judge j: no controls seen"},
		{"k taken for a person", "s j and k, kappa", func(in *Input) {
			dropScores(func(s *record.Score) bool { return s.Judge == "k" })(in)
			in.Controls = slices.DeleteFunc(in.Controls, func(c *record.Control) bool { return c.Judge == "k" })
		}, "judge k: no controls seen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := standing(t)
			tt.change(in)
			p := Default()
			p.Resamples = 100
			out, err := p.Analyse(in)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for i, came := range shown(out) {
				name, says, _ := strings.Cut(came, ": ")
				if out.Intervals[i].Judge == "j and k" && (out.Intervals[i].Stat == StatTPR || out.Intervals[i].Stat == StatCorrected) {
					t.Errorf("a judge puts another right: %s", came)
				}
				if name != tt.figure {
					continue
				}
				found = true
				if iv := out.Intervals[i]; iv.Trusted != (tt.want == "") || !strings.HasPrefix(says, tt.want) {
					t.Errorf("trusted %v: %s, want %q", iv.Trusted, came, tt.want)
				}
			}
			if !found {
				t.Errorf("no %s among %q", tt.figure, shown(out))
			}
			if tt.want != "" && len(out.Refusals) < 2 { // one is of k, which is broken
				t.Errorf("the gate says of it nothing: %v", refusals(out))
			}
		})
	}
}

// TestOnceOnly: a label that comes twice is one label, and two runs of a judge are no repeats.
func TestOnceOnly(t *testing.T) {
	const (
		score = `{"type":"score","question":{"id":"q1"},"system":"s","judge":"j","metric":"relevance","value":1,"status":"scored"}` + "\n"
		pair  = `{"type":"pair","question":{"id":"q1"},"system":"s","metric":"relevance","rater_a":"j","rater_b":"Ada","mark_a":"yes","mark_b":"yes","independent":true}` + "\n"
		again = `{"type":"pair","question":{"id":"q1"},"system":"s","metric":"relevance","rater_a":"j","rater_b":"j, again","mark_a":"yes","mark_b":"yes","independent":true}` + "\n"
	)
	for _, tt := range []struct{ name, a, b, want string }{
		{"repeats", score + score + again + again, pair, ""},
		{"a score twice", score, score, `b:1: relevance of judge "j" on question "q1" and system s came before, at a:1`},
		{"a label twice", score + pair + pair, pair, `a:3: a pair of "j" with "Ada" in relevance on question "q1" and system s came before, at a:2`},
		{"a label of two streams", pair, pair, `b:1: a pair of "j" with "Ada" in relevance on question "q1" and system s came before, at a:1`},
		{"repeats of two streams", again, again, `b:1: a pair of "j" with "j, again" in relevance on question "q1" and system s came before, at a:1`},
		{"a weight below 0", strings.Replace(pair, `"independent"`, `"weight":-1,"independent"`, 1), score, `a:1: relevance of question "q1" by j and Ada: expected a weight of 0 or more, got -1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(record.NewReader(record.Source{Name: "a", Reader: strings.NewReader(tt.a)}, record.Source{Name: "b", Reader: strings.NewReader(tt.b)}))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
