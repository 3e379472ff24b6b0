package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/gitstore"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Source gives the pages to cut. A source that reads no records ignores in.
type Source func(ctx context.Context, in *record.Reader) (*Set, error)

// Git is the source of the pages of a repository at a pin.
func (c *Cutter) Git(dir, pin string) Source {
	return func(ctx context.Context, _ *record.Reader) (*Set, error) {
		store, err := gitstore.Open(ctx, dir)
		if err != nil {
			return nil, err
		}
		commit, err := store.Resolve(ctx, pin)
		if err != nil {
			return nil, err
		}
		files, err := store.List(ctx, commit)
		if err != nil {
			return nil, err
		}
		set := &Set{Commit: commit}
		var pages []gitstore.Blob
		for _, f := range files {
			switch {
			case !c.isPage(f.Path) || !c.selects(f.Path):
			case f.Kind != gitstore.Regular:
				set.Notes = append(set.Notes, fmt.Sprintf("%q is left out: a symbolic link or a submodule, not a page", f.Path))
			default:
				pages = append(pages, f)
			}
		}
		err = store.Read(ctx, pages, func(b gitstore.Blob, data []byte) error {
			set.Pages = append(set.Pages, Page{Path: b.Path, Text: data})
			return nil
		})
		set.sort()
		return set, err
	}
}

// FS is the source of the pages of a file system, such as one embedded in a
// program, as a set of documents.
func (c *Cutter) FS(fsys fs.FS) Source {
	return func(context.Context, *record.Reader) (*Set, error) {
		set := &Set{}
		err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !c.isPage(path) || !c.selects(path) {
				return err
			}
			data, err := fs.ReadFile(fsys, path)
			set.Pages = append(set.Pages, Page{Path: path, Text: data})
			return err
		})
		set.sort()
		set.Commit = set.documentsCommit()
		return set, err
	}
}

// Documents is the source of document records. Any path is a page's; the globs
// of the configuration hold as elsewhere.
func (c *Cutter) Documents() Source {
	return func(_ context.Context, in *record.Reader) (*Set, error) {
		set := &Set{}
		seen := map[string]record.Pos{}
		out := 0
		for in.Scan() {
			switch rec := in.Record().(type) {
			case *record.Run:
				set.Inputs = append(set.Inputs, rec)
			case *record.Document:
				if first, dup := seen[rec.Path]; dup {
					in.Reject(fmt.Errorf("the path %q was also given at %v: expected each page once", rec.Path, first))
					continue
				}
				seen[rec.Path] = in.Pos()
				if !c.selects(rec.Path) {
					out++
					continue
				}
				page := Page{Path: rec.Path, Text: []byte(rec.Text), origin: in.Pos().String()}
				if err := page.check(); err != nil {
					in.Reject(err)
				}
				set.Pages = append(set.Pages, page)
			case *record.End, *record.Timing:
			default:
				in.Reject(fmt.Errorf("expected a document record, got a %s record", rec.Kind()))
			}
		}
		if err := in.Err(); err != nil {
			return nil, err
		}
		if len(seen) == 0 {
			return nil, errors.New("no document records came in: expected lines of {\"type\":\"document\",\"path\":…,\"text\":…}")
		}
		if out > 0 {
			set.Notes = append(set.Notes, fmt.Sprintf("%d of %d documents are left out by the globs of the configuration", out, len(seen)))
		}
		set.sort()
		set.Commit = set.documentsCommit()
		return set, nil
	}
}

func (s *Set) sort() {
	slices.SortFunc(s.Pages, func(a, b Page) int { return cmp.Compare(a.Path, b.Path) })
}

// documentsCommit identifies a set of documents, as the package comment defines it.
func (s *Set) documentsCommit() record.Commit {
	var list strings.Builder
	for _, p := range s.Pages {
		fmt.Fprintf(&list, "%s  %s\n", sum(p.Text), p.Path)
	}
	return record.Commit(sum([]byte(list.String())))
}
