// Package gitstore reads files of a git repository at one commit, straight
// from the object store.
//
//   - The bytes are those of `git show COMMIT:PATH`: no work tree, no index, no
//     filter, no textconv, no replace refs.
//   - Nothing the repository's config names is run: only rev-parse,
//     for-each-ref, ls-tree and cat-file are used, none of which runs a hook,
//     a pager or a filter when its output is a pipe, and fetching on demand (of
//     partial clones) is off. System and user config are not read, so the
//     result depends on the repository alone.
//   - The caller's GIT_* variables are dropped: inside a hook GIT_DIR would
//     otherwise turn every read to the hook's own repository.
//   - Bare repositories, linked work trees and any folder inside of a work tree
//     serve alike. Paths always count from the root of the tree.
//
// Git itself is the reference: git 2.30 or newer, found on PATH.
package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// Store is a git repository.
type Store struct {
	dir string
}

// Open checks that dir lies in a git repository.
func Open(ctx context.Context, dir string) (*Store, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.Wrap(fmt.Errorf("%s: no such folder", dir), "name a clone of the repository that holds the docs")
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: expected the folder of a git repository, got a file", dir)
	}
	s := &Store{dir}
	if _, err := s.git(ctx, "rev-parse", "--git-dir"); err != nil {
		if strings.Contains(err.Error(), "not a git repository") {
			return nil, hint.Wrap(fmt.Errorf("%s: not a git repository", dir),
				"name a clone, or pass the pages as document records on stdin")
		}
		return nil, err
	}
	return s, nil
}

// command prepares git with an environment in which the repository decides
// nothing but its objects and refs.
func (s *Store) command(ctx context.Context, args ...string) *exec.Cmd {
	// Ownership is checked by git so that a stranger's config cannot run
	// anything; nothing is run here, so a checkout of another user (a
	// container's mount) is as good as one's own.
	args = append([]string{"--no-replace-objects", "--no-pager", "-c", "safe.directory=*"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = s.dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env,
		"LC_ALL=C", // messages are compared
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1",        // git 2.44 and newer
		"GIT_ALLOW_PROTOCOL=nothing", // the same for older ones: no such transport
	)
	return cmd
}

// git runs a command and returns its output.
func (s *Store) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := s.command(ctx, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, s.failure(ctx, args[0], err, stderr.String())
	}
	return out.Bytes(), nil
}

// failure turns the end of a git process into an error that says why.
func (s *Store) failure(ctx context.Context, command string, err error, stderr string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return hint.Wrap(fmt.Errorf("git is not installed: %w", err), "install git, or pass the pages as document records on stdin")
	}
	said := strings.TrimSpace(strings.ReplaceAll(stderr, "\n", "; "))
	wrapped := fmt.Errorf("%s: git %s: %w", s.dir, command, err)
	if said != "" {
		wrapped = fmt.Errorf("%s: git %s: %s (%w)", s.dir, command, strings.Trim(said, "; "), err)
	}
	if strings.Contains(said, "promisor") || strings.Contains(said, "not allowed") {
		return hint.Wrap(wrapped, "this is a partial clone, and nothing is fetched on demand: clone without --filter")
	}
	return wrapped
}
