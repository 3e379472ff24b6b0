//go:build !unix

package claude

import (
	"os/exec"
	"strings"
)

// ownGroup leaves the program as it is: it is killed alone.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// same compares names of variables, which have no case here.
func same(a, b string) bool { return strings.EqualFold(a, b) }
