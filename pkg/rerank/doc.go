// Package rerank orders the candidates of a question anew: stages score them,
// and a recipe fuses what all stages say, those of the search included.
//
//	ce, err := rerank.Open(models, cache)
//	r := rerank.Reranker{Scorers: []rerank.Scorer{ce}, System: "two-stage", Recipe: recipe}
//	reranked, err := r.Rerank(ctx, hits)
//
// Invariants:
//   - Every candidate comes back, once; only order, ranks, scores and the
//     entries of the scorers in each hit's stages change. Fields the program
//     does not know stay, and so does what the hits say of a fallback.
//   - Same hits, same result: whatever the number of cores, the order of calls,
//     and whether scores come from the cache.
//   - A scorer's ranks count among the hits it scored.
//
// The [CrossEncoder] is cross-encoder/ms-marco-MiniLM-L-12-v2 (Reimers and
// Gurevych, sbert.net; Nogueira and Cho, "Passage re-ranking with BERT", 2019)
// as int8 ONNX. Its score is the raw logit, about −11…11; only the order within
// a question has a meaning. One pair is one run, so that a score depends on
// nothing but its pair.
package rerank
