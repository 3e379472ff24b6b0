// Package fuse orders hits by what several stages made of them: reciprocal
// rank fusion, fusion of normalised scores, or one stage as the last word.
//
// It works on hits that carry each stage's own score and rank
// ([record.Hit.Stages]); where these came from does not matter.
//
// Invariants of every method:
//   - All hits come back, none is added; scores never rise, ranks are 1…n.
//   - Ties go by passage id, ascending. The order of the hits that came in has
//     no effect, but for [Last] and [Behind] on hits that a stage did not rank.
//   - Sums run in the order of the terms: the same bits on every run.
//
// Sources: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms
// Condorcet and individual rank learning methods", SIGIR 2009 (k = 60 there);
// the weights are ours. Score fusion is CombSUM of Fox and Shaw, "Combination
// of multiple searches", TREC-2 1994, over normalised scores.
package fuse
