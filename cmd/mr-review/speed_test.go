package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// large is n questions, on pages with as many sections in all.
func large(questions, sections int) (set string, pages map[string]string) {
	const perPage = 50
	words := strings.Fields("simulator device screen button password keyboard runner install permission dialog session emulator language pipeline index vector passage report interval judge label control question answer section")
	word := func(i int) string { return words[(i*7+i/len(words)*3)%len(words)] }
	pages = map[string]string{}
	for i := range sections {
		path := fmt.Sprintf("docs/page%03d.md", i/perPage)
		if i%perPage == 0 {
			pages[path] = fmt.Sprintf("# Page %d\n\n", i/perPage)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "## Section %d about the %s\n\n", i, word(i))
		for j := range 60 { // some 400 characters, as docs have
			fmt.Fprintf(&b, "%s ", word(i*11+j*j))
		}
		pages[path] += b.String() + fmt.Sprintf("and the number %d.\n\n```sh\nmr-x %s\n```\n\n", i, word(i))
	}
	var lines strings.Builder
	for i := range questions {
		s := i * 5 % sections
		fmt.Fprintf(&lines, `{"type":"golden","id":"q%04d","question":"What about the %s and the %s of number %d?","kind":"fact","gold":[["docs/page%03d.md#section-%d-about-the-%s"]],"key_facts":["the number %d"],"review":"draft"}`+"\n",
			i, word(s), word(s*11), s, s/perPage, s, word(s), s)
	}
	return lines.String(), pages
}

// stopwatch notes, for each key, the time from when it went down to when the
// page had changed, and to when the next frame was drawn.
const stopwatch = `window.times = []; window.changed = []; let down = 0;
addEventListener("keydown", (e) => { down = e.timeStamp; }, true);
new MutationObserver(() => {
  if (!down || document.getElementById("body").hasAttribute("aria-busy")) return;
  const from = down; down = 0;
  changed.push(performance.now() - from);
  requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - from)));
}).observe(document.getElementById("body"), {childList: true}); 1`

// BenchmarkPage is the golden page at 1,000 questions and 5,000 sections: when
// it is first painted, when the list and the first question stand there, and how
// long a key takes until the page has changed, and until that is drawn. Measured
// on two cores of an AMD EPYC, without a graphics card and beside other work.
func BenchmarkPage(b *testing.B) {
	browser := chromium(b)
	set, pages := large(1000, 4900) // and the 98 titles of the pages are sections too
	c := cut(b, pages)
	b.Logf("%d sections", len(c.Sections))
	for b.Loop() {
		_, url := goldenSite(b, c, set, "", "Ada")
		w := open(b, browser, url)
		w.until(`document.querySelectorAll("#items li").length === 1000`)
		list := eval[float64](w, "performance.now()")
		w.until(`document.querySelector("#body .need") && document.querySelector("#hits li")`)
		question := eval[float64](w, "performance.now()")
		paint := eval[float64](w, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
		eval[any](w, stopwatch)
		for _, key := range []struct {
			name, key string
			n         int
		}{{"next", "j", 50}, {"approve", "a", 30}} {
			eval[any](w, "times.length = changed.length = 0, 1")
			for n := range key.n {
				w.press(key.key)
				w.until("times.length === %d", n+1)
			}
			for _, until := range []string{"changed", "times"} {
				times := eval[[]float64](w, until)
				slices.Sort(times)
				name := key.name + "-" + strings.Replace(until, "times", "drawn", 1)
				b.ReportMetric(times[len(times)/2], name+"-median-ms")
				b.ReportMetric(times[len(times)-1], name+"-max-ms")
			}
		}
		b.ReportMetric(paint, "first-paint-ms")
		b.ReportMetric(list, "list-ms")
		b.ReportMetric(question, "question-ms")
		w.do(chromedp.Navigate("about:blank"))
	}
}
