// Package report makes one Markdown page, with its plots beside it, of what
// mr-score and mr-boot found.
//
// Invariants:
//   - No figure is computed here: a mean, a difference and their intervals are
//     those of interval records, or they are not shown. What is counted here is
//     questions: missed, won, lost.
//   - No figure without its controls: an interval is shown only if it is trusted
//     and the controls of its metric are in the streams too, and passed. Else the
//     evidence stands in its place, behind one word: broken, a control failed;
//     not established, one could not decide; untrusted, none was seen, or mr-boot
//     says so; no value, there is none.
//   - What is absent is said to be absent, and never printed as 0.
//   - The same streams give the same bytes: no date, no path of this machine.
//   - Text of questions and names is escaped: it cannot become Markdown or HTML.
//   - Page and plots are written whole or not at all.
//
// Streams about several halves of a golden set share a page, a part each. The
// streams must be about one corpus, and intervals about the scores that are there.
package report
