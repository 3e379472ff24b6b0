package reviewweb

import (
	"errors"
	"io/fs"
	"os"
)

// look returns what files look like; one that is not there looks like nothing.
func look(paths ...string) ([]fs.FileInfo, error) {
	out := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			out[i] = info
		}
	}
	return out, nil
}

// same says whether files look as they did: a file that was replaced is another.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
