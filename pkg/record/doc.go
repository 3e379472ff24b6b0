// Package record is the contract between the tools: the records, one JSON
// object on one line each, and the streams they form. This page is the
// specification; nothing else in the project knows the format.
//
// # Records
//
// A record has a "type" and the fields of that type, listed on the Go struct
// of the same name. A field a tool does not know travels through unchanged
// (its value byte for byte but for white space, after the known fields, in the
// order it came), in the record as in each of its hits. The one exception:
// mr-embed turns a golden record into a question, so that gold and key facts
// go no further. The small objects inside a record (the question of hits, a
// stage's score, a model) hold what is listed and nothing else.
//
//	run       every tool, first line          provenance: tool, flags, models, inputs
//	document  anyone                          path and text: input of mr-cut
//	passage   mr-cut, mr-embed                a part of a section, with its place and vector
//	question  a person, mr-embed              id and text, with its vector
//	golden    review                          a question with what answers it
//	hits      mr-index search, mr-rerank      ranked passages of one question by one system
//	answer    mr-answer                       text with citations, or a refusal
//	score     mr-score                        one metric of one question and system
//	verdict   mr-judge                        one judge's mark on one answer
//	pair      mr-score agreement              two raters' marks on one answer
//	control   mr-score, mr-judge, mr-boot     what a metric must give, and what it gave
//	interval  mr-boot                         an estimate with its interval, or why there is none
//	timing    any tool, only with -timing     seconds by step
//	end       every tool, last line           the number of records written, by type
//
// Invariants:
//   - Numbers are finite. A number that could not be had is left out and the
//     record's status says why: never NaN, never null.
//   - A member name occurs once in an object, and text is valid UTF-8.
//   - A vector is written as base64 of little-endian float32; an array of
//     numbers is accepted too.
//   - A line is at most MaxLine bytes long.
//
// # Streams
//
// A stream that starts with a run record must close with an end record whose
// counts agree, so a stage that died upstream is seen even without pipefail.
// Streams may follow one another (cat a b). Records outside of any run (made
// by hand, or filtered with jq -c 'select(.type=="passage")') need no end.
// A stream never spans two files. An input without a single record is an
// error: a stage that could not even start leaves such a one.
//
// Every bad line is reported as file:line: what was expected; a reader goes on
// after it, and fails at the end: n never shrinks in silence. Blank lines are
// skipped.
//
// # Versions
//
// The run record carries the version of the format.
//
//	1  the first: run … end
package record
