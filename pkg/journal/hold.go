package journal

import (
	"errors"
	"os"
)

// Hold waits until no other process holds path, and holds it until release is
// called: for files that are read, changed and replaced by programs of this
// project alone. The lock is a file beside it, path.lock, which release takes
// away. One that a killed process left holds nobody up.
func Hold(path string) (release func() error, err error) {
	path += ".lock"
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		same, err := lockSame(f, path)
		if err == nil && same {
			return func() error { return unhold(f) }, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}
