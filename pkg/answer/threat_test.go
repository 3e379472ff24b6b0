package answer

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quotedName = regexp.MustCompile("`([^` ]+)`")
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	testName   = regexp.MustCompile(`^(?:Test|Fuzz)[A-Z]\w*$`)
	repoPath   = regexp.MustCompile(`^(?:cmd|pkg|scripts)/|^go\.sum$`)
)

// Whatever THREAT-MODEL.md says stands behind a row is there: each test by its
// name, each file by its path.
func TestThreatModelNamesWhatIsThere(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "THREAT-MODEL.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, named := 0, 0
	for line := range strings.Lines(string(page)) {
		behind := 0
		for _, m := range quotedName.FindAllStringSubmatch(line, -1) {
			switch name := m[1]; {
			case testName.MatchString(name):
				behind++
				if !tests[name] {
					t.Errorf("there is no test %s", name)
				}
			case repoPath.MatchString(name):
				behind++
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("there is no file %s", name)
				}
			}
		}
		named += behind
		if strings.HasPrefix(line, "| LLM") {
			rows++
			if behind == 0 {
				t.Errorf("the row names neither code nor test: %.60s", line)
			}
		}
	}
	if rows != 10 || named < 30 {
		t.Errorf("%d rows and %d names were seen, want 10 rows and at least 30 names", rows, named)
	}
}
