package index

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a file until it is closed, or fails with errLocked at once. The
// lock lies beyond the end of the file, so that it can still be read.
func lock(f *os.File, exclusive bool) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// syncDir has nothing to do: Windows has no such call.
func syncDir(string) error { return nil }
