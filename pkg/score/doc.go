// Package score is mr-score: it reads what systems found, scores it against
// what is known to be right, and runs the controls of every metric it used.
//
// What becomes of a question:
//   - With gold and hits, it has a score for each metric.
//   - With gold and no hits, from no system or an empty list, it scores 0, with
//     the warning "no hits".
//   - Without gold it takes no part, and is counted in a note.
//   - Hits for a question that is not in the set are ignored, and counted.
//   - Hits that fell back to BM25 leave the question unscored under their own
//     system, and are scored as record.FallbackSystem. Any of them is a refusal.
//
// All systems must have been asked the same questions. Hits keep the order
// they have; neighbours with the same score are counted in a note.
package score
