package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/mobiumdev/mobium-rag"

// maxMain and maxCommand are how many lines of code a tool's main.go and the
// file of one of its commands may hold: flags and one call.
const (
	maxMain    = 80
	maxCommand = 120
)

// root is the repository, seen from this package.
const root = "../.."

func TestArchitecture(t *testing.T) {
	got, files, err := violations(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d source files were seen: is this the repository?", files)
	}
	for _, v := range got {
		t.Error(v)
	}
}

// TestViolationsAreSeen: each rule is broken once, by one line.
func TestViolationsAreSeen(t *testing.T) {
	file := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(body)} }
	long := "// T is a tool.\npackage main\n\n// A comment is no code.\n\nfunc main() {\n" + strings.Repeat("\tmain()\n", maxMain-3) + "}\n"
	tests := []struct {
		name, path, body string
		want             []string
	}{
		{"all is well", "pkg/metric/m.go", "// Package metric is well.\npackage metric\n\nimport _ \"" + module + "/pkg/record\"\n", nil},
		{"domain → tool", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport _ \"" + module + "/pkg/tool\"\n",
			[]string{"pkg/metric/m.go:4: domain package imports pkg/tool: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"domain → stage", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport _ \"" + module + "/pkg/stage\"\n",
			[]string{"pkg/metric/m.go:4: domain package imports pkg/stage: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"domain → its stage", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport _ \"" + module + "/pkg/metric/metricstage\"\n",
			[]string{"pkg/metric/m.go:4: domain package imports pkg/metric/metricstage: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"its stage → domain and stage", "pkg/metric/metricstage/m.go", "// Package metricstage is well.\npackage metricstage\n\nimport (\n_ \"" + module + "/pkg/metric\"\n_ \"" + module + "/pkg/stage\"\n)\n", nil},
		{"its stage → tool", "pkg/metric/metricstage/m.go", "// Package metricstage is not.\npackage metricstage\n\nimport _ \"" + module + "/pkg/tool\"\n",
			[]string{"pkg/metric/metricstage/m.go:4: …stage package imports pkg/tool: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"record → domain", "pkg/record/r.go", "// Package record is not.\npackage record\n\nimport _ \"" + module + "/pkg/metric\"\n",
			[]string{"pkg/record/r.go:4: record package imports pkg/metric: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"hint → record", "pkg/hint/h.go", "// Package hint is not.\npackage hint\n\nimport _ \"" + module + "/pkg/record\"\n",
			[]string{"pkg/hint/h.go:4: hint package imports pkg/record: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"domain → cmd", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport _ \"" + module + "/cmd/mr-cut\"\n",
			[]string{"pkg/metric/m.go:4: domain package imports cmd/mr-cut: arrows go cmd → tool, …stage → stage → domain → record → hint"}},
		{"flag", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport _ \"flag\"\n",
			[]string{"pkg/metric/m.go:4: imports flag outside of cmd and pkg/tool"}},
		{"log", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport \"log\"\n\nfunc f() { log.Fatal() }\n",
			[]string{"pkg/metric/m.go:4: imports log outside of cmd and pkg/tool"}},
		{"os", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport world \"os\"\n\nfunc f() {\n\t_ = world.Args\n\t_ = world.Stdin\n\t_ = world.Stdout\n\t_ = world.Stderr\n\tworld.Exit(1)\n\tworld.Remove(\"a\")\n}\n",
			[]string{"pkg/metric/m.go:7: uses os.Args outside of cmd and pkg/tool", "pkg/metric/m.go:8: uses os.Stdin outside of cmd and pkg/tool", "pkg/metric/m.go:9: uses os.Stdout outside of cmd and pkg/tool", "pkg/metric/m.go:10: uses os.Stderr outside of cmd and pkg/tool", "pkg/metric/m.go:11: uses os.Exit outside of cmd and pkg/tool"}},
		{"os in pkg/tool", "pkg/tool/t.go", "// Package tool is well.\npackage tool\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n", nil},
		{"fmt.Println", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nimport \"fmt\"\n\nfunc f() { fmt.Println(); fmt.Sprint() }\n",
			[]string{"pkg/metric/m.go:6: uses fmt.Println outside of cmd and pkg/tool"}},
		{"in a test", "pkg/metric/m_test.go", "package metric\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n", nil},
		{"80 lines", "cmd/mr-t/main.go", long, nil},
		{"81 lines", "cmd/mr-t/main.go", long + "\nvar x int\n", []string{"cmd/mr-t/main.go: 81 lines of code, expected at most 80: flags and one call"}},
		{"a command of 120 lines", "cmd/mr-t/search.go", long + strings.Repeat("var x int\n", 40), nil},
		{"a command of 121 lines", "cmd/mr-t/search.go", long + strings.Repeat("var x int\n", 41), []string{"cmd/mr-t/search.go: 121 lines of code, expected at most 120: flags and one call"}},
		{"util", "pkg/util/u.go", "// Package util is not.\npackage util\n", []string{"pkg/util/u.go:2: package is called util: name it after what it holds"}},
		{"Get", "pkg/metric/m.go", "// Package metric is not.\npackage metric\n\nfunc GetIt() {}\nfunc Get() {}\nfunc (t) GetIt() {}\nfunc Getter() {}\nfunc getIt() {}\n",
			[]string{"pkg/metric/m.go:4: GetIt: leave out Get", "pkg/metric/m.go:5: Get: leave out Get", "pkg/metric/m.go:6: GetIt: leave out Get"}},
		{"no comment", "pkg/metric/m.go", "package metric\n", []string{"pkg/metric: package has no comment"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := violations(fstest.MapFS{tt.path: file(tt.body)})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// violations reads every Go file of a repository but the tests and returns what breaks a rule.
func violations(repo fs.FS) (found []string, files int, err error) {
	commented := map[string]bool{}
	err = fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); d.IsDir() && (base == "testdata" || base != "." && strings.HasPrefix(base, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(repo, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		files++
		dir := path.Dir(name)
		limit := maxCommand
		if path.Base(name) == "main.go" {
			limit = maxMain
		}
		if n := codeLines(text); strings.HasPrefix(dir, "cmd/") && n > limit {
			found = append(found, fmt.Sprintf("%s: %d lines of code, expected at most %d: flags and one call", name, n, limit))
		}
		commented[dir] = commented[dir] || f.Doc != nil
		c := checker{set: set, dir: dir}
		c.check(f)
		found = append(found, c.found...)
		return nil
	})
	for _, dir := range slices.Sorted(maps.Keys(commented)) {
		if !commented[dir] {
			found = append(found, dir+": package has no comment")
		}
	}
	return found, files, err
}

// codeLines is the number of lines on which a token begins or ends.
func codeLines(text []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" { // put in by the scanner
			continue
		}
		first := file.Line(pos)
		for n := 0; n <= strings.Count(lit, "\n"); n++ {
			lines[first+n] = true
		}
	}
}

type checker struct {
	set   *token.FileSet
	dir   string
	found []string
}

func (c *checker) say(n ast.Node, format string, args ...any) {
	p := c.set.Position(n.Pos())
	c.found = append(c.found, fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...)))
}

// layer is where a folder stands; arrows go from lower to higher numbers, and
// among domain packages.
func layer(dir string) (int, string) {
	switch {
	case strings.HasPrefix(dir, "cmd/"):
		return 0, "cmd"
	case dir == "pkg/tool":
		return 1, "tool"
	case dir == "pkg/stage":
		return 3, "stage"
	case strings.HasPrefix(dir, "pkg/") && strings.HasSuffix(dir, "stage"):
		return 2, "…stage"
	case dir == "pkg/record":
		return 5, "record"
	case dir == "pkg/hint":
		return 6, "hint"
	}
	return 4, "domain"
}

func (c *checker) check(f *ast.File) {
	if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc", "lib", "base", "shared"}, f.Name.Name) {
		c.say(f.Name, "package is called %s: name it after what it holds", f.Name.Name)
	}
	mine, name := layer(c.dir)
	outside := mine > 1 // where the world is out of bounds
	locals := map[string]string{}
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			c.say(imp, "bad import: %v", err)
			continue
		}
		local := path.Base(p)
		if imp.Name != nil {
			local = imp.Name.Name
		}
		locals[local] = p
		if outside && (p == "flag" || p == "log") {
			c.say(imp, "imports %s outside of cmd and pkg/tool", p)
		}
		dir, inside := strings.CutPrefix(p, module+"/")
		theirs, _ := layer(dir)
		if inside && (theirs < mine || theirs == mine && mine != 4) {
			c.say(imp, "%s package imports %s: arrows go cmd → tool, …stage → stage → domain → record → hint", name, dir)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && outside && ofTheWorld(locals[x.Name], n.Sel.Name) {
				c.say(n, "uses %s.%s outside of cmd and pkg/tool", locals[x.Name], n.Sel.Name)
			}
		case *ast.FuncDecl:
			if rest, ok := strings.CutPrefix(n.Name.Name, "Get"); ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z') {
				c.say(n.Name, "%s: leave out Get", n.Name.Name)
			}
		}
		return true
	})
}

func ofTheWorld(pkg, name string) bool {
	switch pkg {
	case "os":
		return slices.Contains([]string{"Args", "Exit", "Stdin", "Stdout", "Stderr"}, name)
	case "fmt":
		return slices.Contains([]string{"Print", "Printf", "Println"}, name)
	}
	return false
}
