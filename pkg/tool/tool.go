// Package tool is the outside of a tool: flags, the standard streams, messages
// and the exit code. What a tool does is elsewhere.
//
// The rules every tool follows:
//   - Data goes to stdout. Everything else goes to stderr, as "mr-x: error: …"
//     or "mr-x: warning: …", lower case, without a final period, and "hint: …"
//     where the next step is known. Progress is shown only on a terminal.
//   - The manual is the package comment of the tool's main.go; -h prints it on stdout.
//   - Files named after the flags are read in place of stdin; - is stdin.
//   - Exit 0: done. 1: failed. 2: misuse. 3: measured, and the verdict is no
//     (its output is complete; a failure on top of a verdict is a failure).
//   - The first interrupt ends a read of stdin and cancels the context; the second kills.
package tool

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// The exit codes.
const (
	Done    = 0
	Failure = 1
	Misuse  = 2
	Verdict = 3
)

// Tool is one run of a tool.
type Tool struct {
	Name   string
	Flags  *flag.FlagSet
	Stdin  io.Reader
	Stdout io.Writer // buffered by Main; record.Writer on it is Output
	Stderr io.Writer

	source   string // of main.go, for the manual
	args     []string
	commands []string // the tool's, when it has any
	command  string   // the one chosen
	files    []*os.File
	terminal bool
}

// Main runs a tool and exits. Source is the text of its main.go, whose package comment is the manual.
func Main(name, source string, run func(context.Context, *Tool) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	info, err := os.Stderr.Stat()
	context.AfterFunc(ctx, stop) // a second signal kills
	t := New(name, source, os.Args[1:], &interruptible{ctx: ctx, r: os.Stdin}, os.Stdout, os.Stderr)
	t.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	os.Exit(t.Run(ctx, run))
}

// New returns a tool on the given streams, for tests and for programs that hold several.
func New(name, source string, args []string, in io.Reader, out, errw io.Writer) *Tool {
	t := &Tool{Name: name, Stdin: in, Stdout: out, Stderr: errw, source: source, args: args}
	t.Flags = flag.NewFlagSet(name, flag.ContinueOnError)
	t.Flags.SetOutput(io.Discard) // Run says what is wrong
	return t
}

// Run calls run and returns the exit code. Stdout is buffered and checked.
func (t *Tool) Run(ctx context.Context, run func(context.Context, *Tool) error) int {
	raw := t.Stdout
	buf := bufio.NewWriterSize(raw, 64<<10)
	t.Stdout = buf
	err := t.answer(run(ctx, t))
	var after error
	for _, f := range t.files {
		after = errors.Join(after, f.Close())
	}
	if ferr := buf.Flush(); ferr != nil && !errors.Is(err, ferr) { // else it has been said
		after = errors.Join(after, fmt.Errorf("stdout: %w", ferr))
	}
	if f, ok := raw.(*os.File); ok {
		if cerr := f.Close(); cerr != nil { // a full disk may show only here
			after = errors.Join(after, fmt.Errorf("stdout: %w", cerr))
		}
	}
	return t.report(err, after)
}

// answer prints the manual or the version where that is what was asked for.
// Stdout is buffered here: an error of writing is Flush's to report.
func (t *Tool) answer(err error) error {
	switch {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(t.Stdout, t.manual())
	case errors.Is(err, errVersion):
		fmt.Fprintf(t.Stdout, "%s %s (records %s)\n", t.Name, buildVersion(), record.Version)
	default:
		return err
	}
	return nil
}

// usageError is misuse of the command line.
type usageError struct{ error }

// Misusef returns an error that makes the tool exit 2 and point at -h.
func Misusef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// verdictError is a measurement whose verdict is no.
type verdictError struct{ error }

// Refuse returns an error that makes the tool exit 3: it measured, and the verdict is no.
// Its output is complete.
func Refuse(reason error) error { return verdictError{reason} }

// report prints what went wrong in the run and after it, one line an error and
// each hint once, and returns the exit code. Verdict is for verdicts alone.
func (t *Tool) report(err, after error) int {
	code := Done
	said := map[string]bool{}
	for _, e := range leaves(errors.Join(err, after)) {
		level, kind := "error", Failure
		var misuse usageError
		var verdict verdictError
		switch {
		case errors.As(e, &misuse):
			kind = Misuse
		case errors.As(e, &verdict):
			level, kind = "verdict", Verdict
		}
		fmt.Fprintf(t.Stderr, "%s: %s: %v\n", t.Name, level, e)
		h := hint.Of(e)
		if kind == Misuse && h == "" {
			h = t.full() + " -h prints the manual"
		}
		if h != "" && !said[h] {
			said[h] = true
			fmt.Fprintf(t.Stderr, "hint: %s\n", h)
		}
		if code == Done || kind < code {
			code = kind
		}
	}
	return code
}

// leaves are the errors that err joins.
func leaves(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, leaves(e)...)
	}
	return all
}

// Warnf prints a warning: the tool goes on.
func (t *Tool) Warnf(format string, args ...any) {
	fmt.Fprintf(t.Stderr, "%s: warning: %s\n", t.Name, fmt.Sprintf(format, args...))
}

// Parse parses the flags. With files, the arguments after them are inputs;
// without, an argument is misuse.
func (t *Tool) Parse(files bool) error {
	version := t.Flags.Bool("version", false, "print the version and exit")
	if err := t.Flags.Parse(t.args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usageError{err}
	}
	if *version {
		return errVersion
	}
	if !files && t.Flags.NArg() > 0 {
		return Misusef("unexpected argument %q: flags come first, and this tool reads no files", t.Flags.Arg(0))
	}
	return nil
}

// errVersion ends a run that was asked for its version, as flag.ErrHelp one asked for help.
var errVersion = errors.New("version requested")

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// Input is a reader of the files named after the flags, or of stdin.
func (t *Tool) Input() (*record.Reader, error) {
	names := t.Flags.Args()
	if len(names) == 0 {
		names = []string{"-"}
	}
	var sources []record.Source
	for _, name := range names {
		r, err := t.open(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, record.Source{Name: display(name), Reader: r})
	}
	return record.NewReader(sources...), nil
}

// Open returns a reader of one file of records, for the flags that name one; - is stdin.
func (t *Tool) Open(name string) (*record.Reader, error) {
	r, err := t.open(name)
	if err != nil {
		return nil, err
	}
	return record.NewReader(record.Source{Name: display(name), Reader: r}), nil
}

func display(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

func (t *Tool) open(name string) (io.Reader, error) {
	if name == "-" {
		return t.Stdin, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "-") {
		return nil, Misusef("%s stands after a file: flags come first", name)
	}
	if err != nil {
		return nil, err
	}
	t.files = append(t.files, f)
	return f, nil
}

// Output is a writer of records on stdout.
func (t *Tool) Output() *record.Writer { return record.NewWriter(t.Stdout) }

// Filter runs a stage from the inputs to stdout.
func (t *Tool) Filter(ctx context.Context, fn stage.Func) error {
	in, err := t.Input()
	if err != nil {
		return err
	}
	return fn(ctx, in, t.Output())
}

// Provenance is the run record of this run. Neutral names the flags that do not
// change the output: paths, caches, numbers of workers.
func (t *Tool) Provenance(neutral ...string) *record.Run {
	skip := map[string]bool{"version": true}
	for _, n := range neutral {
		skip[n] = true
	}
	flags := map[string]string{}
	t.Flags.VisitAll(func(f *flag.Flag) {
		if !skip[f.Name] {
			flags[f.Name] = f.Value.String()
		}
	})
	return &record.Run{Tool: t.full(), Flags: flags}
}

// manual is the package comment of main.go, then the flags.
func (t *Tool) manual() string {
	var b strings.Builder
	b.WriteString(packageComment(t.source))
	if len(t.commands) > 0 && t.command == "" {
		fmt.Fprintf(&b, "\nCommands: %s. Put -h after one to see its flags.\n", strings.Join(t.commands, ", "))
		return b.String()
	}
	fmt.Fprintf(&b, "\nFlags of %s:\n", t.full())
	t.Flags.SetOutput(&b)
	t.Flags.PrintDefaults()
	t.Flags.SetOutput(io.Discard)
	return b.String()
}
