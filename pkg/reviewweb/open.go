package reviewweb

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

// Open opens an address in the user's browser.
func Open(ctx context.Context, url string) error {
	argv := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		argv = []string{"open", url}
	case "windows":
		argv = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w %s", argv[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}

// GitName is the user.name of git's configuration, "" where there is none.
func GitName(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "config", "--get", "user.name").Output()
	if err != nil { // no git, or no name: the page asks
		return ""
	}
	return strings.TrimSpace(string(out))
}
