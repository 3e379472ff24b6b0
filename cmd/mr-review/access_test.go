package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// faults lists, in the page as it is shown: text whose contrast is below WCAG's
// AA (4.5, or 3 where it is large), fields without a label, buttons without a
// name, and whether the page is wider than the window.
const faults = `(() => {
  const bad = [];
  const rgba = (s) => { const n = s.match(/[\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
  const over = (f, b) => [0, 1, 2].map((i) => f[i] * f[3] + b[i] * (1 - f[3])).concat(1);
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = (e) => { const own = e ? rgba(getComputedStyle(e).backgroundColor) : [255, 255, 255, 1]; return own[3] === 1 ? own : over(own, back(e.parentElement)); };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || e.closest(":disabled, .vh, .skip, [hidden], noscript, option") || !e.checkVisibility()) continue;
    const s = getComputedStyle(e), b = back(e), f = over(rgba(s.color), b);
    const [hi, lo] = [light(f), light(b)].sort((x, y) => y - x), ratio = (hi + 0.05) / (lo + 0.05);
    const size = parseFloat(s.fontSize), large = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) bad.push("contrast " + ratio.toFixed(2) + " of " + JSON.stringify(n.data.trim().slice(0, 30)) + " in " + e.tagName + "." + e.className);
  }
  for (const f of document.querySelectorAll("input, textarea, select")) if (!f.labels?.length && !f.getAttribute("aria-label") && !f.closest(".md")) bad.push("no label: " + f.id);
  for (const b of document.querySelectorAll("button")) if (!(b.getAttribute("aria-label") || b.textContent.trim())) bad.push("no name: " + b.outerHTML);
  if (document.documentElement.scrollWidth > innerWidth) bad.push("wider than the window: " + document.documentElement.scrollWidth);
  return bad;
})()`

// state is how a page comes to show something, and when it does.
type state struct{ name, js, ready string }

// look looks for faults in light and dark, wide and on a phone.
func look(w *window, states []state) {
	w.Helper()
	for _, scheme := range []string{"light", "dark"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, media); err != nil {
			w.Fatal(err)
		}
		for _, width := range []int64{390, 1000, 1400} {
			w.do(chromedp.EmulateViewport(width, 844))
			for _, state := range states {
				eval[any](w, state.js+", 1")
				w.until("%s", state.ready)
				for _, fault := range eval[[]string](w, faults) {
					w.Errorf("%s, %s, %d px: %s", state.name, scheme, width, fault)
				}
			}
		}
	}
}

// access looks at both pages in light and dark, wide and on a phone.
func access(t *testing.T, browser context.Context) {
	_, url := goldenSite(t, cut(t, map[string]string{"manual.md": manual}), lines(q1, q2, q3, q4), lines(p1), "Ada")
	w := open(t, browser, url)
	w.sees("#body", "power key")
	look(w, []state{
		{"question", `document.querySelector("#items [data-id=q2]").click()`, `document.querySelector("#body h1")?.innerText === "What is a trap?"`},
		{"edit", `document.getElementById("edit").click()`, `document.querySelector("#f-checks section")`},
		{"help", `document.getElementById("cancel").click(), document.getElementById("help").click()`, `document.querySelector("dialog dl")`},
		{"ruled", `document.querySelector("dialog button").click(), document.querySelector("#items [data-id=q4]").click()`, `document.querySelector("#body h1")?.innerText === "Who made it?"`},
	})
	answers, verdict := answered()
	labels := open(t, browser, labelsSite(t, filepath.Join(t.TempDir(), "labels.json"), answers, verdict))
	labels.sees("h1", "Question 1?")
	labels.press("1", "4")
	labels.sees("#count", "1 of 2 labelled")
	look(labels, []state{
		{"labelled", `document.querySelector('#items [data-place="0"]').click()`, `document.querySelector("#faithful [aria-pressed=true]")`},
		{"to label", `document.querySelector('#items [data-place="1"]').click()`, `document.querySelector("#readings")`},
		{"readings", `document.querySelector("#readings button").click()`, `document.querySelector("#readings .card")`},
	})

	// The keyboard's focus is seen wherever it goes.
	w.do(chromedp.EmulateViewport(1400, 900))
	eval[any](w, `document.getElementById("skip").focus(), 1`)
	for range 12 {
		w.press("\t")
		if got := eval[string](w, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle === "none" || s.outlineWidth === "0px" ? document.activeElement.outerHTML.slice(0, 200) : ""; })()`); got != "" {
			t.Errorf("the focus is not seen on %s", got)
		}
	}
	if got := eval[string](w, `document.getElementById("saved").getAttribute("aria-live")`); got != "polite" {
		t.Errorf("saves are announced %q", got)
	}

	// The check itself: bad colours, a field without a label and a wide block are seen.
	eval[any](w, `document.body.insertAdjacentHTML("beforeend", "<p id=planted class=muted>faint</p><input id=bare><div id=wide>x</div>"), planted.style.color = "#999", planted.style.background = "#fff", wide.style.width = "3000px", 1`)
	if got := eval[[]string](w, faults); len(got) != 3 {
		t.Errorf("three faults were planted, seen: %q", got)
	}
}
