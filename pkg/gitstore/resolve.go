package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Pin returns the revision that value names: a file's, where there is a file
// of that name, else value itself. A pin file holds one revision; blank lines
// and what follows a '#' at the start of a line or after a space are comments.
func Pin(value string) (string, error) {
	info, err := os.Stat(value)
	switch {
	case err == nil && info.Mode().IsRegular():
		return readPin(value)
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(value, ".pin"):
		return "", hint.Wrap(err, "give the sha, tag or branch to read: -pin main; or write it into that file")
	}
	return value, nil
}

func readPin(name string) (pin string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	line, first := 0, 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		line++
		switch text := strings.TrimSpace(comment.ReplaceAllString(lines.Text(), "")); {
		case text == "":
		case first > 0:
			return "", fmt.Errorf("%s:%d: expected one revision, got %q after that of line %d", name, line, text, first)
		default:
			pin, first = text, line
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if first == 0 {
		return "", hint.Wrap(fmt.Errorf("%s: no revision in it", name), "put a sha, tag or branch on a line of its own")
	}
	return pin, nil
}

var (
	comment  = regexp.MustCompile(`(^|\s)#.*`)
	shortSHA = regexp.MustCompile(`^[0-9a-fA-F]{4,39}$`)
	fullSHA  = regexp.MustCompile(`^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$`)
)

// Resolve returns the full id of the commit that pin names: a full or short
// sha, a tag, a branch, or another single revision such as HEAD or origin/main.
//
// Git prefers a tag to a branch and either to a short sha, with a warning at
// most. Here a pin that can be read as two commits is refused, and both are named.
func (s *Store) Resolve(ctx context.Context, pin string) (record.Commit, error) {
	if err := checkPin(pin); err != nil {
		return "", err
	}
	found, err := s.candidates(ctx, pin)
	if err != nil {
		return "", err
	}
	commits := map[record.Commit]bool{}
	for _, c := range found {
		commits[c.commit] = true
	}
	switch {
	case len(commits) > 1:
		var names []string
		for _, c := range found {
			names = append(names, c.String())
		}
		return "", hint.Wrap(fmt.Errorf("%s: pin %q is ambiguous: %s", s.dir, pin, strings.Join(names, ", ")),
			"give more digits of the sha, or the full name of the ref")
	case len(commits) == 1:
		return found[0].commit, nil
	}
	commit, err := s.peel(ctx, pin)
	if err != nil && ctx.Err() == nil {
		return "", hint.Wrap(fmt.Errorf("%s: unknown pin %q: no commit, tag or branch of that name", s.dir, pin),
			"git -C %[1]s fetch --tags brings newer commits, a shallow clone lacks old ones (git fetch --unshallow), and git -C %[1]s branch -a lists what is there; make takes PIN=COMMIT", s.dir)
	}
	return commit, err
}

// checkPin refuses what could not be a revision; a leading '-' would be an option to git.
func checkPin(pin string) error {
	bad := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar }
	switch {
	case pin == "":
		return errors.New("the pin is empty: expected a sha, tag or branch")
	case strings.HasPrefix(pin, "-"):
		return fmt.Errorf("pin %q starts with '-': expected a sha, tag or branch", pin)
	case strings.ContainsFunc(pin, bad):
		return fmt.Errorf("pin %q holds a space or a control character: expected a sha, tag or branch", pin)
	}
	return nil
}

type candidate struct {
	name   string // of the ref; empty where it is the sha itself
	commit record.Commit
}

func (c candidate) String() string {
	if c.name == "" {
		return "commit " + string(c.commit)
	}
	return fmt.Sprintf("%s (commit %s)", c.name, c.commit)
}

// candidates lists the commits pin can be read as, by name and by short sha.
func (s *Store) candidates(ctx context.Context, pin string) ([]candidate, error) {
	if fullSHA.MatchString(pin) {
		return nil, nil
	}
	var found []candidate
	refs := []string{"refs/tags/" + pin, "refs/heads/" + pin}
	out, err := s.git(ctx, append([]string{"for-each-ref", "--format=%(refname)"}, refs...)...)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(string(out)) {
		if !slices.Contains(refs, name) { // for-each-ref lists what is below such a name, too
			continue
		}
		commit, err := s.peel(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %s does not name a commit: %w", s.dir, name, err)
		}
		found = append(found, candidate{name, commit})
	}
	if !shortSHA.MatchString(pin) {
		return found, nil
	}
	out, err = s.git(ctx, "rev-parse", "--disambiguate="+pin)
	if err != nil {
		return nil, err
	}
	for _, id := range strings.Fields(string(out)) {
		if commit, err := s.peel(ctx, id); err == nil { // else a tree or blob
			found = append(found, candidate{"", commit})
		}
	}
	return found, ctx.Err()
}

// peel returns the commit that a single revision leads to, through tags.
func (s *Store) peel(ctx context.Context, revision string) (record.Commit, error) {
	out, err := s.git(ctx, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	return record.Commit(bytes.TrimSpace(out)), err
}
