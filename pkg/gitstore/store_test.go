package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// repo is a repository for tests.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T, args ...string) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	return r.pipe("", args...)
}

func (r *repo) pipe(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes the files and commits them.
func (r *repo) commit(files map[string]string) record.Commit {
	r.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "c")
	return record.Commit(r.git("rev-parse", "HEAD"))
}

func (r *repo) open() *Store {
	r.t.Helper()
	s, err := Open(r.t.Context(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// contents reads everything at a commit.
func contents(t *testing.T, s *Store, c record.Commit) map[string]string {
	t.Helper()
	blobs, err := s.List(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err = s.Read(t.Context(), blobs, func(b Blob, data []byte) error {
		got[b.Path] = string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestReadsTheCommitAndNeverTheWorkTree(t *testing.T) {
	r := newRepo(t)
	files := map[string]string{
		"README.md":        "# one\r\nsecond\n",
		"docs/a b.md":      "spaces in the path",
		"docs/größe.md":    "not ASCII, quoted by ls-tree without -z",
		"docs/new\nline":   "newline in the path",
		"docs/\xff.md":     "not UTF-8",
		"docs/empty.md":    "",
		"docs/tab\t\"q.md": "tab and quote",
	}
	commit := r.commit(files)
	r.commit(map[string]string{"README.md": "later"})
	if err := os.WriteFile(filepath.Join(r.dir, "README.md"), []byte("work tree"), 0o644); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, contents(t, r.open(), commit)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if want, got := r.git("show", string(commit)+":README.md"), strings.TrimSpace(contents(t, r.open(), commit)["README.md"]); want != got {
		t.Errorf("git show gives %q, Read %q", want, got)
	}

	// From a subdirectory, and from a bare clone: the same.
	sub := &repo{t, filepath.Join(r.dir, "docs")}
	if diff := cmp.Diff(files, contents(t, sub.open(), commit)); diff != "" {
		t.Errorf("subdirectory: -want +got\n%s", diff)
	}
	bare := &repo{t, t.TempDir()}
	bare.git("clone", "-q", "--bare", r.dir, ".")
	if diff := cmp.Diff(files, contents(t, bare.open(), commit)); diff != "" {
		t.Errorf("bare: -want +got\n%s", diff)
	}
}

func TestListNamesLinksAndSubmodules(t *testing.T) {
	r := newRepo(t)
	if err := os.Symlink("README.md", filepath.Join(r.dir, "LINK.md")); err != nil {
		t.Fatal(err)
	}
	first := r.commit(map[string]string{"README.md": "x"})
	r.git("update-index", "--add", "--cacheinfo", "160000,"+string(first)+",sub")
	r.git("commit", "-q", "-m", "submodule")
	blobs, err := r.open().List(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Kind{}
	for _, b := range blobs {
		got[b.Path] = b.Kind
	}
	if diff := cmp.Diff(map[string]Kind{"README.md": Regular, "LINK.md": Symlink, "sub": Submodule}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestEmptyTree(t *testing.T) {
	r := newRepo(t)
	if got := contents(t, r.open(), r.commit(nil)); len(got) != 0 {
		t.Errorf("an empty commit has files: %v", got)
	}
}

func TestReadStopsAtTheCallersError(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(map[string]string{"a": "1", "b": strings.Repeat("2", 1<<20), "c": "3"})
	s := r.open()
	blobs, err := s.List(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	n := 0
	err = s.Read(t.Context(), blobs, func(Blob, []byte) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("got %v after %d calls, want stop after 1", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Read(ctx, blobs, func(Blob, []byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestDamagedObject(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(map[string]string{"a.md": "text of a"})
	s := r.open()
	blobs, err := s.List(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(r.dir, ".git", "objects", blobs[0].ID[:2], blobs[0].ID[2:])
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	err = s.Read(t.Context(), blobs, func(Blob, []byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "a.md") || !strings.Contains(err.Error(), "missing") || hint.Of(err) == "" {
		t.Errorf("missing object: %v", err)
	}
	if err := os.WriteFile(object, []byte("garbage"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Read(t.Context(), blobs, func(Blob, []byte) error { return nil }); err == nil {
		t.Error("a damaged object was read")
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dir, want string }{
		{"not a repository", dir, "not a git repository"},
		{"no such folder", filepath.Join(dir, "absent"), "no such folder"},
		{"a file", file, "got a file"},
	} {
		if _, err := Open(t.Context(), tt.dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.name, err, tt.want)
		}
	}
	r := newRepo(t)
	t.Setenv("PATH", dir)
	if _, err := Open(t.Context(), r.dir); err == nil || !strings.Contains(err.Error(), "git is not installed") || hint.Of(err) == "" {
		t.Errorf("without git: %v", err)
	}
}

// The repository's config and the caller's environment must not run anything
// or change what is read.
func TestHostileSurroundings(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(map[string]string{"a.md": "as committed", ".gitattributes": "*.md filter=evil diff=evil"})
	sentinel := filepath.Join(t.TempDir(), "ran")
	evil := "touch " + sentinel + "; cat"
	for _, key := range []string{"core.fsmonitor", "core.pager", "pager.cat-file", "pager.ls-tree", "core.sshCommand",
		"core.editor", "diff.evil.textconv", "filter.evil.smudge", "filter.evil.clean", "gpg.program", "core.askPass",
		"core.alternateRefsCommand", "alias.cat-file", "credential.helper"} {
		r.git("config", key, evil)
	}
	r.git("config", "log.showSignature", "true")

	// A replace ref would show another text.
	blob := r.git("rev-parse", string(commit)+":a.md")
	other := r.pipe("replaced", "hash-object", "-w", "--stdin")
	r.git("replace", blob, other)
	if got := r.git("show", string(commit)+":a.md"); got != "replaced" {
		t.Fatalf("the trap is not set: git show gives %q", got)
	}

	elsewhere := newRepo(t)
	elsewhere.commit(map[string]string{"a.md": "elsewhere"})
	t.Setenv("GIT_DIR", filepath.Join(elsewhere.dir, ".git"))
	t.Setenv("GIT_EXTERNAL_DIFF", evil)

	s := r.open()
	got, err := s.Resolve(t.Context(), "main")
	if err != nil || got != commit {
		t.Errorf("main is %v (%v), want %v", got, err, commit)
	}
	if text := contents(t, s, commit)["a.md"]; text != "as committed" {
		t.Errorf("got %q, want the text as committed", text)
	}
	if _, err := os.Stat(sentinel); err == nil {
		t.Error("the repository's config ran a command")
	}
}

// A partial clone lacks its blobs. Reading it must fail, not fetch: the fetch
// would run what the repository's config names.
func TestPartialCloneIsNotFetched(t *testing.T) {
	origin := newRepo(t)
	origin.git("config", "uploadpack.allowFilter", "true")
	commit := origin.commit(map[string]string{"a.md": "text"})
	clone := &repo{t, t.TempDir()}
	clone.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+origin.dir, ".")
	sentinel := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "upload-pack")
	if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\ntouch %s\nexec git-upload-pack \"$@\"\n", sentinel), 0o755); err != nil {
		t.Fatal(err)
	}
	clone.git("config", "remote.origin.uploadpack", script)
	clone.git("config", "protocol.file.allow", "always")

	s := clone.open()
	blobs, err := s.List(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(t.Context(), blobs, func(Blob, []byte) error { return nil })
	if err == nil || !strings.Contains(hint.Of(err), "--filter") {
		t.Errorf("got %v (hint %q), want an error that says the clone is partial", err, hint.Of(err))
	}
	if _, err := os.Stat(sentinel); err == nil {
		t.Error("the repository's upload-pack ran")
	}
	clone.git("show", string(commit)+":a.md") // the trap is set: git alone would have run it
	if _, err := os.Stat(sentinel); err != nil {
		t.Error("the trap is not set: plain git did not run upload-pack")
	}
}

// Git refuses another user's repository so that its config cannot run
// anything; nothing is run here.
func TestAnotherUsersRepository(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIP needs root: only root can give a repository away")
	}
	r := newRepo(t)
	commit := r.commit(map[string]string{"a.md": "text"})
	if err := filepath.Walk(r.dir, func(p string, _ os.FileInfo, _ error) error { return os.Lchown(p, 12345, 12345) }); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, r.open(), commit)["a.md"]; got != "text" {
		t.Errorf("got %q", got)
	}
}
