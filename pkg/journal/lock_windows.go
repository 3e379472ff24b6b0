package journal

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lock waits for the lock on a file, which is held until it is closed. The lock
// lies beyond the end of the file, so that it can still be read.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, at); err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// syncDir has nothing to do: Windows has no such call.
func syncDir(string) error { return nil }
