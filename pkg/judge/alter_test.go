package judge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// small is a corpus whose names alterations are made of.
func small() *corpus.Corpus {
	return &corpus.Corpus{Passages: []*record.Passage{
		{Text: "The server runs on Windows and on Linux. Pass `--port`, `--host` or `MR_PORT`, `MR_HOST`."},
		{Text: "See `docs/a.md` and `docs/b.md`; the tools are `mr-cut` and `mr-embed`. On windows of glass it rains."},
	}}
}

// Each rule, what it changes and what it must leave alone. In place of a new
// value stands one that the rule may choose, where the choice is the chance's.
func TestRules(t *testing.T) {
	nothing := func(string) bool { return false }
	tests := []struct {
		rule   int // of rules
		in     string
		known  string   // what answer and passages hold
		want   []string // the sentence after each edit; a number is written #, a name @
		reason string
	}{
		{0, "It waits for 90 seconds.", "", []string{"It waits for # seconds."}, "a unit stands behind it"},
		{0, "It takes 1,800 characters and 4.5 MB or 20%.", "", []string{"It takes # characters and 4.5 MB or 20%.", "It takes 1,800 characters and 4.5 MB or #%."}, "MB begins with a capital"},
		{0, "Pixel 8 phones run Android 15 well.", "", nil, "numbers of names"},
		{0, "After 20 seconds it ends.", "", []string{"After # seconds it ends."}, "a capital that is no name"},
		{0, "See defect 61 about it, and (152).", "", nil, "references"},
		{0, "UiAutomator2 and ipv6 are names.", "", nil, "digits inside of words"},
		{0, "Run `sleep 20 seconds` first.", "", nil, "code"},
		{0, "See [it](a.md#in-20 seconds) there.", "", nil, "the target of a link"},
		{0, "It has three retries.", "", []string{"It has @ retries."}, "a number in words"},
		{1, "Pass `--port` first.", "", []string{"Pass `--host` first."}, "a flag for a flag"},
		{1, "Set `MR_PORT` first.", "", []string{"Set `MR_HOST` first."}, "a constant for a constant"},
		{1, "Read `docs/a.md` first.", "", []string{"Read `docs/b.md` first."}, "a path for a path"},
		{1, "Run `mr-cut` first.", "mr-embed", nil, "what is put in must be new"},
		{1, "It runs on Linux too.", "", nil, "windows is a word too, so no name is left"},
		{2, "It does not start.", "", []string{"It does start."}, ""},
		{2, "It cannot start.", "", []string{"It can start."}, ""},
		{2, "It doesn't start.", "", []string{"It does start."}, ""},
		{2, "It never starts.", "", []string{"It always starts."}, ""},
		{2, "It is no longer used.", "", []string{"It is not no longer used.", "It is still used."}, ""},
		{2, "It is used.", "", []string{"It is not used."}, "a not where there was none"},
		{2, "It can start.", "", []string{"It cannot start."}, ""},
		{2, "Run it if the port is free.", "", nil, "a condition is no statement"},
		{2, "It starts.", "", nil, "nothing to turn round"},
		{2, "Run `it is not` now.", "", nil, "code"},
	}
	n := namesOf(small())
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			known := nothing
			if tt.known != "" {
				known = func(s string) bool { return s == tt.known }
			}
			var got []string
			for _, e := range rules[tt.rule](rand.New(rand.NewPCG(1, 1)), n, tt.in, known) {
				now := e.now
				switch {
				case tt.rule == 0 && digits.MatchString(now):
					now = "#"
				case tt.rule == 0 && slices.Contains(words, now):
					now = "@"
				}
				got = append(got, tt.in[:e.from]+now+tt.in[e.to:])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, d)
			}
		})
	}
}

// A number is never changed into one that is known, and stays of its form.
func TestOtherNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, was := range []string{"0", "1", "90", "1,800", "999", "4.5", "007"} {
		for range 50 {
			now := otherNumber(r, was, func(s string) bool { return s == "181" })
			if now == was || now == "181" || now == "" || strings.Contains(was, ".") != strings.Contains(now, ".") {
				t.Errorf("%s became %q", was, now)
			}
		}
	}
	if now := otherNumber(r, "90", func(string) bool { return true }); now != "" {
		t.Errorf("all numbers are known, and it became %q", now)
	}
	if got := thousands(1234567); got != "1,234,567" {
		t.Errorf("thousands: %s", got)
	}
}

// An altered answer differs in one sentence, which nothing says as it stands
// now; the plant is that sentence, with a word of context.
func TestAlter(t *testing.T) {
	n := namesOf(small())
	answer := "It waits for 90 seconds. It is stopped by `mr-cut`. It does not restart."
	kinds := map[string]bool{}
	for seed := range uint64(60) {
		known := func(s string) bool { return Holds(answer, s) }
		text, plant := n.alter(rand.New(rand.NewPCG(seed, 1)), answer, known)
		if plant == nil {
			t.Fatal("nothing was altered")
		}
		before, after := Sentences(answer), Sentences(text)
		changed := -1
		for i := range before {
			if before[i] != after[i] {
				if changed >= 0 {
					t.Errorf("two sentences changed: %q", text)
				}
				changed = i
			}
		}
		if changed < 0 || after[changed] != plant.Sentence || Holds(answer, plant.Sentence) {
			t.Fatalf("%q: plant %+v", text, plant)
		}
		if !strings.Contains(plant.Sentence, plant.Now) || !strings.Contains(before[changed], plant.Was) || plant.Was == plant.Now {
			t.Errorf("plant %+v of %q", plant, before[changed])
		}
		kinds[[]string{"number", "name", "negation"}[changed]] = true
	}
	if len(kinds) != 3 {
		t.Errorf("of 60 alterations only these kinds: %v", kinds)
	}
	if text, plant := n.alter(rand.New(rand.NewPCG(1, 1)), "Why?", func(string) bool { return false }); plant != nil || text != "Why?" {
		t.Errorf("a question was altered: %q", text)
	}
}

// What a passage says is no alteration, be it the opposite of the answer.
func TestAlterSaysNothingThatIsKnown(t *testing.T) {
	passage := "It is used. It is not used."
	known := func(s string) bool { return Holds(passage, s) }
	if text, plant := namesOf(small()).alter(rand.New(rand.NewPCG(1, 1)), "It is used.", known); plant != nil {
		t.Errorf("altered into %q, which the passage says", text)
	}
}
