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
// Not every sentence is a claim, so that padding and remarks about the answer
// itself count neither for it nor against it. One is none that is not supported
// and no altered sentence of a passage, and
//   - is of idle words alone (idle.txt; verdicts.txt, with numbers too), or
//   - speaks of nothing that question and passages speak of: it has no number and
//     no name, and no words of theirs but common ones (common.txt). An answer of
//     nothing else is not faithful.
//
// On 40 sentences of padding and injected verdicts, put to 50 pages of the FastAPI
// docs, 98.4 % are no claims; of the sentences of one page put to another, 30 %.
//
// # Relevance
//
// An answer is relevant where it holds enough of the question's idf.
//
// # What it can and cannot see
//
// It sees words, not sense: a paraphrase without common words is rejected, and a
// claim that puts the passage's own words together to say another thing is not,
// nor is one in common words alone that has nothing to do with the passages. An
// answer that does not repeat the question's words is not relevant to it.
// Weights and thresholds were chosen on AttributionBench and the FastAPI docs,
// never on the controls that decide whether a judge is trusted. On the half of
// AttributionBench that no weight was fitted on (620 claims; 95 % intervals):
//
//	              AUC                   macro-F1
//	lexical       0.763 [0.726, 0.800]  0.689 [0.653, 0.724]
//	lexical+ce    0.778 [0.743, 0.814]  0.695 [0.659, 0.730]
//
// Coverage alone has 0.717 and 0.661 on both halves, the cross-encoder alone 0.753.
package lexical
