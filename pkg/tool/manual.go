package tool

import (
	"go/parser"
	"go/token"
)

// packageComment returns the text of the package comment of a Go file.
func packageComment(source string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "main.go", source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || f.Doc == nil {
		panic("tool: internal error: main.go has no package comment")
	}
	return f.Doc.Text()
}
