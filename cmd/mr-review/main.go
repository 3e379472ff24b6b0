// Mr-review is where a person reviews golden questions and labels answers, on
// pages served on this machine alone, and where the rulings enter the golden set.
//
//	mr-review golden     review the questions of the golden set, and those proposed
//	mr-review labels     mark answers as faithful and relevant
//	mr-review guide      the rules of both (REVIEWING.md), as a page
//
// The pages are in the program and load nothing from elsewhere. They listen on
// 127.0.0.1 alone and answer to the address that is printed, which has a token.
// It is opened in a browser unless -no-open is given. Each ruling and mark is on
// disk when the page says so. The interrupt key ends the program.
//
// # mr-review golden
//
//	mr-review golden -hits data/reranked.jsonl
//
// In: the golden set; questions that are proposed, if there are any; the passages
// of the corpus at the pin. With -hits, what a system brings for the questions;
// without, the words of each question are searched (BM25).
//
// Out: one ruling a question in the file that -decisions names, and every ruling
// there was in history.jsonl beside it. The golden set stays as it is until
// mr-review apply. Several may review at once, in several windows or runs of the
// program: a ruling that would replace one its maker has not seen is refused.
//
// # mr-review labels
//
//	mr-review labels -verdicts data/verdicts.jsonl data/answers.jsonl
//
// In: answer records, from the files named after the flags, data/answers.jsonl
// where none is. With -verdicts, the readings of judges, which stay folded: that
// one was opened is on disk before it is shown. With -blind there are none.
//
// -n answers are drawn by -seed. -oversample doubtful draws half of them from
// those that judges do not settle or that were nearly refused, and keeps the
// weights, so that mr-score agreement can undo it.
//
// Out: one label for each answer and rater in the file that -labels names. Labels
// of answers that have changed since are counted, and never used.
//
// # Exit codes
//
// 0 ended by the interrupt key, 1 failed, 2 misuse.
package main

import (
	"context"
	_ "embed"

	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-review", source, run) }

func run(ctx context.Context, t *tool.Tool) error {
	switch cmd, err := t.Command("golden", "labels", "guide"); cmd {
	case "golden":
		return golden(ctx, t)
	case "labels":
		return labels(ctx, t)
	case "guide":
		return guide(ctx, t)
	default:
		return err
	}
}
