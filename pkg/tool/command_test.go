package tool

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommand(t *testing.T) {
	const source = "// Two does two things.\npackage main\n"
	tests := []struct {
		name   string
		args   []string
		code   int
		ran    string // command, its flag, and the tool of the run record
		stdout string // a part of it
		stderr string
	}{
		{"first", []string{"one", "-a", "3"}, Done, "one a=3 two-tool one", "", ""},
		{"other command's flag", []string{"two", "-a", "3"}, Misuse, "", "", "flag provided but not defined: -a\nhint: two-tool two -h prints the manual\n"},
		{"none", nil, Misuse, "", "", "two-tool: error: expected a command: one or two\nhint: two-tool -h prints the manual\n"},
		{"unknown", []string{"three"}, Misuse, "", "", `expected a command, one or two, as the first argument, got "three"`},
		{"flag before it", []string{"-a", "3", "one"}, Misuse, "", "", `got "-a"`},
		{"help", []string{"-h"}, Done, "", "Two does two things.\n\nCommands: one, two. Put -h after one to see its flags.\n", ""},
		{"help on one", []string{"one", "-h"}, Done, "", "Two does two things.\n\nFlags of two-tool one:\n  -a int\n", ""},
		{"version", []string{"-version"}, Done, "", "two-tool (", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ran string
			var out, errw bytes.Buffer
			tool := New("two-tool", source, tt.args, strings.NewReader(""), &out, &errw)
			code := tool.Run(context.Background(), func(_ context.Context, t *Tool) error {
				cmd, err := t.Command("one", "two")
				if err != nil {
					return err
				}
				flags := ""
				if cmd == "one" {
					a := t.Flags.Int("a", 0, "a number")
					if err := t.Parse(false); err != nil {
						return err
					}
					flags = " a=" + string(rune('0'+*a))
				} else if err := t.Parse(false); err != nil {
					return err
				}
				ran = cmd + flags + " " + t.Provenance().Tool
				return nil
			})
			if d := cmp.Diff([]any{tt.code, tt.ran}, []any{code, ran}); d != "" {
				t.Errorf("code and what ran (-want +got):\n%s%s", d, errw.String())
			}
			if !strings.Contains(out.String(), tt.stdout) {
				t.Errorf("stdout: expected %q in %q", tt.stdout, out.String())
			}
			if !strings.Contains(errw.String(), tt.stderr) {
				t.Errorf("stderr: expected %q in %q", tt.stderr, errw.String())
			}
		})
	}
}
