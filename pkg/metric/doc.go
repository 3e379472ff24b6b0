// Package metric scores ranked lists of passages against the needs of a
// question, by trec_eval's conventions.
//
// A list is folded to sections, then cut at k (recall@5); for recall with a p
// (recall@5p) the passages are cut first, which is what a reader of the first k
// passages sees. The gains g_1, g_2, … of its sections come from golden.Matching: a need
// gives its gain once, a section serves one need. With m needs:
//
//	recall@k   needs met in the first k / m
//	P@k        needs met in the first k / k
//	MRR[@k]    1 / rank of the first section with a gain, 0 if there is none (in the first k)
//	nDCG[@k]   DCG / ideal DCG, where DCG = Σ g_i / log2(i+1) over the first k (Järvelin and
//	           Kekäläinen 2002, doi:10.1145/582415.582418, as in trec_eval: linear gain, the
//	           discount from rank 1 on)
//	MAP        (1/m) Σ over ranks i with a gain of (needs met in the first i) / i; qrels alone
//	Judged@k   judged documents among the first k / documents there, as ir_measures; qrels alone
//
// The ideal comes from all needs, met or not: the gains, best first, cut at k.
// A golden set has gains of 1, so its ideal is min(k, m) of them.
//
// Conventions:
//   - The order of the list is kept as given, ties and all (trec_eval sorts by
//     score, then id, descending; sort before where that is wanted).
//   - A list shorter than k is as good as its sections: nothing follows them.
//   - An empty list scores 0. Every value is finite and between 0 and 1.
//   - A document without a judgement has no gain.
//   - Only answerable questions are scored; another is a programmer's error.
package metric
