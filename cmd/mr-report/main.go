// Mr-report makes a page of Markdown, with its plots as SVG beside it, of what
// was scored and estimated.
//
//	mr-report -o data/retrieval-report.md data/scores.jsonl data/intervals.jsonl
//
// In: the output of mr-score and mr-boot: score, control, interval, pair and
// timing records, and of judges also their verdicts. Golden records may come too, and say how far the set was reviewed;
// passage records are counted. The streams must be about one corpus; those of
// several halves of a golden set (mr-score -half) share the page, a part each.
// Intervals that are not of the scores that came with them are refused: each has
// the number and the mean of its scores.
//
// Out: the file that -o names, and plots named after it: report-recall.svg,
// report-differences.svg, report-gain.svg. Each is written whole or not at all.
//
// The page has, in this order: whether the gate passes, and else why not; what
// was measured; the controls; for each part its systems, floors, kinds of
// question, differences, plots, the questions missed and warnings; latency, where
// timing records came; and every run with its flags.
//
// Where the scores are of judges (mr-score agreement), the page has, after the
// controls of each judge with their intervals: the marks raw and corrected by
// people's labels, what is without a mark and why, repeats, judges with each
// other and with people, plots (report-faithfulness-controls.svg, -kappa.svg,
// -people.svg), and, from the verdicts, the claims rejected and the control items
// that came out wrong. Of a judge whose controls do not pass no figure is shown.
// When labels arrive, run mr-score agreement -labels and mr-boot on the verdicts
// again: no judge is asked anew.
//
// No figure is computed here. One whose controls did not pass, or are not in
// the streams, is not shown: the evidence stands in its place, behind the word
// broken, not established, untrusted or no value.
//
//	mr-report -title 'Judge report' -o data/judge-report.md data/verdicts.jsonl data/agreement.jsonl data/judge-intervals.jsonl
//
// Example:
//
//	$ printf '%s\n' '{"type":"control","metric":"recall@5","control":"oracle","expect":"1","got":"0.9","n":40,"ok":"no"}' \
//	  '{"type":"interval","metric":"recall@5","system":"bm25","n":40,"n_unscored":0,"n_error":0,"value":0.7,"level":0.95,"trusted":true}' > found.jsonl
//	$ mr-report -o report.md found.jsonl
//	$ grep -A1 gate report.md; grep '| bm25' report.md
//	**The gate does not pass**:
//
//	| bm25 | 40 | 0 | 0 | **broken**: oracle: expected 1, got 0.9 |
//
// Exit codes: 0 the page was made, whatever it says (the verdict is mr-boot's),
// 1 failed, and nothing was written, 2 misuse.
package main

import (
	"context"
	_ "embed"
	"path/filepath"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/report"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-report", source, run) }

func run(_ context.Context, t *tool.Tool) error {
	to := t.Flags.String("o", "", "`file` of the page; the plots are named after it")
	title := t.Flags.String("title", "Retrieval report", "`title` of the page")
	note := t.Flags.String("note", "", "`remark` under the title: what a reader must know of the set")
	system := t.Flags.String("system", "", "`name` of the system whose misses and gains are listed (default: the best)")
	if err := t.Parse(true); err != nil {
		return err
	}
	if filepath.Ext(*to) != ".md" {
		return tool.Misusef("expected -o FILE.md, got %q", *to)
	}
	in, err := t.Input()
	if err != nil {
		return err
	}
	results, err := report.Read(in)
	if err != nil {
		return err
	}
	r := &report.Report{Results: results, Title: *title, Note: *note, Name: filepath.Base(*to), System: record.SystemName(*system)}
	files, err := r.Files()
	if err != nil {
		return err
	}
	return report.Write(filepath.Dir(*to), files)
}
