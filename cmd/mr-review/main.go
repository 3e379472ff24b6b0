// Mr-review is where a person reviews golden questions and labels answers, on
// pages served on this machine alone, and where the rulings enter the golden set.
//
//	mr-review golden     review the questions of the golden set, and those proposed
//	mr-review labels     mark answers as faithful and relevant
//	mr-review guide      the rules of both (REVIEWING.md), as a page
//	mr-review apply      turn rulings into the golden set
//	mr-review coverage   which sections questions have as gold
//	mr-review draft      propose questions for sections that have none
//	mr-review repin      what moving the pin does to gold
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
// # mr-review apply
//
//	mr-review apply -n -corpus data/corpus.jsonl
//	mr-review apply -corpus data/corpus.jsonl
//
// In: the rulings and the files of golden records. Out: a unified diff on stdout
// before anything is written; then the files, each replaced as a whole. Lines that
// no ruling is about stay as they are, to the byte; members that are not known are
// kept. Proposed questions that enter are appended in the order of their ids. A
// ruling on a question that changed since is refused, and so is one whose gold
// -corpus does not have; the others are applied. Applying twice is applying once.
//
// # mr-review coverage
//
// Out: the sections of the corpus by the questions that have them as gold, the
// pages, and the kinds, as Markdown or with -json.
//
// # mr-review draft
//
//	mr-review draft                                   a list of sections to write for
//	mr-review draft -engine ollama:qwen2.5:14b -n 20  proposals in -proposed
//
// Sections with the fewest questions come first. A model is shown one section and
// drafts one question; a reply is taken if it is whole, its key facts are in the
// section, and no question asks nearly the same. Each proposal is saved at once,
// under an id that stays the same for the section. Nothing is ever overwritten,
// and nothing enters the golden set without a person.
//
// # mr-review repin
//
//	make repin PIN=COMMIT
//	mr-review repin -from data/corpus.jsonl -to data/corpus-next.jsonl
//
// In: the passages at two commits. Out: a report (Markdown): gold that vanished,
// moved (the same text under another id) or changed its text, proposed questions
// that became ready, sections that are new. What moved is proposed as an edit, in
// the file that -next-pin names. With -reopen, reviewed questions whose gold
// changed or vanished are drafts again. The diff is in the report, and -n writes
// nothing.
//
// # Exit codes
//
// 0 done, or ended by the interrupt key; 1 failed; 2 misuse; 3 apply refused
// rulings (the others are applied).
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
	switch cmd, err := t.Command("golden", "labels", "guide", "apply", "coverage", "draft", "repin"); cmd {
	case "golden":
		return golden(ctx, t)
	case "labels":
		return labels(ctx, t)
	case "guide":
		return guide(ctx, t)
	case "apply":
		return apply(ctx, t)
	case "coverage":
		return coverage(ctx, t)
	case "draft":
		return draft(ctx, t)
	case "repin":
		return repin(ctx, t)
	default:
		return err
	}
}
