// Package journal keeps a small file that people change a line at a time, with
// the history of its changes.
//
// The file is one JSON object with one member, a list of items, one a line and
// sorted by key, so that diffs read well and a merge by hand is possible:
//
//	{"decisions":[
//	{"question":"q001",…},
//	{"question":"q002",…}
//	]}
//
// The history beside it has a line for every change there ever was, numbered.
//
// Invariants:
//   - The file is replaced whole: a temporary file in the same folder, flushed
//     to disk, renamed, and the folder flushed. Whoever reads sees the old file
//     or the new one, and a process that is killed leaves one of the two.
//   - A change is in the history, on disk, before it is in the file. So the
//     history has all that the file has; a change cut off in between is in the
//     history alone, and was not answered for.
//   - Changes take turns, in whatever process, by a lock on the history. Each
//     reads the file again, so that none erases what another saved.
//   - A file that is not wholly good is refused with its line, and untouched. So
//     is a history whose last line is bad; but a last line without an end, which
//     is what a killed process leaves, is taken off.
package journal
