// Package lexical judges answers without a language model: by their words, the
// same every time, in milliseconds. The judge lexical needs no model at all;
// lexical+ce asks a cross-encoder too.
//
// # Faithfulness
//
// The claims of an answer are its sentences (judge.Sentences). A claim is
// supported where
//   - it stands in a passage word for word, or
//   - no rule speaks against it and its score reaches the threshold.
//
// The score looks at the window of a passage, at most 60 words or three times
// the claim, that holds most of the claim's content words, weighted by idf. It
// is the logistic of a few features of that window, with frozen weights (weights.go).
//
// The rules compare the claim with its window, and one that is broken rejects it:
//   - every number of the claim stands there, in a table in its row, and every
//     name that is code or an identifier does, or in the question or the
//     headings of a passage;
//   - a denial (no, not, never, -n't, without…) has one there, and neither denies
//     what the other asserts.
//
// Where some sentences of a passage are nearly the claim (three quarters of the
// words of both, in order), it is held against those instead: they have as many
// denials, and no name or number stands in the place of another word.
//
// A sentence of words that say nothing about what docs describe (idle.txt), and
// that is not supported, is no claim: padding and remarks about the answer itself
// are neither held against it nor for it.
//
// # Relevance
//
// An answer is relevant where it holds enough of the question's idf.
//
// # What it can and cannot see
//
// It sees words, not sense: a paraphrase without common words is rejected, and a
// claim that puts the passage's own words together to say another thing is not.
// Weights and thresholds were chosen on AttributionBench and the FastAPI docs,
// never on the controls that decide whether a judge is trusted; Measured holds
// how it does on the half of AttributionBench that no choice was made on.
package lexical
