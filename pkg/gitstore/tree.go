package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// MaxBlob is the largest file Read accepts, in bytes.
const MaxBlob = 256 << 20

// Kind is what a file of a tree is.
type Kind int

// The kinds of file.
const (
	Regular   Kind = iota
	Symlink        // its blob holds the path it points at
	Submodule      // a commit of another repository; it has no blob here
)

// Blob is a file at a commit.
type Blob struct {
	// Path counts from the root of the tree, parts separated by '/'. Git allows
	// any byte in it but NUL: it may hold a newline, or not be UTF-8.
	Path string
	// ID is the object's id, in hexadecimal.
	ID   string
	Kind Kind
}

// List returns every file at the commit, in the order of git's tree.
func (s *Store) List(ctx context.Context, commit record.Commit) ([]Blob, error) {
	out, err := s.git(ctx, "ls-tree", "-r", "-z", "--full-tree", string(commit))
	if err != nil {
		return nil, err
	}
	var blobs []Blob
	for entry := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(entry) == 0 { // an empty tree
			continue
		}
		b, err := parseEntry(string(entry))
		if err != nil {
			return nil, fmt.Errorf("%s: git ls-tree: %w", s.dir, err)
		}
		blobs = append(blobs, b)
	}
	return blobs, nil
}

// parseEntry reads "mode type id\tpath".
func parseEntry(entry string) (Blob, error) {
	head, path, ok := strings.Cut(entry, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 3 {
		return Blob{}, fmt.Errorf("expected \"mode type id<tab>path\", got %q", entry)
	}
	b := Blob{Path: path, ID: f[2]}
	switch {
	case f[0] == "120000":
		b.Kind = Symlink
	case f[1] == "commit":
		b.Kind = Submodule
	}
	return b, nil
}

// Read calls fn with the bytes of each blob, in the order given, over one git
// process. It stops at the first error.
func (s *Store) Read(ctx context.Context, blobs []Blob, fn func(Blob, []byte) error) error {
	ctx, cancel := context.WithCancel(ctx) // ends git when fn fails
	defer cancel()
	cmd := s.command(ctx, "cat-file", "--batch")
	var ids strings.Builder
	for _, b := range blobs {
		ids.WriteString(b.ID + "\n")
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(ids.String()), &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return s.failure(ctx, "cat-file", err, "")
	}
	err = readBatch(bufio.NewReaderSize(out, 64<<10), blobs, fn)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		cancel()
		_ = cmd.Wait() // it was killed; err says why
		return err
	}
	waited := cmd.Wait()
	if waited == nil {
		waited = err
	}
	if waited != nil {
		return s.failure(ctx, "cat-file", waited, stderr.String())
	}
	return nil
}

// readBatch reads the answers of cat-file --batch: "id type size\n", the bytes, "\n".
func readBatch(r *bufio.Reader, blobs []Blob, fn func(Blob, []byte) error) error {
	for _, b := range blobs {
		head, err := r.ReadString('\n')
		if err != nil {
			return io.ErrUnexpectedEOF
		}
		f := strings.Fields(head)
		if len(f) != 3 || f[1] != "blob" {
			return hint.Wrap(fmt.Errorf("%s: expected the blob %s, got %q from git cat-file", b.Path, b.ID, strings.TrimSpace(head)),
				"the object is missing or damaged: git fsck says more; a partial clone must be cloned again without --filter")
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size > MaxBlob {
			return fmt.Errorf("%s: %s bytes, where a file may have %d MiB", b.Path, f[2], MaxBlob>>20)
		}
		data := make([]byte, size+1)
		if _, err := io.ReadFull(r, data); err != nil {
			return io.ErrUnexpectedEOF
		}
		if err := fn(b, data[:size]); err != nil {
			return err
		}
	}
	return nil
}
