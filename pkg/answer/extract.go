package answer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// A Scorer tells how well each text answers a question; higher is better. The
// cross-encoder's raw logit is such a score.
type Scorer interface {
	Score(ctx context.Context, question string, texts []string) ([]float64, error)
}

// Extract is the engine that needs no model server: it quotes the sentences of
// the passages that answer best, word for word, or refuses. It is deterministic,
// and the baseline a generating model must beat.
//
// A sentence is scored behind its heading trail, so that "It waits for 90 s" is
// known to be about what its page is about, and by the mean of its own score and
// its passage's, which saw what stands around it. The best sentence of all decides
// whether there is an answer. The answer is that sentence and those almost as
// good, each in the paragraph, list item or row it stands in, so that it reads;
// code comes with the line that introduces it.
type Extract struct {
	Scorer Scorer
	Policy
}

// Policy holds the numbers of Extract.
type Policy struct {
	// Threshold is the refusal score below which Extract refuses.
	Threshold float64
	// Margin is how far below the best a sentence may score and still be chosen.
	Margin float64
	// Sentences is the most that are chosen.
	Sentences int
}

// Default is the frozen policy. It was chosen on the FastAPI docs (63 answerable
// questions, 4 to refuse, gold by page) and on the docs of this project (50 and
// 6), by the default search and rerank, and on no others.
//
// Threshold: the AUC of the refusal score there is 0.964 and 0.713. The logit of
// the best sentence alone has 0.960 and 0.703, the best passage's 0.956 and 0.690;
// adding the cosine of question and sentence, 0.972 and 0.773, would take a second
// model, and refuses no more of the 10 at the same price. Every threshold from
// -10.1 to -8.1 refuses 4 of the 10 (2 and 2), and -10 refuses 4 of the 113 wrongly
// (0 and 4). For 6 of the 10 it would have to be -7.3, and 19 wrongly. Questions in
// words that the docs do not use score some 10 lower than others, and no threshold
// suits both kinds.
//
// Margin and Sentences: citation precision and recall without refusals.
//
//	                                FastAPI        this project
//	sentence logit, 1, 3         0.881  0.870      0.303  0.330
//	mean with passage, 0.5, 3    0.921  0.864      0.300  0.340
//	mean with passage, 1, 5      0.909  0.883      0.307  0.390
//	mean with passage, 2.5, 5    0.887  0.897      0.287  0.390
//	first passage alone          0.905  0.788      0.340  0.300
//
// What is quoted of a chosen sentence changes no citation. Key-fact coverage on
// the docs of this project, with words an answer: the sentence with what it points
// back to 0.233, 55; its block 0.363, 102; all sentences within a margin of 2, up
// to 8, 0.348, 100; the whole passage 0.488, 146.
var Default = Policy{Threshold: -10, Margin: 1, Sentences: 5}

// Name is "extract".
func (Extract) Name() string { return "extract" }

// candidate is a sentence of a passage with its score.
type candidate struct {
	sentence.Sentence
	passage, index int // of the passage; within it
	score          float64
}

// Answer quotes the passages of req, or refuses.
func (e Extract) Answer(ctx context.Context, req Request) (Reply, error) {
	all, err := e.candidates(ctx, req)
	if err != nil {
		return Reply{}, err
	}
	if len(all) == 0 {
		return Reply{Refused: true, Reason: "the passages hold no sentence"}, nil
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	best := ranked[0].score
	if best < e.Threshold {
		return Reply{Refused: true, Score: &best,
			Reason: fmt.Sprintf("nothing that was found answers it: the best sentence scores %.2f, below %.2f", best, e.Threshold)}, nil
	}
	reply := Reply{Score: &best}
	chosen := e.choose(ranked)
	for i, c := range chosen {
		if slices.ContainsFunc(chosen[:i], c.beside) { // quoted with that one
			continue
		}
		reply.Sentences = append(reply.Sentences, record.Sentence{
			Text:   quote(c, all, chosen),
			Labels: []string{req.Passages[c.passage].Label},
		})
	}
	return reply, nil
}

// candidates scores every sentence of every passage, in order.
func (e Extract) candidates(ctx context.Context, req Request) ([]candidate, error) {
	var all []candidate
	var texts []string
	for i, p := range req.Passages {
		trail := strings.Join(p.Headings, " > ")
		for j, s := range sentence.Split(p.Text) {
			all = append(all, candidate{Sentence: s, passage: i, index: j})
			texts = append(texts, strings.TrimSpace(trail+"\n"+s.Text))
		}
	}
	for _, p := range req.Passages { // as mr-rerank scores them, so that the cache has them
		texts = append(texts, embed.Text(&record.Passage{Headings: p.Headings, Text: p.Text}, embed.TrailContext))
	}
	scores, err := e.Scorer.Score(ctx, req.Question, texts)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].score = (scores[i] + scores[len(all)+all[i].passage]) / 2
	}
	return all, nil
}

// choose returns the sentences to quote, best passage first, each passage's in its own order.
func (e Extract) choose(ranked []candidate) []candidate {
	var chosen []candidate
	order := map[int]int{} // passage → place of its best sentence
	seen := map[string]bool{}
	for _, c := range ranked {
		if len(chosen) == e.Sentences || c.score < ranked[0].score-e.Margin {
			break
		}
		if seen[c.Text] { // docs repeat themselves
			continue
		}
		seen[c.Text] = true
		if _, ok := order[c.passage]; !ok {
			order[c.passage] = len(order)
		}
		chosen = append(chosen, c)
	}
	slices.SortStableFunc(chosen, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(order[a.passage], order[b.passage]), cmp.Compare(a.index, b.index))
	})
	return chosen
}

// beside tells whether two sentences stand in one block.
func (c candidate) beside(d candidate) bool { return c.passage == d.passage && c.Block == d.Block }

// quote is the block of c. Code follows the sentence before it, unless that is
// quoted anyway.
func quote(c candidate, all, chosen []candidate) string {
	first := slices.IndexFunc(all, c.beside)
	if c.Code {
		if before := first - 1; before >= 0 && all[before].passage == c.passage && !all[before].Code &&
			!slices.ContainsFunc(chosen, all[before].beside) {
			return all[before].Text + "\n" + c.Text
		}
		return c.Text
	}
	var block []string
	for _, s := range all[first:] {
		if !s.beside(c) {
			break
		}
		block = append(block, s.Text)
	}
	return strings.Join(block, " ")
}
