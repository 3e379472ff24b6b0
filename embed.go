// Package mobiumrag holds the project's own docs, the corpus of mr-cut -embedded.
package mobiumrag

import "embed"

// Docs are README.md and docs/, as they were when the program was built.
//
//go:embed README.md docs
var Docs embed.FS
