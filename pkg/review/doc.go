// Package review is the work of a person on a golden set: rulings on its
// questions (Decision), what is checked of each (Checker), how rulings enter
// the set (Apply), which answers are labelled (Draw), which sections no question
// covers (Cover, Draft), and what moving the pin does to gold (Repin).
//
// It knows files, no network and no page.
//
// # Files
//
//	data/golden.jsonl            the golden set
//	data/golden-proposed.jsonl   questions that are proposed, and not in the set
//	data/golden-next-pin.jsonl   the same, whose gold is newer than the pin; and
//	                             proposed changes to questions of the set (same id)
//	review/decisions.json        one ruling a question, the latest
//	review/history.jsonl         every ruling there ever was
//
// Invariants:
//   - A ruling is on one record, by its hash (Decision.Base). A question that
//     changed since is not touched by it.
//   - A file is replaced whole or not at all. What Put has returned is on disk.
//   - A file that cannot be read whole is refused with its line, and untouched.
//   - Members of a golden record that this program does not know are kept; a
//     line of which nothing changed is kept byte for byte.
package review
