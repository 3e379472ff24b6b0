package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write writes files into a folder, each whole or not at all: all are written
// under other names first and renamed in their order, so that a page stands
// only when its plots do. Where anything fails before the renaming, nothing is
// changed; what was written under other names is removed in any case.
func Write(folder string, files []File) (err error) {
	var temporary []string
	defer func() {
		for _, name := range temporary {
			if rerr := os.Remove(name); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
				err = errors.Join(err, rerr)
			}
		}
	}()
	for _, f := range files {
		name := filepath.Join(folder, fmt.Sprintf(".%s.%d.tmp", f.Name, os.Getpid()))
		temporary = append(temporary, name)
		if err := writeNew(name, f.Data); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := os.Rename(temporary[i], filepath.Join(folder, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file to the disk. One of that name is of a process that died, and goes.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
