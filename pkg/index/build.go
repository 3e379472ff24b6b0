package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The parts of a generation beside its manifest.
const (
	bleveName   = "bleve"
	vectorsName = "vectors.f32"
	tokensName  = "tokens.i8"
)

// Config is how an index is built.
type Config struct {
	Analysis Analysis
	// Context is what stands in front of a passage's text where BM25 searches it.
	Context embed.Context
	// Encoder makes the token vectors of late interaction; nil for none.
	Encoder Encoder
	// LateContext is what stands in front of a passage's text where it is encoded.
	LateContext embed.Context
	// Batch is the number of passages analysed before they are written out; 0
	// is 1000. No score depends on it.
	Batch int
	// Run is the provenance.
	Run *record.Run
	// Tick, if set, is called after each passage; Warn with what did not go
	// well once the index was there.
	Tick func()
	Warn func(error)
}

// DefaultConfig is what the tools use.
func DefaultConfig() Config {
	return Config{Analysis: EnglishParts, Context: embed.TrailContext, LateContext: embed.TrailContext}
}

// Encoder makes token vectors: a [late.Encoder], or a fake.
type Encoder interface {
	Model() record.Model
	Passages(ctx context.Context, texts []string) ([]late.Matrix, error)
	Query(ctx context.Context, text string) (late.Matrix, error)
}

// Build makes an index of the corpus in dir and puts it in the place of the
// one there was. Where it fails or is killed, that one stays. Of two builds at
// once the second fails.
func Build(ctx context.Context, dir string, c *Corpus, cfg Config) (_ *Manifest, err error) {
	if err := errors.Join(cfg.Analysis.Validate(), c.sort()); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	held, err := building(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()

	n, err := nextGeneration(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, generation(n))
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil, err
	}
	m, err := buildInto(ctx, path, c, cfg)
	if err == nil {
		err = publish(dir, generation(n))
	}
	if err != nil {
		if now, _ := current(dir); now == generation(n) { // only the last flush failed
			return nil, err
		}
		return nil, errors.Join(fmt.Errorf("building %s: %w", dir, err), os.RemoveAll(path))
	}
	if err := prune(dir, generation(n)); err != nil && cfg.Warn != nil {
		cfg.Warn(fmt.Errorf("an index that was replaced could not be removed: %w", err))
	}
	return m, nil
}

// buildInto writes all files of a generation.
func buildInto(ctx context.Context, path string, c *Corpus, cfg Config) (*Manifest, error) {
	m := &Manifest{
		Format: Format, Commit: c.passages[0].Commit, Passages: len(c.passages),
		Analysis: cfg.Analysis, Context: cfg.Context, Run: cfg.Run,
	}
	if err := buildLexical(ctx, path, c, cfg); err != nil {
		return nil, err
	}
	var err error
	if m.Totals, err = countTotals(path); err != nil {
		return nil, err
	}
	if c.HasVectors() {
		m.Vectors = &Vectors{Model: c.model, Dim: c.dim()}
		err := writeVectors(filepath.Join(path, vectorsName), c.model.SHA256, c.dim(), c.ids(), func(i int) ([]float32, error) {
			return c.passages[i].Vector, ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	if cfg.Encoder != nil {
		m.Late = &Late{Model: cfg.Encoder.Model(), Context: cfg.LateContext}
		if err := buildTokens(ctx, path, c, cfg); err != nil {
			return nil, err
		}
	}
	if m.Files, err = sumFiles(path, bleveName); err != nil {
		return nil, err
	}
	return m, m.write(path)
}

func buildLexical(ctx context.Context, path string, c *Corpus, cfg Config) error {
	batch := cfg.Batch
	if batch <= 0 {
		batch = 1000
	}
	b, err := bleve.NewBuilder(filepath.Join(path, bleveName), newMapping(cfg.Analysis), map[string]any{
		"buildPathPrefix": path, "batchSize": batch,
	})
	if err != nil {
		return err
	}
	for _, p := range c.passages {
		doc, err := document(p, cfg.Context)
		if err == nil {
			err = b.Index(string(p.ID), doc)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err // what b has written goes with the folder
		}
		if cfg.Tick != nil && cfg.Encoder == nil {
			cfg.Tick()
		}
	}
	if err := b.Close(); err != nil {
		return err
	}
	// Bleve makes files for the user alone; who may read the folder may read them.
	return filepath.WalkDir(filepath.Join(path, bleveName), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(name, 0o755)
		}
		return os.Chmod(name, 0o644)
	})
}

func countTotals(path string) (_ Totals, err error) {
	l, err := openBleve(path, nil)
	if err != nil {
		return nil, err
	}
	return l.totals, l.close()
}

// encodedAtOnce keeps the encoder's workers busy, and the rest in the queue.
const encodedAtOnce = 64

func buildTokens(ctx context.Context, path string, c *Corpus, cfg Config) error {
	var ready []late.Matrix
	done := 0
	return late.WriteStore(filepath.Join(path, tokensName), cfg.Encoder.Model().SHA256, len(c.passages), func() (late.Matrix, error) {
		if len(ready) == 0 {
			var texts []string
			for _, p := range c.passages[done:min(done+encodedAtOnce, len(c.passages))] {
				texts = append(texts, embed.Text(p, cfg.LateContext))
			}
			var err error
			if ready, err = cfg.Encoder.Passages(ctx, texts); err != nil {
				return late.Matrix{}, err
			}
		}
		next := ready[0]
		ready = ready[1:]
		done++
		if cfg.Tick != nil {
			cfg.Tick()
		}
		return next, nil
	})
}

// Derive writes the file of vectors of the index in dir again, from what bleve
// holds. It does so where the file was lost or damaged: the rest must be whole.
func Derive(ctx context.Context, dir string) (err error) {
	lock, err := building(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	path, held, err := hold(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	m, err := readManifest(path)
	if err != nil {
		return err
	}
	if m.Vectors == nil {
		return fmt.Errorf("the index in %s was built without vectors", dir)
	}
	l, err := openBleve(path, m.Totals)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	next := filepath.Join(path, vectorsName+".next")
	err = writeVectors(next, m.Vectors.Model.SHA256, m.Vectors.Dim, l.ids, func(i int) ([]float32, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return storedVector(l.reader, l.ids[i])
	})
	if err == nil {
		err = syncFile(next)
	}
	if err == nil {
		err = os.Rename(next, filepath.Join(path, vectorsName))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("deriving %s: %w", vectorsName, err), os.RemoveAll(next))
	}
	return syncDir(path)
}
