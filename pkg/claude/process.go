package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxOutput = 4 << 20
	maxQuoted = 300 // bytes of what the program said, in an error
)

// run starts the program in an empty folder, gives it stdin and returns its
// stdout. Exit codes other than 0, too much output and what is not UTF-8 are errors.
func (c *Client) run(ctx context.Context, args []string, stdin string) (out string, err error) {
	dir, err := os.MkdirTemp("", "mobium-rag-claude-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stdout := &limited{max: maxOutput, full: func() { cancel(fmt.Errorf("claude wrote more than %d bytes, and was killed", maxOutput)) }}
	stderr := &limited{max: 64 << 10, full: func() {}}
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Dir, cmd.Env = dir, environment(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), stdout, stderr
	cmd.WaitDelay = 10 * time.Second // for pipes that what it started keeps open
	ownGroup(cmd)
	if err = cmd.Run(); err != nil && cmd.Process != nil {
		_ = killGroup(cmd) // what it started may outlive it; most often nothing is left
	}
	said := stdout.kept.String()
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &exit):
		return "", fmt.Errorf("claude ended with %v and said: %s", exit.ProcessState, excerpt(said+" "+stderr.kept.String()))
	case err != nil:
		return "", fmt.Errorf("claude: %w", err)
	case !utf8.ValidString(said):
		return "", fmt.Errorf("the reply of claude is not UTF-8: %s", excerpt(said))
	}
	return said, nil
}

// limited keeps the first max bytes, and calls full when there are more. The
// buffer is not embedded: io.Copy would find its ReadFrom, which has no limit.
type limited struct {
	kept bytes.Buffer
	max  int
	full func()
}

// Write keeps what there is room for, and takes the rest without keeping it.
func (l *limited) Write(p []byte) (int, error) {
	keep := min(len(p), l.max-l.kept.Len())
	if keep < len(p) {
		l.full()
	}
	l.kept.Write(p[:keep]) // a Buffer returns no error
	return len(p), nil
}

// excerpt is the beginning of what a program said, on one line, without control characters.
func excerpt(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "nothing"
	}
	if len(s) > maxQuoted {
		s = strings.ToValidUTF8(s[:maxQuoted], "") + "…"
	}
	return s
}

// passed are the variables that reach the program: what it runs and reaches the
// network by, and where its sign-in is. Not among them is what would change the
// reply (ANTHROPIC_MODEL, ANTHROPIC_BASE_URL, CLAUDE_CODE_…) or tell it that it
// runs within another session.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ",
	"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PROGRAMFILES", "CLAUDE_CODE_GIT_BASH_PATH"}

// environment is what of env reaches the program, with memory, telemetry and
// updates turned off.
func environment(env []string) []string {
	var out []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); slices.ContainsFunc(passed, func(p string) bool { return same(p, name) }) {
			out = append(out, kv)
		}
	}
	return append(out, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
}
