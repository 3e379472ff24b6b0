// Mr-score scores what the other tools found against what is known to be right,
// and runs the controls of every metric it uses.
//
//	mr-score retrieval -golden data/golden.jsonl -corpus data/corpus.jsonl hits.jsonl reranked.jsonl > scores.jsonl
//	mr-score answers   -golden data/golden.jsonl -corpus data/corpus.jsonl answers.jsonl > scores.jsonl
//	mr-score agreement -labels review/labels.json verdicts.jsonl > agreement.jsonl
//
// # mr-score retrieval
//
// In: hits records, of one system or several, which must have been asked the
// same questions. Timing records pass. -golden names golden records; -qrels, in
// its place, lines of query, document and grade. -corpus names the passages that
// the hits are of: a gold section it does not have is an error, and so is a hit
// that is not in it, or that carries no commit where it has one. Hits that ask
// another text than the golden set has under the id are refused.
//
// Out: control records, oracle and random for each metric; then one score record
// for each system, question and metric. Where needs were not met, "wanted" lists
// them and "came" the first sections of the list. The run record's "notes" say
// what took no part: questions without gold, hits for unknown questions. A
// question without hits scores 0, with a warning in its record; so does a list
// that ends before the cut-off warn.
//
// Hits that fell back to BM25 leave their system's question unscored, and are
// scored as system bm25-fallback.
//
// The metrics, by trec_eval's conventions (pkg/metric has the formulas):
//
//	recall@5   needs met by the first 5 sections; parts of one fold together first
//	recall@5p  needs met by the first 5 passages, which is what mr-answer sees
//	MRR@10     1 / rank of the first section that serves a need; MRR has no cut
//	nDCG@10    a need gives its gain once; with qrels the gain is the grade
//	P@5        needs met by the first 5 sections, over 5
//	MAP, Judged@10  with -qrels
//
// The halves: -half tune is for choosing among systems. The other half is for
// one look at the one chosen: -half headline scores only systems in the -ledger,
// each under the recipe (tools, flags, models) that the ledger names. The error
// for another prints the line to add to it. With -half all the ledger rules
// likewise, where one is given.
//
// # mr-score answers
//
// In: answer records. A system is what searched with what answered:
// two-stage/extract. -corpus is optional: with it, gold and citations must be in
// it, and random citations are drawn from it.
//
// Out: control records, then one score record for each system, question and
// metric. A golden question without an answer has status error; an engine's
// error stays one, and is no refusal. A refused question has no citations to
// score: it is unscored. "missed" lists the key facts that an answer does not
// say. The run record's "notes" hold the 2×2 table of refusals.
//
//	refused-unanswerable, refused-answerable  shares; right is 1, and 0
//	refusal-auc         how well the engine's refusal score tells the two apart
//	citation-precision  cited passages whose section serves a need
//	citation-recall     needs that are cited
//	key-fact-coverage   key facts that the answer says, by their words (go doc ./pkg/keyfact)
//	dropped-citations, ungrounded, answer-words, prompt-tokens, answer-tokens
//
// # mr-score agreement
//
// In: verdict and control records, the streams of mr-judge, of one judge or of
// several over the same answers. -labels names a file of what a person says of
// them (review/labels.json); more than once for more people.
//
// Out: the control records, which must be those that the verdicts give; two more
// for each two raters: a rater with itself has kappa 1, and with permuted labels
// 0 on average. Then a score record for each judge, question and repeat:
// faithfulness, supported-claims, relevance. Then pair records: judge with
// judge, judge with person, person with person, and a judge with itself
// ("lexical, again"). A label whose rater opened a reading of a judge is not
// independent of that judge's family. A label of an answer that has changed
// since is named in a warning, and not used.
//
// Examples:
//
//	mr-score agreement -labels review/labels.json data/verdicts.jsonl | mr-boot
//	mr-score retrieval -golden g.jsonl -corpus c.jsonl -half tune hits.jsonl | mr-boot
//	mr-score retrieval -qrels qrels.tsv -corpus c.jsonl -metrics nDCG@10,MAP < hits.jsonl
//	mr-score retrieval -qrels pages.tsv -unit page -corpus c.jsonl hits.jsonl
//	mr-score answers -golden g.jsonl answers.jsonl | mr-boot
//
// Exit codes: 0 done, 1 failed, 2 misuse, 3 a control failed or hits fell back
// (the output is complete, and mr-boot keeps the evidence).
package main

import (
	"context"
	_ "embed"
	"errors"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/score"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-score", source, run) }

func run(ctx context.Context, t *tool.Tool) error {
	switch cmd, err := t.Command("retrieval", "answers", "agreement"); cmd {
	case "retrieval":
		return retrieval(ctx, t)
	case "answers":
		return answers(ctx, t)
	case "agreement":
		return agreement(ctx, t)
	default:
		return err
	}
}

// verdict joins what went wrong with the reasons for a verdict of no.
func verdict(refusals []error, err error) error {
	for _, why := range refusals {
		err = errors.Join(err, tool.Refuse(why))
	}
	return err
}

func retrieval(ctx context.Context, t *tool.Tool) error {
	gold := t.Flags.String("golden", "", "`file` of golden records")
	qrels := t.Flags.String("qrels", "", "`file` of graded judgements, in place of -golden: query, document, grade")
	passages := t.Flags.String("corpus", "", "`file` of the corpus' passages")
	unit := t.Flags.String("unit", "section", "what gold names and passages fold to: section, or page for its path")
	metrics := t.Flags.String("metrics", "", "`names` between commas (default "+score.Metrics+", and Judged@10 with -qrels)")
	half := t.Flags.String("half", "all", "questions to score: tune, headline or all")
	ledger := t.Flags.String("ledger", "", "`file` of the systems that may be scored on headline questions")
	rankings := t.Flags.Int("rankings", 1000, "random lists a question for the controls")
	seed := t.Flags.Uint64("seed", 1, "of the random lists")
	if err := t.Parse(true); err != nil {
		return err
	}
	switch {
	case (*gold == "") == (*qrels == ""):
		return tool.Misusef("expected one of -golden and -qrels")
	case *passages == "":
		return tool.Misusef("expected -corpus: the controls are drawn from it")
	case *rankings < 10:
		return tool.Misusef("-rankings: expected 10 or more, got %d", *rankings)
	case *unit != string(golden.Sections) && *unit != string(golden.Pages):
		return tool.Misusef("-unit: expected section or page, got %q", *unit)
	case *half != string(golden.Tune) && *half != string(golden.Headline) && *half != string(golden.All):
		return tool.Misusef("-half: expected tune, headline or all, got %q", *half)
	case *half == string(golden.Headline) && *ledger == "":
		return tool.Misusef("-half headline needs -ledger")
	}
	suite, err := score.ParseMetrics(*metrics, *qrels != "")
	if err != nil {
		return tool.Misusef("-metrics: %w", err)
	}
	r := &score.Retrieval{Suite: suite, Rankings: *rankings, Seed: *seed, Warn: t.Warnf, Run: t.Provenance("golden", "qrels", "corpus", "ledger")}
	r.Run.Flags["metrics"] = suite.String()
	if err := r.Load(score.Files{
		Golden: *gold, Qrels: *qrels, Corpus: *passages, Ledger: *ledger,
		Unit: golden.Unit(*unit), Half: golden.Half(*half), Open: t.Open,
	}); err != nil {
		return err
	}
	in, err := t.Input()
	if err != nil {
		return err
	}
	return verdict(r.Stream(ctx, in, t.Output()))
}
