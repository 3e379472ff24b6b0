package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file as a whole: afterwards it is the old one or the new
// one, also where the process or the machine stops in between. A link is
// followed, and the file's permissions are kept. Two processes must not replace
// one file at once.
func Replace(path string, data []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temp := path + ".tmp" // what a killed process left is written over
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s was not written: %w", path, err), os.Remove(temp))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(temp, path); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(path)); err != nil { // the file is there, but may not outlast a power cut
		return fmt.Errorf("%s: the folder was not flushed: %w", path, err)
	}
	return nil
}
