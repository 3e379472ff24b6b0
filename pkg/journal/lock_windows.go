package journal

import (
	"errors"
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

// unhold takes the lock's file away, which Windows refuses while another process has it open.
func unhold(f *os.File) error {
	err := f.Close()
	if rerr := os.Remove(f.Name()); rerr != nil && !errors.Is(rerr, windows.ERROR_SHARING_VIOLATION) && !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
