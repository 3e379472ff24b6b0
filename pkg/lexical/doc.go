// Package lexical judges answers without a language model: deterministic, in
// milliseconds, and good enough to show a judge's machinery working.
package lexical
