package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// An index is a folder of generations, of which CURRENT names the one in use:
//
//	data/index/CURRENT            gen-000002
//	data/index/LOCK               held by the build under way
//	data/index/gen-000002/        manifest.json, bleve/, vectors.f32, tokens.i8
//
// A build makes the next generation, flushes it to disk and then renames a new
// CURRENT over the old: whenever it dies, the index is the old one or the new.
// A search holds a shared lock on its generation's manifest; a build removes
// only generations that nobody holds.
const (
	currentName = "CURRENT"
	lockName    = "LOCK"
)

var generationName = regexp.MustCompile(`^gen-[0-9]{6,}$`)

func generation(n int) string { return fmt.Sprintf("gen-%06d", n) }

// current is the name of the generation in use.
func current(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, currentName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", hint.Wrap(fmt.Errorf("there is no index in %s: %w", dir, err), "mr-index build -index '%s' makes one", dir)
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(string(text), "\n")
	if !generationName.MatchString(name) {
		return "", hint.Wrap(fmt.Errorf("%s: expected the name of a generation, as in gen-000001, got %q", filepath.Join(dir, currentName), name), "build the index again")
	}
	return name, nil
}

// hold returns the folder of the generation in use and what keeps it from being removed.
func hold(dir string) (path string, held *os.File, err error) {
	for range 100 { // a build may replace and remove it in between
		name, err := current(dir)
		if err != nil {
			return "", nil, err
		}
		path = filepath.Join(dir, name)
		held, err = os.Open(filepath.Join(path, manifestName))
		if err == nil {
			err = lock(held, false)
		}
		again, cerr := current(dir)
		if err == nil && cerr == nil && again == name {
			return path, held, nil
		}
		if held != nil {
			err = errors.Join(err, held.Close())
		}
		if cerr == nil && again == name && !errors.Is(err, errLocked) {
			return "", nil, hint.Wrap(fmt.Errorf("the index %s is damaged: %w", path, err), "build the index again")
		}
	}
	return "", nil, fmt.Errorf("the index %s is replaced faster than it can be opened", dir)
}

// building holds the lock that one build at a time has.
func building(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f, true); err != nil {
		err = errors.Join(err, f.Close())
		if errors.Is(err, errLocked) {
			err = hint.Wrap(fmt.Errorf("another build of %s is under way", dir), "wait until it has ended, or name another -index")
		}
		return nil, err
	}
	return f, nil
}

// generations are the numbers of all there are.
func generations(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, e := range entries {
		if generationName.MatchString(e.Name()) {
			n, err := strconv.Atoi(strings.TrimPrefix(e.Name(), "gen-"))
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
	}
	return all, nil
}

// publish makes name the generation in use.
func publish(dir, name string) error {
	if err := syncTree(filepath.Join(dir, name)); err != nil {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	next := filepath.Join(dir, currentName+".next")
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	_, err = f.WriteString(name + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	if err := os.Rename(next, filepath.Join(dir, currentName)); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return syncDir(dir)
}

// nextGeneration is the number of a new generation. What killed builds left is removed.
func nextGeneration(dir string) (int, error) {
	all, err := generations(dir)
	if err != nil || len(all) == 0 {
		return 1, err
	}
	next := slices.Max(all) + 1
	now, err := current(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return next, nil // a damaged pointer: the one generation that is good may be any
	}
	return next, prune(dir, now)
}

// prune removes the generations but keep and those in use.
func prune(dir, keep string) error {
	all, err := generations(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range all {
		if name := generation(n); name != keep {
			errs = append(errs, remove(filepath.Join(dir, name)))
		}
	}
	return errors.Join(errs...)
}

func remove(path string) error {
	f, err := os.Open(filepath.Join(path, manifestName))
	if err == nil {
		defer f.Close() // nothing was written
		if err := lock(f, true); errors.Is(err, errLocked) {
			return nil // a search is reading it; the next build removes it
		} else if err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) { // without a manifest it was never finished
		return err
	}
	return os.RemoveAll(path)
}

// syncTree flushes every file and folder of path to disk.
func syncTree(path string) error {
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return syncDir(name)
		}
		return syncFile(name)
	})
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked by another process")
