// Package mobiumrag holds the project's own docs, the corpus of mr-cut -embedded,
// and the rules of reviewing.
package mobiumrag

import "embed"

// Docs are README.md and docs/, as they were when the program was built.
//
//go:embed README.md docs/*.md
var Docs embed.FS

// Reviewing is REVIEWING.md, the rules for those who review. It is no part of the corpus.
//
//go:embed REVIEWING.md
var Reviewing string
