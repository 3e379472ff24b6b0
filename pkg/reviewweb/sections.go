package reviewweb

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Sections shows and finds the sections of a corpus. Search stands on an index
// of its words in a folder of its own, which is built beside the first requests.
type Sections struct {
	corpus *corpus.Corpus
	dir    string
	cancel context.CancelFunc
	open   func() (*index.Index, error) // waits for the build
}

// NewSections begins to build the index. Close removes it.
func NewSections(ctx context.Context, c *corpus.Corpus) (*Sections, error) {
	dir, err := os.MkdirTemp("", "mr-review-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Sections{corpus: c, dir: dir, cancel: cancel}
	s.open = sync.OnceValues(func() (*index.Index, error) { return buildWords(ctx, filepath.Join(dir, "index"), c) })
	go s.open()
	return s, nil
}

// buildWords builds an index without vectors.
func buildWords(ctx context.Context, dir string, c *corpus.Corpus) (*index.Index, error) {
	var words index.Corpus
	for _, p := range c.Passages {
		bare := *p
		bare.Vector = nil
		if err := words.Add(&bare, record.Model{}, string(p.ID)); err != nil {
			return nil, err
		}
	}
	if _, err := index.Build(ctx, dir, &words, index.DefaultConfig()); err != nil {
		return nil, err
	}
	x, err := index.Open(dir, index.DefaultBM25())
	if err == nil && runtime.GOOS != "windows" {
		err = os.RemoveAll(dir) // open files outlive their names, and a kill leaves none
	}
	return x, err
}

// Close stops a build under way and removes the index.
func (s *Sections) Close() error {
	s.cancel()
	x, err := s.open()
	if err == nil {
		err = x.Close()
	} else if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// Words is the system of hits by the words alone.
const Words record.SystemName = "bm25"

// Search returns the k best passages for a text, by their words.
func (s *Sections) Search(ctx context.Context, q record.QuestionRef, k int) (*record.Hits, error) {
	x, err := s.open()
	if err != nil {
		return nil, err
	}
	ranking, err := x.Rank(ctx, index.LegBM25, index.Question{Text: q.Text}, nil)
	if err != nil {
		return nil, err
	}
	out := &record.Hits{Question: q, System: Words, Hits: []record.Hit{}}
	for i, found := range ranking.Top(k) {
		p := s.corpus.Passage(found.ID)
		out.Hits = append(out.Hits, record.Hit{
			Passage: p.ID, Section: p.Section, Path: p.Path, Heading: p.Heading, Headings: p.Headings,
			Lines: p.Lines, Commit: p.Commit, Rank: i + 1, Score: found.Score,
		})
	}
	return out, nil
}

// section is a section as a page shows it.
type section struct {
	ID       record.SectionID `json:"id"`
	Known    bool             `json:"known"`
	Path     string           `json:"path,omitempty"`
	Headings []string         `json:"headings,omitempty"`
	Lines    [2]int           `json:"lines,omitzero"`
	// Parts is the HTML of each part, where it was asked for.
	Parts []string `json:"parts,omitempty"`
	// Rank is among the sections of a list, from 1; 0 where it is not in it.
	Rank int `json:"rank,omitzero"`
}

// brief is a section without its text.
func (s *Sections) brief(id record.SectionID) section {
	parts := s.corpus.Section(id)
	if len(parts) == 0 {
		return section{ID: id}
	}
	first, last := parts[0], parts[len(parts)-1]
	return section{ID: id, Known: true, Path: first.Path, Headings: first.Headings, Lines: [2]int{first.Lines[0], last.Lines[1]}}
}

// whole is a section with its text rendered.
func (s *Sections) whole(id record.SectionID) section {
	out := s.brief(id)
	for _, p := range s.corpus.Section(id) {
		out.Parts = append(out.Parts, Markdown(p.Text, p.Path, s.known))
	}
	return out
}

func (s *Sections) known(id string) bool { return len(s.corpus.Section(record.SectionID(id))) > 0 }

// find lists sections for what was typed: those whose id it is, or ends, first.
func (s *Sections) find(ctx context.Context, text string, k int) ([]section, error) {
	var ids []record.SectionID
	if text = strings.TrimSpace(text); text == "" {
		return []section{}, nil
	}
	for _, id := range s.corpus.Sections {
		if len(ids) < k && strings.Contains(text, "#") && strings.HasSuffix(strings.ToLower(string(id)), strings.ToLower(text)) {
			ids = append(ids, id)
		}
	}
	hits, err := s.Search(ctx, record.QuestionRef{ID: "search", Text: text}, 3*k)
	if err != nil {
		return nil, err
	}
	for _, h := range hits.Hits {
		if len(ids) < k && !slices.Contains(ids, h.Section) {
			ids = append(ids, h.Section)
		}
	}
	out := make([]section, len(ids))
	for i, id := range ids {
		out[i] = s.brief(id)
		out[i].Rank = i + 1
	}
	return out, nil
}

// routes adds the requests about sections.
func (s *Sections) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/section", answering(func(r *http.Request) (any, error) {
		out := s.whole(record.SectionID(r.URL.Query().Get("id")))
		if !out.Known {
			return nil, errUnknown
		}
		return out, nil
	}))
	mux.HandleFunc("GET /api/search", answering(func(r *http.Request) (any, error) {
		return s.find(r.Context(), r.URL.Query().Get("q"), 20)
	}))
}
