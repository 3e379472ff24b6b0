// Package claude asks Claude for one structured reply through the program
// `claude -p` that the user has installed and signed in.
//
// A call is shut off from everything but its prompt, and its reply is trusted in
// nothing:
//   - Our own system prompt, no tools, no MCP servers, no settings, no skills, no
//     memory, no session kept; the working folder is empty and made for the call,
//     the environment holds what the program needs to run and to be signed in,
//     and no more. The prompt goes in on a stdin that is then closed.
//   - The flags for that are looked for in `claude --help` before the first call;
//     a version that lacks one is refused, by its name.
//   - A reply counts where the exit code is 0, is_error is false, subtype is
//     success, structured_output is an object, and the model that was asked, and
//     no other, has used tokens. All else is an error that says what came.
//   - A call has five minutes; then it is killed with all that it started.
//   - At most two run at once: more of them damage the program's own files.
//
// The model is asked by its full id. An alias such as sonnet moves with every
// release and is refused. A dated id is served as it is; of an id without a
// date, such as claude-sonnet-4-5, a dated one (claude-sonnet-4-5-20250929) counts
// as the model asked, and nothing else does.
//
// There is no temperature and no seed: repeats measure how far replies move.
// Calls count against the user's plan, or are billed to ANTHROPIC_API_KEY where
// that is set.
package claude

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// CallLimit bounds one call.
const CallLimit = 5 * time.Minute

const (
	workers   = 2
	maxPrompt = 8 << 20   // the program refuses more than 10 MB
	maxArg    = 100 << 10 // Linux takes 128 KiB in one argument
)

// A Client asks one model. It is a judge.Asker.
type Client struct {
	model   string
	path    string // of the program
	version string // of the program
	extra   []string
	limit   time.Duration
	slots   chan struct{}
}

var _ judge.Asker = (*Client)(nil)

// id is what a model's full id looks like: it has a version in it.
var id = regexp.MustCompile(`^[A-Za-z][\w.:@/-]*\d[\w.:@/-]*$`)

// Connect finds the program claude on PATH and looks at its flags. It makes no
// call to a model.
func Connect(ctx context.Context, model string) (*Client, error) {
	if !id.MatchString(model) {
		return nil, hint.Wrap(fmt.Errorf("claude-cli: %q is no full id of a model; an alias stands for another one with every release", model),
			"for example claude-cli:claude-sonnet-4-5-20250929")
	}
	path, err := exec.LookPath("claude")
	if err == nil {
		path, err = filepath.Abs(path) // calls run in another folder
	}
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("claude-cli: the program claude was not found: %w", err), "install Claude Code and sign in with `claude`, or leave this judge out")
	}
	c := &Client{model: model, path: path, limit: CallLimit, slots: make(chan struct{}, workers)}
	if err := c.probe(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// needed are the flags without which a call is not shut off, or its reply not structured.
var needed = []string{"--print", "--output-format", "--json-schema", "--model", "--system-prompt", "--tools",
	"--strict-mcp-config", "--disable-slash-commands", "--setting-sources", "--no-session-persistence"}

// safeMode leaves out CLAUDE.md of the user, hooks and plugins too, in versions that have it.
const safeMode = "--safe-mode"

var flagName = regexp.MustCompile(`--[a-z][a-z-]*`)

// probe reads the program's version and flags.
func (c *Client) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	help, err := c.run(ctx, []string{"--help"}, "")
	if err != nil {
		return fmt.Errorf("claude-cli: %s --help: %w", c.path, err)
	}
	has := map[string]bool{}
	for _, f := range flagName.FindAllString(help, -1) {
		has[f] = true
	}
	var missing []string
	for _, f := range needed {
		if !has[f] {
			missing = append(missing, f)
		}
	}
	if missing != nil {
		return hint.Wrap(fmt.Errorf("claude-cli: %s has no flag %s", c.path, strings.Join(missing, ", ")), "update Claude Code: claude update")
	}
	if has[safeMode] {
		c.extra = append(c.extra, safeMode)
	}
	version, err := c.run(ctx, []string{"--version"}, "")
	if err != nil {
		return fmt.Errorf("claude-cli: %s --version: %w", c.path, err)
	}
	c.version = quotation.OneLine(version)
	return nil
}

// Name is claude-cli: with the model.
func (c *Client) Name() string { return judge.ClaudeScheme + c.model }

// Model is the model asked. Its weights have no digest that could be known.
func (c *Client) Model() record.Model { return record.Model{Name: c.model} }

// Options are the program's version and how it is called.
func (c *Client) Options() string {
	return strings.Join(append([]string{"claude=" + c.version}, c.extra...), " ")
}

// Ask makes one call and returns the reply's structured_output.
func (c *Client) Ask(ctx context.Context, p judge.Prompt) ([]byte, error) {
	schema, err := plainSchema(p.Schema)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	switch {
	case strings.TrimSpace(p.User) == "":
		return nil, errors.New("the prompt is empty: claude would wait for more of it, and was not called")
	case !utf8.ValidString(p.User) || !utf8.ValidString(p.System):
		return nil, errors.New("the prompt is not UTF-8, and claude was not called")
	case len(p.User) > maxPrompt:
		return nil, fmt.Errorf("the prompt has %d bytes, expected at most %d, and claude was not called", len(p.User), maxPrompt)
	case len(p.System) > maxArg || len(schema) > maxArg:
		return nil, fmt.Errorf("the system prompt or the schema has more than %d bytes, and claude was not called", maxArg)
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, fmt.Errorf("claude gave no reply within %v, and was killed", c.limit))
	defer cancel()
	out, err := c.run(ctx, c.args(p.System, schema), p.User)
	if err != nil {
		return nil, err
	}
	return accept([]byte(out), c.model)
}

// args shut a call off. There is no --max-turns: the structured reply is a turn
// of its own, and newer versions hide the flag.
func (c *Client) args(system, schema string) []string {
	return append([]string{
		"--print",
		"--output-format", "json",
		"--json-schema", schema,
		"--model", c.model,
		"--system-prompt", system,
		"--tools", "",
		"--strict-mcp-config",
		"--disable-slash-commands",
		"--setting-sources", "",
		"--no-session-persistence",
	}, c.extra...)
}
