// Package control runs what must succeed and what must fail through a
// retrieval metric, so that its numbers can be believed.
//
// # Oracle
//
// For each question, one section a need with all its parts, best gain first,
// and behind them sections that serve no need, so that a list read from the
// wrong end shows. It must score the most any list can reach: 1, but for
// recall@k of a question with m > k needs, where that is k/m, for P@k, where it
// is min(k,m)/k, and for Judged@k, where too few are judged. A metric that cuts
// passages is shown one passage a need.
//
// # Random
//
// For each question 1,000 random lists of the corpus' sections, each with all
// its parts in a row, so that folding has something to do; of the corpus'
// passages for a metric that cuts those. The mean over all lists must lie within
// 4 standard errors of its expectation and, where that is below 0.05, must be
// below 0.1. Where it is not below 0.05 the corpus is too small to show that
// random scores badly, and the control says so.
//
// # The expectation
//
// Let n be the number of sections, a need have a alternatives, and k be the cut.
// None of a given sections is among the first i of a random order with
//
//	Q(a,i) = C(n-a, i) / C(n, i) = Π_{j<i} (n-a-j)/(n-j)
//
// (hypergeometric). The needs met in the first i sections are
//
//	F(i) = Σ over needs (1 - Q(a,i))
//
// where needs share no section. Needs that do are taken together, exactly: with
// S their sections, met(T) the most of them that the sections T ⊆ S can meet at
// once, and P(only U of S came) = Q(|S|-|U|, i),
//
//	F(i) = Σ_{U ⊆ S} Q(|S|-|U|, i) · c(U),   c(U) = Σ_{U ⊆ T ⊆ S} (-1)^{|T|-|U|} met(T)
//
// where met comes from the deficiency version of Hall's theorem (Ore 1955):
// met(T) = min over sets J of needs of (needs - |J| + sections of T serving J),
// and so not from the matching that scores lists. With e(i) the gain expected at
// rank i, which for gains of 1 is F(i) - F(i-1), and m needs:
//
//	recall@k  F(k)/m        P@k  F(k)/k
//	nDCG@k    Σ_{i≤k} e(i)/log2(i+1) / ideal
//	MRR@k     Σ_{i≤k} (Q(A,i-1) - Q(A,i))/i      A sections serve any need
//	MAP       (1/m) Σ_i (1/i) (m/n) (1 + (i-1)(m-1)/(n-1))
//	Judged@k  judged documents of the corpus / n
//
// For a metric that cuts passages the same holds with n the number of passages
// and, in place of a number of sections, the number of their passages.
//
// # The standard error
//
// A question's variance is that of its lists, but at least Σ e₂(i) v(i)² - mean²,
// where e₂ is the expected squared gain and v(i) what one gain at rank i is worth:
// exact where one gain is all a list can have, and what keeps the error from
// being 0 where a hit is so rare that none came.
package control
