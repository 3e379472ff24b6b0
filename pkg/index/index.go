package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/blevesearch/bleve/v2"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Index is an index that is open to be searched. Nothing in its folder is
// written, any number of processes may search it at once, and a build beside
// them puts another in its place without their seeing it. It is safe for
// concurrent use until Close.
type Index struct {
	bm25     BM25
	held     *os.File // keeps the generation from being removed
	manifest *Manifest
	lexical  *lexical
	vectors  *vectors    // nil where there are none
	tokens   *late.Store // nil where there are none
}

// Open opens the index in dir, and reads each of its files once to compare its
// checksum.
func Open(dir string, bm25 BM25) (_ *Index, err error) {
	if err := bm25.Validate(); err != nil {
		return nil, err
	}
	path, held, err := hold(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{bm25: bm25, held: held}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	if x.manifest, err = readManifest(path); err != nil {
		return nil, err
	}
	if x.lexical, err = openBleve(path, x.manifest.Totals); err != nil {
		return nil, err
	}
	if n := len(x.lexical.ids); n != x.manifest.Passages {
		return nil, fmt.Errorf("the index %s holds %d passages, its manifest says %d", path, n, x.manifest.Passages)
	}
	if err := x.openVectors(path); err != nil {
		return nil, err
	}
	return x, x.openTokens(path)
}

func openBleve(path string, totals Totals) (*lexical, error) {
	path = filepath.Join(path, bleveName)
	b, err := bleve.OpenUsing(path, map[string]any{"read_only": true})
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("bleve index %s: %w", path, err), "build the index again")
	}
	l, err := openLexical(b, totals)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bleve index %s: %w", path, err), b.Close())
	}
	return l, nil
}

func (x *Index) openVectors(path string) (err error) {
	want := x.manifest.Vectors
	if want == nil {
		return nil
	}
	path = filepath.Join(path, vectorsName)
	if x.vectors, err = openVectors(path, x.lexical.ids); err != nil {
		return err
	}
	if got := x.vectors.model(); got != want.Model.SHA256 || x.vectors.header.dim != want.Dim {
		err := fmt.Errorf("vectors %s: %d numbers from the model with sha256 %.12s, the index was built with %d from %s", path, x.vectors.header.dim, got, want.Dim, describe(want.Model))
		return hint.Wrap(err, "mr-index derive writes the file again, from what the index holds")
	}
	return nil
}

func (x *Index) openTokens(path string) (err error) {
	want := x.manifest.Late
	if want == nil {
		return nil
	}
	path = filepath.Join(path, tokensName)
	if x.tokens, err = late.OpenStore(path); err != nil {
		return err
	}
	if got := x.tokens.Model(); got != want.Model.SHA256 || x.tokens.Len() != x.manifest.Passages {
		err := fmt.Errorf("token vectors %s: of %d passages from the model with sha256 %.12s, the index has %d from %s", path, x.tokens.Len(), got, x.manifest.Passages, describe(want.Model))
		return hint.Wrap(err, "build the index again")
	}
	return nil
}

// Close lets go of the files.
func (x *Index) Close() error {
	var errs []error
	if x.lexical != nil {
		errs = append(errs, x.lexical.close())
	}
	if x.vectors != nil {
		errs = append(errs, x.vectors.close())
	}
	if x.tokens != nil {
		errs = append(errs, x.tokens.Close())
	}
	return errors.Join(append(errs, x.held.Close())...)
}

// Manifest implements Engine.
func (x *Index) Manifest() *Manifest { return x.manifest }

// Passage implements Engine.
func (x *Index) Passage(_ context.Context, id record.PassageID) (*record.Passage, error) {
	return storedPassage(x.lexical.reader, id)
}

// Rank implements Engine.
func (x *Index) Rank(ctx context.Context, leg record.StageName, q Question, among []record.PassageID) (Ranking, error) {
	switch leg {
	case LegBM25:
		scores, err := x.lexical.score(ctx, x.bm25, q.Text)
		return ranking[float64]{x.lexical, scores}, err
	case LegVector:
		return ranking[float32]{x.lexical, x.vectors.matrix.Dots(q.Vector, runtime.GOMAXPROCS(0))}, nil
	case LegLate:
		return ranking[float32]{x.lexical, x.late(q.Tokens, among)}, nil
	}
	return nil, fmt.Errorf("there is no leg %q: the legs are bm25, vector and late", leg)
}

// late returns the late-interaction score of every row, NaN for those not asked for.
func (x *Index) late(tokens late.Matrix, among []record.PassageID) []float32 {
	if among == nil {
		return x.tokens.Search(tokens, nil)
	}
	rows := make([]int, len(among))
	for i, id := range among {
		rows[i] = x.lexical.row(id)
	}
	scores := make([]float32, len(x.lexical.ids))
	for i := range scores {
		scores[i] = float32(math.NaN())
	}
	for i, s := range x.tokens.Search(tokens, rows) {
		scores[rows[i]] = s
	}
	return scores
}
