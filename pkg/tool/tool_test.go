package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

const manualSource = `// Mr-x is a tool.
//
//	mr-x -n 3
package main
`

// outcome is all a caller sees of a run.
type outcome struct {
	Code           int
	Stdout, Stderr string
}

func runTool(args []string, stdin string, run func(context.Context, *Tool) error) outcome {
	var out, errw bytes.Buffer
	code := New("mr-x", manualSource, args, strings.NewReader(stdin), &out, &errw).Run(context.Background(), run)
	return outcome{code, out.String(), errw.String()}
}

func TestExitCodes(t *testing.T) {
	plain := errors.New("no such index")
	joined := errors.Join(hint.Wrap(errors.New("a:1: bad"), "fix it"), hint.Wrap(errors.New("a:2: bad"), "fix it"), hint.Wrap(errors.New("b:1: worse"), "drop it"))
	tests := []struct {
		name, reason string
		err          error
		code         int
		stderr       string
	}{
		{"done", "nothing is said", nil, Done, ""},
		{"failed", "one line", plain, Failure, "mr-x: error: no such index\n"},
		{"hint", "what to do next has its own line", hint.Wrap(plain, "run %s", "mr-index build"), Failure,
			"mr-x: error: no such index\nhint: run mr-index build\n"},
		{"hint deep inside", "a wrapped error keeps it", fmt.Errorf("data: %w", hint.Wrap(plain, "build it")), Failure,
			"mr-x: error: data: no such index\nhint: build it\n"},
		{"several", "a line each, a hint once", joined, Failure,
			"mr-x: error: a:1: bad\nhint: fix it\nmr-x: error: a:2: bad\nmr-x: error: b:1: worse\nhint: drop it\n"},
		{"several, joined twice", "however deep they are joined", errors.Join(plain, errors.Join(joined)), Failure,
			"mr-x: error: no such index\nmr-x: error: a:1: bad\nhint: fix it\nmr-x: error: a:2: bad\nmr-x: error: b:1: worse\nhint: drop it\n"},
		{"misuse", "it points at the manual", Misusef("-k is %d, expected at least 1", 0), Misuse,
			"mr-x: error: -k is 0, expected at least 1\nhint: mr-x -h prints the manual\n"},
		{"verdict", "it measured, and says no", Refuse(errors.New("recall@5 0.61 is under its floor 0.70")), Verdict,
			"mr-x: verdict: recall@5 0.61 is under its floor 0.70\n"},
		{"two verdicts", "each is said", Refuse(errors.Join(plain, plain)), Verdict,
			"mr-x: verdict: no such index\nno such index\n"},
		{"verdicts joined", "each is said", errors.Join(Refuse(plain), Refuse(errors.New("control failed"))), Verdict,
			"mr-x: verdict: no such index\nmr-x: verdict: control failed\n"},
		{"verdict and failure", "a verdict promises whole output, a failure takes that back", errors.Join(Refuse(plain), errors.New("disk")), Failure,
			"mr-x: verdict: no such index\nmr-x: error: disk\n"},
		{"misuse and failure", "the failure counts", errors.Join(Misusef("x"), plain), Failure,
			"mr-x: error: x\nhint: mr-x -h prints the manual\nmr-x: error: no such index\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runTool(nil, "", func(_ context.Context, t *Tool) error {
				fmt.Fprintln(t.Stdout, "data")
				return tt.err
			})
			if d := cmp.Diff(outcome{tt.code, "data\n", tt.stderr}, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, d)
			}
		})
	}
}

func TestParse(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.jsonl")
	if err := os.WriteFile(page, []byte(`{"type":"document","path":"from-file","text":""}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const stdin = `{"type":"document","path":"from-stdin","text":""}` + "\n"
	file, in := page+":1 document\n", "stdin:1 document\n"
	const see = "hint: mr-x -h prints the manual\n"
	tests := []struct {
		name  string
		files bool
		args  []string
		want  outcome
	}{
		{"stdin", true, nil, outcome{Done, in, ""}},
		{"a dash", true, []string{"-"}, outcome{Done, in, ""}},
		{"a file", true, []string{"-n", "3", page}, outcome{Done, file, ""}},
		{"file and stdin", true, []string{page, "-", page}, outcome{Done, file + in + file, ""}},
		{"after a double dash", true, []string{"--", page}, outcome{Done, file, ""}},
		{"no such file", true, []string{page + "x"}, outcome{Failure, "", "mr-x: error: open " + page + "x: no such file or directory\n"}},
		{"a folder", true, []string{filepath.Dir(page)}, outcome{Failure, "", fmt.Sprintf("mr-x: error: %s:1: read %[1]s: is a directory\n", filepath.Dir(page))}},
		{"flag after a file", true, []string{page, "-n", "3"}, outcome{Misuse, "", "mr-x: error: -n stands after a file: flags come first\n" + see}},
		{"unknown flag", true, []string{"-x"}, outcome{Misuse, "", "mr-x: error: flag provided but not defined: -x\n" + see}},
		{"bad value", true, []string{"-n", "three"}, outcome{Misuse, "", "mr-x: error: invalid value \"three\" for flag -n: parse error\n" + see}},
		{"a file where none is read", false, []string{page}, outcome{Misuse, "", fmt.Sprintf("mr-x: error: unexpected argument %q: flags come first, and this tool reads no files\n", page) + see}},
		{"no file where none is read", false, nil, outcome{Done, in, ""}},
		{"help", true, []string{"-h"}, outcome{Done, "Mr-x is a tool.\n\n\tmr-x -n 3\n\nFlags of mr-x:\n  -n passages\n    \tread passages at once (default 5)\n  -version\n    \tprint the version and exit\n", ""}},
		{"help, spelled out", true, []string{"--help"}, outcome{Done, "Mr-x is a tool.\n\n\tmr-x -n 3\n\nFlags of mr-x:\n  -n passages\n    \tread passages at once (default 5)\n  -version\n    \tprint the version and exit\n", ""}},
		{"version", true, []string{"-version"}, outcome{Done, fmt.Sprintf("mr-x %s (records 1)\n", buildVersion()), ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runTool(tt.args, stdin, func(_ context.Context, t *Tool) error {
				t.Flags.Int("n", 5, "read `passages` at once")
				if err := t.Parse(tt.files); err != nil {
					return err
				}
				in, err := t.Input()
				if err != nil {
					return err
				}
				for in.Scan() {
					fmt.Fprintln(t.Stdout, in.Pos(), in.Record().Kind())
				}
				return in.Err()
			})
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestOpen: a flag may name a file of records, or stdin.
func TestOpen(t *testing.T) {
	for name, want := range map[string]outcome{
		"-":      {Done, "stdin:1 document\n", ""},
		"absent": {Failure, "", "mr-x: error: open absent: no such file or directory\n"},
	} {
		got := runTool(nil, `{"type":"document","path":"p","text":""}`, func(_ context.Context, t *Tool) error {
			in, err := t.Open(name)
			if err != nil {
				return err
			}
			for in.Scan() {
				fmt.Fprintln(t.Stdout, in.Pos(), in.Record().Kind())
			}
			return in.Err()
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestProvenance(t *testing.T) {
	var got map[string]string
	runTool([]string{"-k", "20"}, "", func(_ context.Context, t *Tool) error {
		t.Flags.Int("k", 5, "")
		t.Flags.String("mode", "hybrid", "")
		t.Flags.String("index", "data/index", "")
		if err := t.Parse(false); err != nil {
			return err
		}
		got = t.Provenance("index").Flags
		return nil
	})
	want := map[string]string{"k": "20", "mode": "hybrid"} // defaults count, places do not
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestWarnf(t *testing.T) {
	got := runTool(nil, "", func(_ context.Context, t *Tool) error {
		t.Warnf("%d texts are past 512 tokens", 3)
		return nil
	})
	if d := cmp.Diff(outcome{Done, "", "mr-x: warning: 3 texts are past 512 tokens\n"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestProgress(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var errw bytes.Buffer
		tool := New("mr-x", manualSource, nil, strings.NewReader(""), &bytes.Buffer{}, &errw)
		tool.terminal = terminal
		tick, done := tool.Progress("passages")
		tick()
		done()
		if shown := strings.HasPrefix(errw.String(), "\rmr-x: passages 1 ("); shown != terminal {
			t.Errorf("terminal %v: %q", terminal, errw.String())
		}
		if terminal && !strings.HasSuffix(errw.String(), "\r\x1b[K") {
			t.Errorf("the line was not wiped: %q", errw.String())
		}
	}
}
