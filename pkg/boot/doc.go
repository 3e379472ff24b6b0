// Package boot says how sure a figure is: intervals by the bootstrap, p values
// of differences, agreement of raters, and whether the figure may be shown.
//
// # Numbers
//
// Every statistic is a function of sums over questions (Sample), and what is
// drawn is questions: repeats and raters of one question stay together. Seed and
// number of questions decide the resamples, so all metrics and systems share
// them and no number of cores changes them.
//
//	mean       of the questions' values; a question's value is the mean of its repeats
//	ratio      Σ value·of / Σ of: each question weighs by its denominator
//	kappa      Cohen's, of pairs of marks
//	base-rate  the second rater's share of yes; TPR and TNR how much of a person's
//	           yes and no a judge says too; flips how often two repeats differ
//	corrected  a judge's rate after Rogan and Gladen, from pairs with a person's marks
//	PPI        the same by prediction-powered inference
//
// Marks and labels of one question are drawn together, so the interval of a
// corrected rate holds the uncertainty of both. A corrected rate is withheld
// unless 10 labels of yes and 10 of no are independent of the judge's family and
// the lower bound of TPR + TNR − 1 (Newcombe's method 10) is above 0; the reason
// says how many labels would do. It takes the judge to err on all answers as on
// those that were labelled. Where it or its resamples are outside of 0 to 1 they
// are cut off there, and a warning says how many; where all of its interval is,
// it is withheld.
//
// Intervals:
//   - A mean of values that are all 0 or 1 has Wilson's interval.
//   - Everything else has BCa or percentile, as scipy computes them; where BCa is
//     undefined, percentile, with a warning.
//   - Values that are all equal give [mean, mean], with a warning. One question
//     gives no interval.
//   - Resamples in which the statistic is undefined are counted. Over 5 % of
//     them, and there is no interval.
//
// A difference is taken question by question, joined by id; a question that one
// of the two lacks is an error, one that is unscored in either takes no part and
// is counted. Its p comes from SignFlip, corrected by Holm over the systems
// compared with the baseline on one metric and kind.
//
// # Trust
//
//   - A control that failed makes its metric broken, and so does one that says
//     yes against its own numbers. One that is not established does not pass.
//     Oracle without random, or the reverse, is half a control.
//   - Controls speak for the scores of their own stream: of the same run, or of
//     the same source where both were filtered out of theirs. Scores without a
//     control in their stream have "no controls seen".
//   - A judge's metric (faithfulness, supported-claims, relevance) is trusted by
//     the judge: all of record.JudgeControls must have been seen in the stream of
//     its marks, and pass. What a judge that is not trusted has in common with
//     others is withheld as well.
//   - An agreement needs its own two controls: a rater with itself has kappa 1,
//     with permuted marks 0.
//   - A metric of ranked lists (recall@k, P@k, MRR, nDCG, MAP, Judged; known by
//     the name) needs oracle and random by name, as many questions as the oracle
//     had, and an oracle above random. It has one value from 0 to 1 for each
//     system and question; other metrics may have repeats.
//   - Streams of two corpora or golden sets, and scores of a run beside scores
//     of the same metric outside of any, are errors.
//   - Differences have controls of their own, run here on the baseline: A against
//     A must give exactly 0, a planted +0.1 must be found.
//   - Where trust is missing the interval holds no number, but the reason.
//
// # Measured coverage
//
// How often a nominal 95 % interval holds the true value, in percent, with n
// questions answered right at a rate; a star marks what is not within 92 to 98.
// "0 and 1" is computed over all samples there can be, "ranks" is simulated with
// values of 1/rank (TestCoverage; 1,000 samples, standard error 0.7).
//
//	                     n = 20, rate            n = 61, rate
//	                        0.1     0.5     0.9     0.1     0.5     0.9
//	Wilson                 95.7    95.9    95.7    94.9    96.0    94.9
//	BCa, 0 and 1           86.7*   97.3    86.7*   97.1    96.0    97.1
//	BCa, ranks             85.3*   92.1    93.0    92.0    94.8    94.7
//	difference, 0 and 1    89.9*   95.0    89.9*   93.7    95.4    93.7
//	difference, ranks      85.0*   90.8*   91.2*   88.6*   94.2    92.8
//
// The same of rates corrected by labels, simulated (TestCorrectedCoverage; 400
// samples, standard error 1.1), by Rogan and Gladen, and by PPI:
//
//	rate                                         0.3    0.5    0.7       0.3    0.5    0.7
//	 61 marks, 61 labels, TPR 0.90, TNR 0.80    94.4   95.8   95.0     94.4   95.8   95.0
//	200 marks, 61 labels, TPR 0.90, TNR 0.80    94.5   95.8   95.5     95.0   95.8   95.5
//	200 marks, 61 labels, TPR 0.97, TNR 0.95    95.2   95.2   96.5     95.5   95.0   96.5
//
// At a rate of 0.9, 61 labels seldom hold 10 of no; the few samples that do are
// those with too many, and their intervals miss more often.
//
// So a bootstrap interval is too narrow where few questions carry the spread:
// with 20 questions and rare successes or rare differences it misses three times
// as often as it says. Proportions therefore take Wilson's, differences carry
// an exact p beside the interval, and fewer than 20 questions raise a warning.
package boot
