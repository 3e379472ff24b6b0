//go:build unix

package claude

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the head of a group, which is killed whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// same compares names of variables.
func same(a, b string) bool { return a == b }
