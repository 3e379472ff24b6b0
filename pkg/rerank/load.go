package rerank

import (
	"errors"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// Options say where and how the scorers run.
type Options struct {
	Models string      // folder, see model.Find
	Cache  string      // folder, see cache.Open
	Warn   func(error) // of a cache that does not work
	// Late adds late interaction to the scorers.
	Late bool
	// Workers is the number of texts at once in each scorer; 0 is GOMAXPROCS.
	Workers int
}

// Load gives r the scorers that its recipe calls for: the cross-encoder if it is
// named, late interaction if o says so. Where neither is wanted no folder is
// looked at. The caller calls unload in the end.
func (r *Reranker) Load(o Options) (unload func() error, err error) {
	named := r.Recipe.Names(CrossEncoderStage)
	if !named && !o.Late {
		return func() error { return nil }, nil
	}
	c, err := cache.Open(o.Cache, o.Warn)
	if err != nil {
		return nil, err
	}
	closers := []func() error{c.Close}
	unload = func() error {
		var errs []error
		for _, fn := range closers {
			errs = append(errs, fn())
		}
		return errors.Join(errs...)
	}
	fail := func(err error) (func() error, error) { return nil, errors.Join(err, unload()) }
	store, err := model.Find(o.Models)
	if err != nil {
		return fail(err)
	}
	if named {
		x, err := Open(store, c, o.Workers)
		if err != nil {
			return fail(err)
		}
		closers = append(closers, x.Close)
		r.Scorers = append(r.Scorers, x)
	}
	if o.Late {
		e, err := late.Open(store, c, late.Options{Workers: o.Workers})
		if err != nil {
			return fail(err)
		}
		closers = append(closers, e.Close)
		r.Scorers = append(r.Scorers, Late{e})
	}
	return unload, nil
}
