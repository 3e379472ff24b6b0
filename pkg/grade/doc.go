// Package grade is mr-score answers: it scores answers against a golden set, and
// runs the controls of every metric in the same stream.
//
// # Metrics
//
// Refusals, a 2×2 table in two proportions; neither says anything alone:
//
//	refused-unanswerable  of the questions without gold: refused 1, answered 0 (1 is right)
//	refused-answerable    of the questions with gold: refused 1, answered 0 (0 is right)
//	refusal-auc           how well the engine's refusal score tells the two apart
//
// Of the answerable questions that were answered (a refused one is unscored, with
// the reason "refused", so that n never shrinks in silence):
//
//	citation-precision  cited passages whose section serves a need / cited passages
//	citation-recall     needs served by the cited sections / needs; a section serves one
//	key-fact-coverage   key facts that the text says / key facts (pkg/keyfact)
//	answer-words        length of the text, in words between white space
//
// An answer without a citation has precision and recall 0, with a warning. Of all
// questions:
//
//	dropped-citations  labels that were cited and not given
//	ungrounded         1 for an answer without a citation, 0 for any other and for a refusal
//	prompt-tokens, answer-tokens  of engines that count them
//
// # What becomes of a question
//
// The questions are the golden set's: one without an answer record is an error,
// "no answer record came". An answer with status error or unscored hands both on,
// with its reason, to every metric: a crash is never a refusal. Answers to
// questions that are not in the set are ignored, and counted in a note. A key
// fact without a word to look for ("yes") is left out, and counted.
//
// A system is what searched and what answered, two-stage/ollama:llama3.1:8b.
// Answers from hits that fell back to BM25 are record.FallbackSystem's; their
// questions are unscored under any other system, and any of them is a refusal of
// the gate.
//
// # Refusal-auc
//
// The area under the ROC curve is the chance that a random answerable question
// has a higher refusal score than a random unanswerable one, ties half. To let
// mr-boot put an interval on it as on any mean, a question's value is not a share
// but its influence: with V the share of the other group that it is on the right
// side of, m the size of its own group and N that of both,
//
//	AUC + N/m √(m/(m-1)) (V - AUC)
//
// These have the AUC as their mean, and the variance of that mean is that of
// DeLong, DeLong and Clarke-Pearson (1988, doi:10.2307/2531595) up to 1/N. One
// question's value can lie far outside of 0 to 1, and an end of the interval a
// little.
//
// # Controls
//
// Each runs through answer.Answer and through the same functions as the answers
// that are scored.
//
//   - Refusals: oracle refuses just the unanswerable; random, a coin, must be
//     within 4 standard errors of 1/2; always-refuser and never-refuser must lose:
//     rightly less falsely refused (Youden's J) is 1 for oracle and 0 for them,
//     however well each looks by one of the two rates; crash, an engine that
//     fails, must have no value at all.
//   - Citations: oracle cites one passage a need and must be 1; random cites two
//     passages of the corpus, 1,000 times a question, and must be within 4 standard
//     errors of its computed chance; half cites as many that serve no need, so
//     precision 1/2 and recall 1; uncited must be 0.
//   - Key facts: the facts themselves 1; those of every other question that shares
//     no gold, below 0.05 on average; the question said again, below 0.05; the
//     facts with every number altered, 0.
//   - Dropped and ungrounded: a planted label that was not given is dropped, and
//     leaves the answer ungrounded; oracle's answer has neither.
//   - Lengths: planted counts come back.
//   - Refusal-auc: oracle 1, reversed 0, one score for all 1/2, random within 4
//     standard errors of 1/2.
package grade
