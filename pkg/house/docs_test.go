package house

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// A block is a fenced or indented piece of a page that is to be run.
type block struct {
	line  int // of the page, or of the comment
	needs []string
	steps []step
}

// A step is a command with what it prints; checked is false in a script.
type step struct {
	command, want string
	checked       bool
}

func TestCommandsInDocs(t *testing.T) {
	pages, err := docPages(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) == 0 {
		t.Fatal("no command to run was found in cmd/*/main.go, README.md or docs: the docs are not tested")
	}
	bin, cache := t.TempDir(), t.TempDir()
	if out, err := goBuild(bin); err != nil {
		t.Fatalf("the tools do not build: %v\n%s", err, out)
	}
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := copyCommitted(dir); err != nil {
				t.Fatal(err)
			}
			for _, b := range page.blocks {
				if missing := b.missing(); missing != "" {
					t.Skipf("SKIP %s:%d and what follows needs %s", page.name, b.line, missing)
				}
				for _, s := range b.steps {
					got := s.run(dir, bin, cache)
					if d := cmp.Diff(s.want, got); s.checked && !matches(s.want, got) || !s.checked && got != "" {
						t.Fatalf("%s:%d: $ %s\n(-the page +what it prints):\n%s", page.name, b.line, s.command, d)
					}
				}
			}
		})
	}
}

type docPage struct {
	name   string
	blocks []block
}

// docPages returns the pages with blocks to run, tools first.
func docPages(root string) ([]docPage, error) {
	var pages []docPage
	for _, glob := range []string{"cmd/*/main.go", "README.md", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, glob))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			blocks := fencedBlocks(string(text))
			if strings.HasSuffix(name, ".go") {
				if blocks, err = commentBlocks(text); err != nil {
					return nil, err
				}
			}
			if len(blocks) > 0 {
				rel, err := filepath.Rel(root, name)
				if err != nil {
					return nil, err
				}
				pages = append(pages, docPage{filepath.ToSlash(rel), blocks})
			}
		}
	}
	return pages, nil
}

// fencedBlocks are the blocks of a Markdown page with the info string "sh run".
func fencedBlocks(page string) (blocks []block) {
	var body []string
	first, fence := 0, ""
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && trimmed == fence:
			if first > 0 {
				blocks = append(blocks, parseBlock(first, body))
			}
			first, fence, body = 0, "", nil
		case fence != "":
			body = append(body, line)
		case strings.HasPrefix(trimmed, "```"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
			if strings.TrimPrefix(trimmed, fence) == "sh run" {
				first = i + 2
			}
		}
		if first == 0 {
			body = nil
		}
	}
	return blocks
}

// commentBlocks are the indented blocks of a package comment that begin with a command.
func commentBlocks(source []byte) (blocks []block, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "main.go", source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || f.Doc == nil {
		return nil, err
	}
	var body []string
	first := 0
	lines := append(strings.Split(f.Doc.Text(), "\n"), "end")
	for i, line := range lines {
		code, indented := strings.CutPrefix(line, "\t")
		switch {
		case indented && first == 0:
			first = i + 1
			fallthrough
		case indented || line == "" && first > 0:
			body = append(body, code)
		case first > 0:
			for len(body) > 0 && body[len(body)-1] == "" {
				body = body[:len(body)-1]
			}
			if strings.HasPrefix(body[0], "$ ") || strings.HasPrefix(body[0], "# needs ") {
				blocks = append(blocks, parseBlock(first, body))
			}
			first, body = 0, nil
		}
	}
	return blocks, nil
}

func parseBlock(line int, body []string) block {
	b := block{line: line}
	if rest, ok := strings.CutPrefix(body[0], "# needs "); ok {
		b.needs = strings.Fields(rest)
		body = body[1:]
	}
	transcript := false
	for _, l := range body {
		transcript = transcript || strings.HasPrefix(l, "$ ")
	}
	if !transcript {
		b.steps = []step{{command: strings.Join(body, "\n")}}
		return b
	}
	continued := false
	for _, l := range body {
		last := len(b.steps) - 1
		command, isCommand := strings.CutPrefix(l, "$ ")
		switch {
		case continued:
			b.steps[last].command += "\n" + l
			continued = strings.HasSuffix(l, `\`)
		case isCommand:
			b.steps = append(b.steps, step{command: command, checked: true})
			continued = strings.HasSuffix(l, `\`)
		case last < 0:
			b.steps = append(b.steps, step{command: l, checked: true}) // fails, as it should
		default:
			b.steps[last].want += l + "\n"
		}
	}
	for i := range b.steps { // blank lines between one transcript and the next
		b.steps[i].want = trimBlank(b.steps[i].want)
	}
	return b
}

// trimBlank leaves one newline at the end of a text that is not blank.
func trimBlank(s string) string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return ""
	}
	return s + "\n"
}

// missing is the first thing the block needs that is not here.
func (b block) missing() string {
	for _, need := range b.needs {
		if need != "models" {
			if _, err := exec.LookPath(need); err != nil {
				return need
			}
			continue
		}
		store, err := model.Find("")
		if err == nil {
			_, err = store.Open(model.Embedding)
		}
		if err != nil {
			return "models: run scripts/fetch-models"
		}
	}
	return ""
}

// run returns what the command prints, and its exit code where that is not 0;
// of a script only what it prints when it fails.
func (s step) run(dir, bin, cache string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-e", "-c", s.command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "MR_CACHE="+cache)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil && !s.checked {
		return ""
	}
	text := trimBlank(out.String())
	if err != nil {
		text += err.Error() + "\n"
	}
	return text
}

// matches compares what a page shows with what is printed; … is explained in doc.go.
func matches(page, printed string) bool {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if line == "…\n" {
			b.WriteString(`(?:.*\n)*`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	return regexp.MustCompile("^" + b.String() + "$").MatchString(printed)
}

func goBuild(bin string) ([]byte, error) {
	cmd := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/...")
	cmd.Dir = root
	return cmd.CombinedOutput()
}

// copyCommitted copies the committed files, as they are in the work tree, to dir.
func copyCommitted(dir string) error {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(root, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func TestBlocks(t *testing.T) {
	const page = "# A page\n\n```sh\nmr-cut # not run\n```\n\n```sh run\n$ echo a \\\n  b\na   b\n$ false\nexit status 1\n```\n" +
		"````sh run\n# needs models jq\nmkdir x\n```\ncd x\n````\n```\nsh run\n```\n"
	want := []block{
		{line: 8, steps: []step{{"echo a \\\n  b", "a   b\n", true}, {"false", "exit status 1\n", true}}},
		{line: 15, needs: []string{"models", "jq"}, steps: []step{{"mkdir x\n```\ncd x", "", false}}},
	}
	opt := cmp.AllowUnexported(block{}, step{})
	if d := cmp.Diff(want, fencedBlocks(page), opt); d != "" {
		t.Errorf("fenced (-want +got):\n%s", d)
	}
	const source = "// Mr-t is a tool.\n//\n//\tmr-t < in  # not run\n//\n// Examples:\n//\n//\t$ mr-t\n//\tout\n//\n//\tmore\n//\n//\t$ mr-u\n//\n// That is all.\n//\n//\t# needs jq\n//\t$ jq\npackage main\n"
	want = []block{
		{line: 7, steps: []step{{"mr-t", "out\n\nmore\n", true}, {"mr-u", "", true}}},
		{line: 16, needs: []string{"jq"}, steps: []step{{"jq", "", true}}},
	}
	got, err := commentBlocks([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, opt); d != "" {
		t.Errorf("comment (-want +got):\n%s", d)
	}
}

// TestStepsCanFail: what a page shows wrongly is seen.
func TestStepsCanFail(t *testing.T) {
	tests := []struct {
		command, page string
		ok            bool
	}{
		{"echo a", "a\n", true},
		{"echo a", "b\n", false},
		{"echo a; echo b", "a\n", false},
		{"echo a", "", false},
		{"echo a >&2", "a\n", true},
		{"exit 3", "exit status 3\n", true},
		{"exit 3", "", false},
		{"echo a; false; echo b", "a\nexit status 1\n", true},
		{"echo 'took 1.5 s (a.b)'", "took … s (a.b)\n", true},
		{"echo 'took 1.5 s (aXb)'", "took … s (a.b)\n", false},
		{"seq 5", "1\n…\n5\n", true},
		{"seq 5", "1\n…\n6\n", false},
		{"seq 2", "1\n…\n2\n", true},
		{"mr-no-such-tool", "", false},
	}
	for _, tt := range tests {
		got := step{tt.command, tt.page, true}.run(t.TempDir(), t.TempDir(), t.TempDir())
		if matches(tt.page, got) != tt.ok {
			t.Errorf("$ %s\nprinted %q, the page shows %q: expected a match to be %v", tt.command, got, tt.page, tt.ok)
		}
	}
	if got := (step{"echo fine; exit 0", "", false}).run(t.TempDir(), t.TempDir(), t.TempDir()); got != "" {
		t.Errorf("a script that exits 0 is said to fail: %q", got)
	}
	if got := (step{"echo a; false", "", false}).run(t.TempDir(), t.TempDir(), t.TempDir()); got != "a\nexit status 1\n" {
		t.Errorf("a script that fails is not seen: %q", got)
	}
}
