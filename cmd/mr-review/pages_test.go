package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
)

// TestPages drives the pages in a real browser, one for all.
func TestPages(t *testing.T) {
	browser := chromium(t)
	for _, tt := range []struct {
		name string
		test func(*testing.T, context.Context)
	}{
		{"review", reviewQuestions}, {"label", labelAnswers}, {"two windows", twoWindows}, {"name", askName},
		{"draft", keepDraft}, {"note", noteUndecided}, {"again", ruleAgain}, {"access", access}, {"coverage and guide", otherPages}, {"watch", watch},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, browser) })
	}
}

// reviewQuestions rules on questions by keyboard, reloads, goes on by mouse, and
// applies: the files are right to the byte.
func reviewQuestions(t *testing.T, browser context.Context) {
	dir, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q2, q3, q4), lines(p1), "Ada")
	w := open(t, browser, url)

	w.sees("h1", "How long does it boot?")
	w.sees("#body", "Press the power key for 3 seconds")
	w.sees("#count", "0 of 5 decided")
	w.press("a")

	// The second question has the section that would run something.
	w.sees("h1", "What is a trap?")
	w.sees("#body", `<script>document.title = "pwned"`)
	w.until(`document.querySelectorAll("main script, main img, main svg, main [onerror], main [onload], main a").length === 0`)
	if title := eval[string](w, "document.title"); strings.Contains(title, "pwned") {
		t.Error("a text of the docs ran")
	}
	w.press("e")
	w.write("What is a trap, and what starts it?")
	w.press("Ctrl+k")
	w.write("power key")
	w.press("\r")
	w.until(`document.activeElement.closest("#results li")?.dataset.section === "manual.md#boot"`)
	w.press("1")
	w.sees("#f-needs", "manual.md#boot")
	w.press("Ctrl+\r")
	w.sees("h1", "How is it stopped")
	w.sees("#saved", "Saved: q2, edit")

	w.do(chromedp.Reload())
	w.sees("h1", "How is it stopped")
	w.sees("#count", "2 of 5 decided")
	w.sees(`#items [data-id="q2"]`, "What is a trap?")
	w.sees(`#items [data-id="q2"]`, "edited by Ada")

	w.click("#note")
	w.write("stop is clear")
	w.click("#approve")
	w.sees("h1", "Who made it?")
	w.click(`#items [data-id="p1"]`)
	w.sees("h1", "Does stopping save?")
	w.sees("#approve", "Enter")
	w.click("#approve")
	w.sees("#count", "4 of 5 decided")
	w.sees("h1", "Who made it?")
	w.press("d")
	w.sees("#count", "5 of 5 decided")
	w.press("u")
	w.sees("#saved", "Taken back: q4")
	w.sees("#count", "4 of 5 decided")

	const at, reviewed = `"by":"Ada","at":"2026-12-01T12:00:00Z"`, `"review":"Ada, 2026-12-01"`
	after1 := strings.Replace(q1, `"review":"draft"`, reviewed, 1)
	edit2 := `{"type":"golden","id":"q2","question":"What is a trap, and what starts it?","kind":"fact","gold":[["manual.md#evil","manual.md#boot"]]}`
	after2 := strings.TrimSuffix(edit2, "}") + `,` + reviewed + `,"since":2.50}`
	after3 := strings.Replace(q3, `"review":"draft"`, reviewed, 1)
	afterP := strings.Replace(p1, `"review":"draft"`, reviewed, 1)
	want := lines(`{"decisions":[`,
		fmt.Sprintf(`{"question":"p1","action":"enter","base":%q,"result":%q,%s,"seq":5},`, hash(p1), hash(afterP), at),
		fmt.Sprintf(`{"question":"q1","action":"approve","base":%q,"result":%q,%s,"seq":1},`, hash(q1), hash(after1), at),
		fmt.Sprintf(`{"question":"q2","action":"edit","base":%q,"result":%q,"golden":%s,%s,"seq":2},`, hash(q2), hash(after2), edit2, at),
		fmt.Sprintf(`{"question":"q3","action":"approve","base":%q,"result":%q,"note":"stop is clear",%s,"seq":4}`, hash(q3), hash(after3), at),
		`]}`)
	if d := cmp.Diff(want, contents(t, dir, "review", "decisions.json")); d != "" {
		t.Errorf("decisions.json (-want +got):\n%s", d)
	}
	if n := strings.Count(contents(t, dir, "review", "history.jsonl"), "\n"); n != 7 {
		t.Errorf("%d changes in the history, want 7: four stand, a note before one, a drop and its withdrawal", n)
	}

	args := []string{"apply", "-golden", filepath.Join(dir, "golden.jsonl"), "-proposed", filepath.Join(dir, "proposed.jsonl"), "-next-pin", filepath.Join(dir, "next.jsonl"), "-decisions", filepath.Join(dir, "review", "decisions.json")}
	if code, _, errs := command(t, args...); code != 0 {
		t.Fatalf("apply: exit %d: %s", code, errs)
	}
	if d := cmp.Diff(lines(after1, after2, after3, q4, afterP), contents(t, dir, "golden.jsonl")); d != "" {
		t.Errorf("golden.jsonl (-want +got):\n%s", d)
	}
	if d := cmp.Diff("", contents(t, dir, "proposed.jsonl")); d != "" {
		t.Errorf("proposed.jsonl (-want +got):\n%s", d)
	}
	// The page that is still open sees it.
	w.sees(`#items [data-id="p1"]`, "entered by Ada")
	w.sees("#count", "4 of 5 decided")
}

// labelAnswers labels one answer by keyboard and one by mouse, with a reload in between.
func labelAnswers(t *testing.T, browser context.Context) {
	answers, verdict := answered()
	path := filepath.Join(t.TempDir(), "labels.json")
	w := open(t, browser, labelsSite(t, path, answers, verdict))

	w.sees("h1", "Question 1?")
	w.press("1")
	w.sees("#faithful [aria-pressed=true]", "Yes")
	w.press("5")
	w.sees("#relevant [aria-pressed=true]", "No")
	w.press("n")
	w.write("half an answer")
	w.press("Ctrl+\r")
	w.until(`document.activeElement.id !== "note"`)
	w.sees("#saved", "Saved: q1")
	w.sees("#count", "1 of 2 labelled")

	w.do(chromedp.Reload())
	w.sees("h1", "Question 1?")
	w.sees("#faithful [aria-pressed=true]", "Yes")
	if note := eval[string](w, "document.getElementById('note').value"); note != "half an answer" {
		t.Errorf("after the reload the note is %q", note)
	}

	w.click(`#items [data-place="1"]`)
	w.sees("h1", "Question 2?")
	w.until(`document.querySelectorAll("main script, main a").length === 0`)
	if text := eval[string](w, "document.documentElement.outerHTML"); strings.Contains(text, "a claim that the judge read") {
		t.Error("the page holds a reading that nobody opened")
	}
	w.click("#relevant-4")
	w.sees("#relevant [aria-pressed=true]", "Yes")
	w.click("#faithful-3")
	w.sees("#faithful [aria-pressed=true]", "Can't tell")
	w.click("#readings button")
	w.sees("#readings", "a claim that the judge read")
	w.sees(`#items [data-place="1"]`, "readings opened")
	w.press("2") // and a mark after it was read
	w.sees("#faithful [aria-pressed=true]", "No")

	want := lines(`{"labels":[`,
		fmt.Sprintf(`{"question":"q1","system":"s","answer":%q,"rater":"Ada","faithful":"yes","relevant":"no","note":"half an answer","weight":1.5,"at":"2026-12-01T12:00:00Z","seq":3},`, answers[0].Digest()),
		fmt.Sprintf(`{"question":"q2","system":"s","answer":%q,"rater":"Ada","faithful":"no","relevant":"yes","opened":["ollama:m"],"weight":0.5,"at":"2026-12-01T12:00:00Z","seq":7}`, answers[1].Digest()),
		`]}`)
	if d := cmp.Diff(want, contents(t, path)); d != "" {
		t.Errorf("labels.json (-want +got):\n%s", d)
	}

	blind := open(t, browser, labelsSite(t, path, answers, nil))
	blind.sees("h1", "Question 1?")
	blind.press("j")
	blind.sees("h1", "Question 2?")
	blind.sees("#blind", "no judge's readings")
	blind.until(`!document.getElementById("readings")`)
}

// twoWindows rules in two windows at once: each sees the other's rulings, and
// none replaces one it has not seen.
func twoWindows(t *testing.T, browser context.Context) {
	dir, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q2, q3, q4), "", "Ada")
	one, two := open(t, browser, url), open(t, browser, url)
	for _, w := range []*window{one, two} {
		w.sees("h1", "How long does it boot?")
		w.sees("#body", "power key")
	}
	one.press("a")
	one.sees("#saved", "Saved: q1, approve")
	two.sees("#ruling", "Approved by Ada")
	two.press("j")
	two.sees("#body", "trap")
	two.press("a")
	one.sees(`#items [data-id="q2"]`, "approved by Ada")

	// A window that hears nothing is told when it rules over what it has not seen.
	two.sees("h1", "How is it stopped")
	two.sees("#body", "saves first")
	eval[any](two, `window.really = window.fetch; window.fetch = (p, ...rest) => p.startsWith("/api/golden?") ? Promise.resolve(new Response(null, {status: 204})) : window.really(p, ...rest); 1`)
	one.click(`#items [data-id="q3"]`)
	one.sees("h1", "How is it stopped")
	one.sees("#body", "saves first")
	one.press("d")
	one.sees("#saved", "Saved: q3, drop")
	two.press("a")
	two.sees("#saved", `Ada ruled on question "q3" meanwhile: drop`)
	two.sees("#ruling", "Dropped by Ada")
	if got := contents(t, dir, "review", "decisions.json"); !strings.Contains(got, `"question":"q3","action":"drop"`) {
		t.Errorf("a ruling that was not seen was replaced:\n%s", got)
	}
	two.press("a") // it has been seen now
	two.sees("#saved", "Saved: q3, approve")
	one.sees(`#items [data-id="q3"]`, "approved by Ada")

	// Another program on the same file.
	store := review.Store{Path: filepath.Join(dir, "review", "decisions.json")}
	g := &record.Golden{ID: "q4", Question: "Who made it?", AskedFor: record.Unanswerable, Gold: []record.Need{}, Review: "draft"}
	d, err := review.Rule(g, review.Decision{Question: "q4", Action: review.Approve, By: "Ben", At: "2026-12-01T12:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put(d, 0); err != nil {
		t.Fatal(err)
	}
	one.sees(`#items [data-id="q4"]`, "approved by Ben")
	one.sees("#count", "4 of 4 decided")
}

// askName: who reviews is asked for once, and not again in a second window.
func askName(t *testing.T, browser context.Context) {
	dir, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q4), "", "")
	w := open(t, browser, url)
	w.until(`document.activeElement.id === "name"`)
	w.write("Grace Hopper")
	w.press("\r")
	w.sees("#who", "Grace Hopper")
	w.press("a")
	w.sees("#saved", "Saved: q1, approve")
	if got := contents(t, dir, "review", "decisions.json"); !strings.Contains(got, `"by":"Grace Hopper"`) {
		t.Errorf("the ruling is %s", got)
	}
	second := open(t, browser, url)
	second.sees("#who", "Grace Hopper")
	second.until(`!document.querySelector("dialog")`)
}

// keepDraft: an edit that is not saved outlives a reload and another question,
// and is thrown away only when asked.
func keepDraft(t *testing.T, browser context.Context) {
	dir, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q4), "", "Ada")
	w := open(t, browser, url)
	w.sees("#body", "power key")
	w.press("e")
	w.write("Half a thought")
	w.do(chromedp.Reload())
	w.until(`document.getElementById("f-question")?.value === "Half a thought"`)
	w.click(`#items [data-id="q4"]`)
	w.sees("h1", "Who made it?")
	w.click(`#items [data-id="q1"]`)
	w.until(`document.getElementById("f-question")?.value === "Half a thought"`)
	w.click("#cancel")
	w.click("#away")
	w.sees("h1", "How long does it boot?")
	w.press("e")
	w.until(`document.getElementById("f-question")?.value === "How long does it boot?"`)
	w.press("\x1b") // nothing was typed: nothing to ask
	w.sees("h1", "How long does it boot?")
	if _, err := (review.Store{Path: filepath.Join(dir, "review", "decisions.json")}).Load(); err != nil {
		t.Error(err)
	}
}

// noteUndecided: a note on a question that nobody rules on is on disk, and the
// question stays undecided; another window shows it, and a ruling takes it along.
func noteUndecided(t *testing.T, browser context.Context) {
	dir, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q4), "", "Ada")
	w := open(t, browser, url)
	decisions := func() string { return contents(t, dir, "review", "decisions.json") }
	w.sees("#body", "power key")
	w.press("n")
	w.write("ask Ann")
	w.press("Ctrl+\r")
	w.sees("#saved", "Saved: q1, remark")
	w.sees("#count", "0 of 2 decided")
	if got := decisions(); !strings.Contains(got, `"action":"remark"`) || !strings.Contains(got, `"note":"ask Ann"`) {
		t.Errorf("the file holds %s", got)
	}
	other := open(t, browser, url)
	other.sees("#remark", "A note by Ada")
	other.until(`document.getElementById("note").value === "ask Ann"`)
	other.press("a")
	other.sees("#count", "1 of 2 decided")
	if got := decisions(); !strings.Contains(got, `"action":"approve"`) || !strings.Contains(got, `"note":"ask Ann"`) {
		t.Errorf("after the ruling the file holds %s", got)
	}
}

// ruleAgain: what is approved is what is shown, an edit where there is one, and
// a note that was just written goes with it.
func ruleAgain(t *testing.T, browser context.Context) {
	found := strings.Replace(q3, `"review":"draft"`, `"found":"two names","review":"draft"`, 1)
	dir, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, found, q4), "", "Ada")
	w := open(t, browser, url)
	rulings := func() string { return contents(t, dir, "review", "decisions.json") }
	w.sees("#body", "power key")
	w.press("e")
	w.write("How long?")
	w.press("Ctrl+\r")
	w.sees("h1", "How is it stopped")
	w.sees("#body", "saves first")

	w.click(`#items [data-id="q1"]`)
	w.sees("h1", "How long?")
	w.sees("#ruling", "Edited by Ada")
	w.click("#note")
	w.write("short is good")
	w.click("#approve") // the note is saved on the way
	w.sees("#saved", "Saved: q1, edit")
	w.sees("h1", "How is it stopped")
	if got := rulings(); !strings.Contains(got, `"question":"How long?"`) || !strings.Contains(got, `"note":"short is good"`) {
		t.Errorf("the edit or the note is gone:\n%s", got)
	}

	// A key that is hit twice is meant once; a defect that is taken out is an edit.
	w.click("#found-in-docs")
	eval[any](w, `document.activeElement.select(), 1`)
	w.press("\b")
	w.press("Ctrl+\r")
	w.until(`document.activeElement.id !== "found-in-docs"`)
	eval[any](w, `for (const i of [1, 2]) document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: true})); 1`)
	w.sees("#saved", "Saved: q3, edit")
	w.sees("h1", "Who made it?")
	if got := rulings(); strings.Contains(got, "two names") || strings.Contains(got, `"question":"q4"`) {
		t.Errorf("the defect is still there, or the next question was ruled on unseen:\n%s", got)
	}
	w.press("u")
	w.sees("#saved", "Taken back: q3")
	w.sees("h1", "How is it stopped")
	w.press("u")
	w.sees("h1", "How long?")
	w.press("u")
	w.sees("#saved", "Saved: q1, edit")
	w.press("u")
	w.sees("#saved", "Taken back: q1")
	w.sees("h1", "How long does it boot?")
	if got := rulings(); got != `{"decisions":[]}`+"\n" {
		t.Errorf("after all was undone the file holds %s", got)
	}
}

func otherPages(t *testing.T, browser context.Context) {
	_, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q2, q3, q4), lines(p1), "Ada")
	w := open(t, browser, url)
	w.sees("#body", "power key")
	w.click(`nav[aria-label=Pages] a[href^="/coverage"]`)
	w.sees("#cover", "3 / 4")
	w.sees("#cover", "unanswerable, 0 reviewed")
	w.click(`nav[aria-label=Pages] a[href^="/guide"]`)
	w.sees("main", "What to look at")
	w.click(`nav[aria-label=Pages] a[href^="/#"]`)
	w.sees("#body", "power key")

	guide := open(t, browser, served(t, reviewweb.Guide()))
	guide.sees("main", "What to look at")
}

// watch: what the other tests would fail for is seen.
func watch(t *testing.T, browser context.Context) {
	_, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1), "", "Ada")
	w := open(t, browser, url)
	w.sees("#body", "power key")
	eval[any](w, `fetch("https://evil.example/x").catch(() => 0), setTimeout(() => { throw new Error("planted") }), document.body.append(Object.assign(document.createElement("script"), {textContent: "document.title = 'pwned'"})), 1`)
	w.until("document.readyState === 'complete'")
	for _, want := range []string{"evil.example", "planted", "script-src"} {
		for deadline := 0; !w.saw(want); deadline++ {
			if deadline > 3000 {
				t.Fatalf("%q was not seen, only %q", want, w.wrong)
			}
			eval[int](w, "1") // events come before the answer
		}
	}
	if title := eval[string](w, "document.title"); strings.Contains(title, "pwned") {
		t.Error("the policy lets a script of the page's text run")
	}
	w.mu.Lock()
	w.wrong = nil
	w.mu.Unlock()
}

func (w *window) saw(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(strings.Join(w.wrong, "\n"), text)
}
