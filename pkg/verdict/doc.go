// Package verdict turns the verdicts of judges into what can be reckoned with:
// controls, scores and pairs of marks.
//
//	Fold     control verdicts → control records, one for each judge, metric and control
//	Scores   verdicts on answers → score records: faithfulness, supported-claims, relevance
//	Pairs    verdicts and people's labels → pair records
//	Family   which judges are too near to each other to be independent
//
// # Controls
//
// A control passes when the upper bound of the Wilson 95 % interval of its miss
// rate is at most 0.25. With none missed that takes 12 items, but under 15 it is
// not established, which is not passing. From 15 to 18 items none may be missed,
// from 19 to 25 one:
//
//	items                    15     18     19     20     20
//	missed                    0      1      1      1      2
//	upper bound           0.204  0.258  0.246  0.236  0.301
//	                      passes  fails passes passes  fails
//
// A miss is a mark other than the one expected; of an altered answer also a mark
// "no" that does not reject the altered claim; of supported-claims also a made-up
// answer, or one over random passages, of whose claims more than half are called
// supported. A control verdict without a mark is neither right nor wrong: it does
// not count among the n, and the reason says how many there were.
//
// # Marks
//
//   - A verdict that is not scored is a score that is not scored, with the same
//     reason: never 0, never 1, never dropped.
//   - Repeats are repeats of one question: each is a score, none adds to n.
//   - Between judges, and with people, the first repeat counts.
//   - A label is of the answer whose digest it carries. One of another digest is
//     stale: it is named in a warning, and never used.
//   - A label is independent of a judge unless its rater opened a reading of a
//     judge of that family.
package verdict
