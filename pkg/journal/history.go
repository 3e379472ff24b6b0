package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// history is the locked file of all changes.
type history struct {
	f *os.File
	// last is the number of its last line, 0 if there is none.
	last int
}

// openHistory waits for the lock, and reads the last line.
func openHistory(path string) (*history, error) {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return nil, err
		}
		same, err := lockSame(f, path)
		if err == nil && same {
			h := &history{f: f}
			if err = h.readLast(); err == nil {
				return h, nil
			}
		}
		err = errors.Join(err, f.Close())
		if err != nil {
			return nil, err
		}
	}
}

// makeDir makes a folder that is not there, and the ones above it, to outlast a power cut.
func makeDir(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	above := filepath.Dir(path)
	if err := makeDir(above); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(above)
}

// lockSame locks a file, and tells whether the path still leads to it: it may
// have been moved away while we waited.
func lockSame(f *os.File, path string) (bool, error) {
	if err := lock(f); err != nil {
		return false, err
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, now), err
}

// readLast takes off a line without an end, and reads the number of the last one.
func (h *history) readLast() error {
	text, err := io.ReadAll(h.f)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) < len(text) {
		if err := h.f.Truncate(int64(len(whole))); err != nil {
			return fmt.Errorf("take the cut-off last line from %s: %w", h.f.Name(), err)
		}
	}
	if len(whole) == 0 {
		return nil
	}
	lines := bytes.Split(whole[:len(whole)-1], []byte("\n"))
	var line struct {
		Seq  int            `json:"seq"`
		Rest jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &line); err != nil {
		return fmt.Errorf("%s:%d: expected the record of a change: %w", h.f.Name(), len(lines), err)
	}
	if line.Seq < 1 {
		return fmt.Errorf("%s:%d: expected \"seq\", the change's number from 1, got %d", h.f.Name(), len(lines), line.Seq)
	}
	h.last = line.Seq
	return nil
}

// add appends a line and flushes it to disk.
func (h *history) add(line []byte) error {
	if _, err := h.f.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := h.f.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(h.f.Name()))
}
