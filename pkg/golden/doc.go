// Package golden holds what an evaluation knows to be right: questions with
// the needs a list must meet, whether they come from a golden set or from
// graded qrels, and the corpus in which the needs must be found.
//
// # One form
//
// A question has needs. A need names the sections any one of which serves it,
// and the gain of meeting it.
//   - Of a golden set: the needs as written, each of gain 1.
//   - Of qrels: every document graded above 0 is a need of its own, its gain
//     is the grade (trec_eval's linear gain). Documents graded 0 or less are
//     judged, and are no need.
//
// # What a list meets
//
// A list of passages is folded to sections first (the first part wins), then
// cut. A section serves one need. Going down the list, a section brings a gain
// just when the sections so far can serve one need more than those before it
// could (Matching). So each need gives its gain once, as early as it can be
// had, and the order in which needs are written does not matter. Where no
// section serves two needs this is the plain rule: a need is met at the first
// of its sections.
//
// Invariants of a set that was read and checked:
//   - Ids are unique, and so are the sections within a need.
//   - All needs of a question can be met at once: some list meets them all.
//   - Every section named by a need is in the corpus.
package golden
