// Package index keeps the passages of one commit so that questions find them:
// by words (BM25, in bleve), by meaning (vectors, scanned exactly), by late
// interaction (token vectors), or by a fusion of these.
//
//	m, err := index.Build(ctx, "data/index", corpus, index.DefaultConfig())
//
//	x, err := index.Open("data/index", index.DefaultBM25())
//	s := index.Searcher{Engine: x, Encoder: enc, System: "hybrid", Options: index.DefaultOptions()}
//	hits, err := s.Search(ctx, question)
//
// Invariants:
//   - A build that fails or is killed leaves the index there was. A search sees
//     one index from Open to Close, whatever builds do.
//   - Search writes nothing. The index may lie on a read-only disk.
//   - Of the same passages and questions come the same hits, bit for bit, on one
//     CPU type: whatever the order of the passages, the size of batches, and the
//     number of cores. (Bleve's own files differ from build to build: it puts
//     the documents of a batch into its segments in the order of a Go map.)
//   - Ties go by passage id.
//   - Where a leg cannot stand, BM25 does alone, and the hits say why.
//
// BM25 is computed here, over bleve's postings, since bleve's own formula is not
// BM25 (see [Bleve]). Measured on NFCorpus and Cranfield (nDCG@10, en-parts,
// k1 1.2, b 0.75): 0.330 and 0.381 by [Okapi], 0.315 and 0.353 by [Bleve]. Both
// take the number of passages and the average length from what was counted over
// the whole index, bleve by its pre-search data, so that no score depends on how
// the passages came to lie in segments.
package index
