// Package late is late interaction: a text is one vector a token, and a passage
// scores the sum, over the question's tokens, of the best match among its own
// (MaxSim). It keeps token vectors in int8, in a file mapped into memory.
//
//	enc, err := late.Open(models, cache, late.Options{})
//	m, err := enc.Passage(ctx, text)          // tokens × 384
//	err = late.WriteStore("tokens.i8", enc.Model().SHA256, n, next)
//
//	s, err := late.OpenStore("tokens.i8")
//	q, err := enc.Query(ctx, question)
//	scores := s.Search(q, nil)                // one a passage
//
// Shapes: a [Matrix] is tokens × dimension, row by row, each row a vector of
// unit length as int8 with one float32 scale. A passage of 250 tokens takes
// 97 kB. Scores are about 25 to 30; what int8 costs them is said at [Quantise].
//
// Invariants:
//   - A score is the same bits on any kernel (AVX2, AVX-512 VNNI or plain C,
//     chosen when the program runs), any number of cores, and whether the
//     passage lies in a store or was just encoded: dot products are exact integers.
//   - A text's matrix depends on the text alone, for one CPU type and one build
//     of ONNX Runtime (see pkg/onnx).
//
// Source: Khattab and Zaharia, "ColBERT: Efficient and effective passage search
// via contextualized late interaction over BERT", SIGIR 2020: markers, queries
// padded with [MASK], MaxSim. The model is answerai-colbert-small-v1.
//
// Departures:
//   - The ONNX export lacks the model's last layer, a projection to 96
//     dimensions. MaxSim runs on the 384-dimensional hidden states before it.
//     So scores are not those of the published model, and a token takes four
//     times the room.
//   - [MASK] padding is not attended to by the query's other tokens, while its
//     own vectors take part in MaxSim; see [Padding].
//   - Queries longer than 32 tokens are kept whole, and no punctuation is left
//     out of passages.
package late
