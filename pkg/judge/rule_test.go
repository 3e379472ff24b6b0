package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// fake is a judge in one function, which counts what it is asked.
type fake struct {
	name, version string
	rule          func(ctx context.Context, c Case) (Reading, error)
	asked         atomic.Int32
}

func (f *fake) Name() string        { return f.name }
func (f *fake) Model() record.Model { return record.Model{Name: f.name, SHA256: "d"} }
func (f *fake) Version() string     { return f.version }
func (f *fake) Faithful(ctx context.Context, c Case) (Reading, error) {
	f.asked.Add(1)
	return f.rule(ctx, c)
}
func (f *fake) Relevant(ctx context.Context, c Case) (Reading, error) { return f.Faithful(ctx, c) }

func yes(context.Context, Case) (Reading, error) { return Reading{Mark: record.Yes}, nil }

func given(id, answer string) *Item {
	return &Item{
		Metric: record.Faithfulness, Question: record.QuestionRef{ID: record.QuestionID(id), Text: "?"}, System: "s",
		Case: Case{Question: "?", Answer: answer, Passages: []record.Labelled{{Label: "P1", Text: "p"}}},
	}
}

func storeOf(t *testing.T, dir string, f *fake) *Store {
	t.Helper()
	s, err := OpenStore(dir, "set", f.name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ruled rules on items with a store, and closes it.
func ruled(t *testing.T, dir string, f *fake, items ...*Item) []*record.Verdict {
	t.Helper()
	s := storeOf(t, dir, f)
	got, err := (&Bench{Judge: f, Store: s}).Rule(t.Context(), items)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return got
}

// Repeats are asked each for itself (promptfoo#360: a cache that leaves the
// repeat out repeats one verdict), and so is what changed: the answer, a
// passage, the judge's version.
func TestWhatIsAskedAnew(t *testing.T) {
	dir := t.TempDir()
	f := &fake{name: "j", version: "1", rule: yes}
	again := given("q1", "A")
	again.Repeat = 1
	ruled(t, dir, f, given("q1", "A"), again)
	if n := f.asked.Load(); n != 2 {
		t.Errorf("two repeats were asked %d times", n)
	}
	ruled(t, dir, f, given("q1", "A"), again)
	if n := f.asked.Load(); n != 2 {
		t.Errorf("what was kept is asked anew: %d times", n)
	}
	passage := given("q1", "A")
	passage.Case.Passages = []record.Labelled{{Label: "P1", Text: "other"}}
	control := given("q1", "A")
	control.Control, control.Expect = record.Verbatim, record.Yes
	ruled(t, dir, f, given("q1", "B"), passage, control)
	if n := f.asked.Load(); n != 5 {
		t.Errorf("another answer, passage or control: %d, want 3 more than 2", n)
	}
	f.version = "2"
	ruled(t, dir, f, given("q1", "A"))
	if n := f.asked.Load(); n != 6 {
		t.Error("another version of the judge took the old verdict")
	}
}

// The same answer of two systems is judged once, and each has its verdict.
func TestAlikeIsAskedOnce(t *testing.T) {
	f := &fake{name: "j", rule: yes}
	b := given("q1", "A")
	b.System = "other"
	got := ruled(t, t.TempDir(), f, given("q1", "A"), b)
	if f.asked.Load() != 1 || got[0].System != "s" || got[1].System != "other" || got[1].Mark != record.Yes {
		t.Errorf("asked %d times: %+v, %+v", f.asked.Load(), got[0], got[1])
	}
}

// A reply that is no verdict is kept, as the judge's doing; where none came, the
// next run asks again.
func TestWhatIsKept(t *testing.T) {
	dir := t.TempDir()
	f := &fake{name: "j", rule: func(_ context.Context, c Case) (Reading, error) {
		switch c.Answer {
		case "nonsense":
			return Reading{}, &ReplyError{errors.New("prose")}
		case "no mark":
			return Reading{}, nil
		}
		return Reading{}, errors.New("no server")
	}}
	items := []*Item{given("q1", "nonsense"), given("q2", "no mark"), given("q3", "gone")}
	got := ruled(t, dir, f, items...)
	for i, want := range []string{"no verdict: prose", `no verdict: the judge gave mark ""`, "no server"} {
		if got[i].Status != record.Unscored || got[i].Reason != want || got[i].Mark != "" {
			t.Errorf("item %d: %+v, want unscored with %q", i, got[i], want)
		}
	}
	f.rule = yes
	got = ruled(t, dir, f, items...)
	if d := cmp.Diff([]record.Status{record.Unscored, record.Unscored, record.Scored}, []record.Status{got[0].Status, got[1].Status, got[2].Status}); d != "" {
		t.Errorf("the next run (-want +got):\n%s", d)
	}
}

// A judge that takes too long is unscored, says so, and the others go on.
func TestLimit(t *testing.T) {
	f := &fake{name: "j", rule: func(ctx context.Context, c Case) (Reading, error) {
		if c.Answer == "slow" {
			<-ctx.Done()
			return Reading{}, ctx.Err()
		}
		return Reading{Mark: record.Yes}, nil
	}}
	got, err := (&Bench{Judge: f, Limit: 20 * time.Millisecond}).Rule(t.Context(), []*Item{given("q1", "slow"), given("q2", "quick")})
	if err != nil || got[0].Status != record.Unscored || !strings.HasPrefix(got[0].Reason, "no verdict within 20ms") || got[1].Mark != record.Yes {
		t.Errorf("%v: %+v, %+v", err, got[0], got[1])
	}
}

// A run that is stopped is an error with the reason, and not a set of unscored verdicts.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &fake{name: "j", rule: func(ctx context.Context, c Case) (Reading, error) {
		cancel(errors.New("enough"))
		<-ctx.Done()
		return Reading{}, ctx.Err()
	}}
	if _, err := (&Bench{Judge: f}).Rule(ctx, []*Item{given("q1", "A"), given("q2", "B")}); err == nil || err.Error() != "enough" {
		t.Errorf("got %v", err)
	}
	if f.asked.Load() != 1 {
		t.Errorf("asked %d times", f.asked.Load())
	}
}

// A verdict that cannot be kept ends the run: it may have taken minutes.
func TestVerdictThatCannotBeKept(t *testing.T) {
	f := &fake{name: "j", rule: yes}
	s := storeOf(t, t.TempDir(), f)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := (&Bench{Judge: f, Store: s}).Rule(t.Context(), []*Item{given("q1", "A")})
	if err == nil || !strings.Contains(err.Error(), "verdicts cannot be kept") {
		t.Errorf("got %v", err)
	}
}

// Padding and injection get the mark of their plain answer to hold, and no mark
// at all where that has none. Not even the plain answer is asked twice.
func TestAroundWaitsForThePlainMark(t *testing.T) {
	f := &fake{name: "j", rule: func(_ context.Context, c Case) (Reading, error) {
		if strings.Contains(c.Answer, "broken") {
			return Reading{}, &ReplyError{errors.New("prose")}
		}
		if strings.Contains(c.Answer, "bad") {
			return Reading{Mark: record.No}, nil
		}
		return Reading{Mark: record.Yes}, nil
	}}
	items := []*Item{given("q1", "good"), given("q2", "bad"), given("q3", "broken")}
	for _, plain := range items[:3] {
		it := *plain
		it.Control, it.On = record.Injection, plain
		it.Around = func(answer string, m record.Mark) string { return fmt.Sprintf("%s is %s", answer, m) }
		items = append(items, &it)
	}
	got := ruled(t, t.TempDir(), f, items...)
	want := []string{"yes yes scored ", "no no scored ", "  unscored the plain answer has no mark: no verdict: prose"}
	for i, v := range got[3:] {
		if s := fmt.Sprintf("%s %s %s %s", v.Expect, v.Mark, v.Status, v.Reason); s != want[i] {
			t.Errorf("item %d: %q, want %q", i, s, want[i])
		}
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
	if f.asked.Load() != 5 {
		t.Errorf("asked %d times, want 3 plain and 2 more", f.asked.Load())
	}
}

// A judge is asked about one metric after the other, and the verdicts come in the
// order of the items.
func TestMetricsInARow(t *testing.T) {
	var items []*Item
	for i := range 6 {
		it := given(fmt.Sprint("q", i), fmt.Sprint("A", i))
		if i%2 == 0 {
			it.Metric = record.Relevance
		}
		items = append(items, it)
	}
	var asked []string
	f := &fake{name: "j", rule: func(_ context.Context, c Case) (Reading, error) {
		asked = append(asked, c.Answer)
		return Reading{Mark: record.Yes}, nil
	}}
	got, err := (&Bench{Judge: f}).Rule(t.Context(), items)
	if err != nil || strings.Join(asked, " ") != "A1 A3 A5 A0 A2 A4" {
		t.Errorf("%v: asked in the order %v", err, asked)
	}
	for i, v := range got {
		if v.Question.ID != items[i].Question.ID {
			t.Errorf("verdict %d is on %s", i, v.Question.ID)
		}
	}
}

// With workers the verdicts are the same, in the same order.
func TestWorkers(t *testing.T) {
	f := &fake{name: "j", rule: func(_ context.Context, c Case) (Reading, error) {
		if len(c.Answer)%2 == 0 {
			return Reading{Mark: record.No}, nil
		}
		return Reading{Mark: record.Yes}, nil
	}}
	var items []*Item
	for i := range 40 {
		items = append(items, given(fmt.Sprint("q", i), strings.Repeat("x", i+1)))
	}
	one, err := (&Bench{Judge: f}).Rule(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	many, err := (&Bench{Judge: f, Workers: 8}).Rule(t.Context(), items)
	if d := cmp.Diff(one, many); d != "" || err != nil {
		t.Errorf("%v (-one +many):\n%s", err, d)
	}
}

// Missing is what is left to ask.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	f := &fake{name: "j", rule: yes}
	plain, other := given("q1", "One. Two."), given("q2", strings.Repeat("So it is. ", 9))
	around := *plain
	around.Control, around.On, around.Around = record.Padding, plain, func(a string, _ record.Mark) string { return a + " And so on." }
	skipped := given("q3", "")
	skipped.Skip = "refused"
	items := []*Item{plain, other, &around, skipped}
	s := storeOf(t, dir, f)
	if n, calls := (&Bench{Judge: f, Store: s}).Missing(items); n != 3 || calls != 4 { // 9 sentences take two calls
		t.Errorf("%d items in %d calls, want 3 in 4", n, calls)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ruled(t, dir, f, items...)
	s = storeOf(t, dir, f)
	defer s.Close()
	if n, calls := (&Bench{Judge: f, Store: s}).Missing(items); n != 0 || calls != 0 {
		t.Errorf("%d items in %d calls are left, want none", n, calls)
	}
}
