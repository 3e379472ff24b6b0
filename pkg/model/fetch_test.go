//go:build unix

package model

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pipDouble stands for pip: it notes each download in $CALLS and then does what
// $PIP_DOES says. A requirement w==1 is served from $WHEELS/w.whl.
const pipDouble = `#!/bin/sh
[ "$1" = --version ] && exit 0
while [ $# -gt 0 ]; do
	case "$1" in --dest) dest=$2 ;; -r) read -r req hash <"$2" ;; esac
	shift
done
name=${req%%=*}
echo "$req" >>"$CALLS"
case "$PIP_DOES" in
serve) cp "$WHEELS/$name.whl" "$dest/$name-1-py3-none-any.whl" ;;
tamper) (cat "$WHEELS/$name.whl"; echo) >"$dest/$name-1-py3-none-any.whl" ;;
refuse) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." >&2; exit 1 ;;
offline) echo "ERROR: Could not find a version that satisfies the requirement $req" >&2; exit 1 ;;
hang-lib)
	cp "$WHEELS/$name.whl" "$dest/$name-1-py3-none-any.whl"
	[ "$name" = lib ] || exit 0
	: >"$CALLS.hangs"
	exec sleep 600 ;;
esac
`

// pythonDouble hands -m pip to the double and all else to the real python3.
const pythonDouble = `#!/bin/sh
if [ "$1 $2" = "-m pip" ]; then
	[ -x "$BIN/.pip" ] || exit 1
	shift 2
	exec "$BIN/.pip" "$@"
fi
exec %s "$@"
`

type bench struct {
	dir, bin, wheels, calls, lock string
}

// newBench builds two wheels, their lock and a PATH with nothing but what the script may use.
func newBench(t *testing.T) bench {
	t.Helper()
	// Opened so that go test's cache knows that the outcome depends on it.
	if _, err := os.ReadFile("../../scripts/fetch-models"); err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	b := bench{
		dir:    filepath.Join(tmp, "models folder"), // a blank, as in a user's name
		bin:    filepath.Join(tmp, "bin"),
		wheels: filepath.Join(tmp, "wheels"),
		calls:  filepath.Join(tmp, "calls"),
		lock:   filepath.Join(tmp, "test.lock"),
	}
	write(t, b.calls, "")
	for _, tool := range []string{"bash", "sh", "env", "sed", "awk", "uname", "mkdir", "mv", "rm", "cp", "cat", "find",
		"grep", "dirname", "cut", "tail", "chmod", "sleep", "sha256sum", "shasum", "perl"} {
		path, err := exec.LookPath(tool)
		switch {
		case err == nil:
			if err := os.MkdirAll(b.bin, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path, filepath.Join(b.bin, tool)); err != nil {
				t.Fatal(err)
			}
		case tool == "bash":
			t.Skip("SKIP needs bash")
		}
	}
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("SKIP needs python3: ", err)
	}
	b.script(t, "python3", fmt.Sprintf(pythonDouble, strings.TrimSpace(string(python))))
	b.script(t, ".pip", pipDouble)

	lines := ""
	for _, w := range []struct {
		platform, name string
		files          [][2]string // member, local
	}{
		{"any", "models", [][2]string{{"data/m.onnx", "m/model.onnx"}, {"data/t.json", "m/tokenizer.json"}}},
		{"linux/amd64", "lib", [][2]string{{"capi/lib.so.1", "rt/lib.so"}}},
		{"linux/arm64", "lib", [][2]string{{"capi/lib.so.1", "rt/lib.so"}}},
	} {
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		for _, f := range append(w.files, [2]string{"code.py"}) {
			member, err := z.Create(f[0])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := member.Write([]byte(f[0])); err != nil {
				t.Fatal(err)
			}
			if f[1] != "" {
				lines += fmt.Sprintf("file %s %s==1 %s %d %s %s\n", w.platform, w.name, sum(f[0]), len(f[0]), f[0], f[1])
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(b.wheels, w.name+".whl"), buf.String())
		lines += fmt.Sprintf("wheel %s %s==1 tag 3.11 %d %s\n", w.platform, w.name, buf.Len(), sum(buf.String()))
	}
	write(t, b.lock, "# a comment\n\n"+lines)
	return b
}

func (b bench) script(t *testing.T, name, text string) {
	t.Helper()
	write(t, filepath.Join(b.bin, name), text)
	if err := os.Chmod(filepath.Join(b.bin, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (b bench) command(does string, args ...string) *exec.Cmd {
	args = append([]string{"../../scripts/fetch-models", "-platform", "linux/amd64", "-lock", b.lock}, args...)
	cmd := exec.Command(filepath.Join(b.bin, "bash"), args...)
	cmd.Env = []string{"PATH=" + b.bin, "BIN=" + b.bin, "WHEELS=" + b.wheels, "CALLS=" + b.calls, "MR_MODELS=" + b.dir, "PIP_DOES=" + does}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// run returns the exit code and what was printed.
func (b bench) run(t *testing.T, does string, args ...string) (int, string) {
	t.Helper()
	out, err := b.command(does, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// files lists everything below the models folder, its working folders included.
func (b bench) files(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && !strings.HasPrefix(d.Name(), ".fetch") {
			return err
		}
		rel, err := filepath.Rel(b.dir, path)
		names = append(names, rel)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	sort.Strings(names)
	return names
}

// called returns the requirements asked of pip since the last call.
func (b bench) called(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(b.calls)
	if err != nil {
		t.Fatal(err)
	}
	write(t, b.calls, "")
	return strings.Join(strings.Fields(string(text)), " ")
}

var all = []string{"m/model.onnx", "m/tokenizer.json", "rt/lib.so"}

func TestFetch(t *testing.T) {
	b := newBench(t)
	steps := []struct {
		name     string
		before   func()
		wantPip  string
		wantFile string // text that model.onnx must hold afterwards
	}{
		{"first", nil, "models==1 lib==1", "data/m.onnx"},
		{"second does nothing", nil, "", "data/m.onnx"},
		{"one file gone", func() {
			if err := os.Remove(filepath.Join(b.dir, "rt/lib.so")); err != nil {
				t.Fatal(err)
			}
		}, "lib==1", "data/m.onnx"},
		{"one file corrupt", func() { write(t, filepath.Join(b.dir, "m/model.onnx"), "data/m.onny") }, "models==1", "data/m.onnx"},
	}
	for _, s := range steps {
		if s.before != nil {
			s.before()
		}
		code, out := b.run(t, "serve")
		if code != 0 {
			t.Fatalf("%s: exit %d\n%s", s.name, code, out)
		}
		if got := b.called(t); got != s.wantPip {
			t.Errorf("%s: pip was asked for %q, want %q", s.name, got, s.wantPip)
		}
		if d := cmp.Diff(all, b.files(t)); d != "" {
			t.Errorf("%s: files (-want +got):\n%s", s.name, d)
		}
		if text, err := os.ReadFile(filepath.Join(b.dir, "m/model.onnx")); err != nil || string(text) != s.wantFile {
			t.Errorf("%s: model.onnx holds %q (%v), want %q", s.name, text, err, s.wantFile)
		}
	}
	// All files right: neither python3 nor pip is needed.
	if err := os.Remove(filepath.Join(b.bin, "python3")); err != nil {
		t.Fatal(err)
	}
	if code, out := b.run(t, "offline"); code != 0 {
		t.Errorf("without python3, all files right: exit %d\n%s", code, out)
	}
}

func TestFetchRefuses(t *testing.T) {
	remove := func(name string) func(*testing.T, bench) {
		return func(t *testing.T, b bench) {
			if err := os.Remove(filepath.Join(b.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(old, new string) func(*testing.T, bench) {
		return func(t *testing.T, b bench) {
			text, err := os.ReadFile(b.lock)
			if err != nil || !strings.Contains(string(text), old) {
				t.Fatalf("%s does not hold %q (%v)", b.lock, old, err)
			}
			write(t, b.lock, strings.ReplaceAll(string(text), old, new))
		}
	}
	tests := []struct {
		name   string
		does   string
		args   []string
		before func(*testing.T, bench)
		code   int
		want   []string
		files  []string
	}{
		{name: "no python", does: "serve", before: remove("python3"), code: 1,
			want: []string{"error: python3 not found", "hint: install Python 3"}},
		{name: "no pip", does: "serve", before: remove(".pip"), code: 1,
			want: []string{"error: pip not found", "hint: install it"}},
		{name: "pip refuses the sha256", does: "refuse", code: 1,
			want: []string{"models==1 for tag: the sha256 differs", "nothing was kept"}},
		{name: "a pip that checks nothing", does: "tamper", code: 1,
			want: []string{"error: models==1 for tag: the sha256 is ", "nothing was kept"}},
		{name: "no network", does: "offline", code: 1,
			want: []string{"pip: ERROR: Could not find a version", "error: models==1 for tag: pip could not download it", "hint: check the network"}},
		{name: "pip leaves nothing", does: "nothing", code: 1, want: []string{"left no wheel"}},
		{name: "member missing", does: "serve", before: edit("capi/lib.so.1", "capi/lib.so.2"), code: 1,
			want: []string{"capi/lib.so.2: no such member"}, files: all[:2]},
		{name: "member of another size", does: "serve", before: edit(" 13 capi/lib.so.1", " 14 capi/lib.so.1"), code: 1,
			want: []string{"capi/lib.so.1: size is 13, expected 14"}, files: all[:2]},
		{name: "member of another sha256", does: "serve", before: edit(sum("capi/lib.so.1"), sum("")), code: 1,
			want: []string{"capi/lib.so.1: the sha256 is " + sum("capi/lib.so.1")}, files: all[:2]},
		{name: "pickle", does: "serve", before: edit("m/model.onnx", "m/model.pkl"), code: 1,
			want: []string{"m/model.pkl is not an .onnx", "pickles are refused"}},
		{name: "out of the folder", does: "serve", before: edit("m/model.onnx", "../model.onnx"), code: 1,
			want: []string{"leaves the models folder"}},
		{name: "unknown platform", does: "serve", args: []string{"-platform", "plan9/mips"}, code: 1,
			want: []string{"no runtime library for plan9/mips", "hint: known: linux/amd64 linux/arm64"}},
		{name: "no lock", does: "serve", args: []string{"-lock", "/nowhere"}, code: 1, want: []string{"/nowhere: cannot be read"}},
		{name: "target is a file", does: "serve", args: []string{"-dir", "/dev/null/x"}, code: 1,
			want: []string{"/dev/null/x: cannot be made", "hint: choose a writable folder"}},
		{name: "misuse", does: "serve", args: []string{"-frobnicate"}, code: 2, want: []string{"unknown argument -frobnicate"}},
		{name: "missing value", does: "serve", args: []string{"-dir"}, code: 2, want: []string{"-dir needs a value"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			if tt.before != nil {
				tt.before(t, b)
			}
			code, out := b.run(t, tt.does, tt.args...)
			if code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("output lacks %q:\n%s", want, out)
				}
			}
			if d := cmp.Diff(tt.files, b.files(t)); d != "" {
				t.Errorf("files left (-want +got):\n%s", d)
			}
		})
	}
}

func TestFetchKilled(t *testing.T) {
	tests := []struct {
		signal syscall.Signal
		sweeps bool // whether the killed run itself leaves nothing behind
	}{
		{syscall.SIGTERM, true},
		{syscall.SIGINT, true},
		{syscall.SIGKILL, false},
	}
	for _, tt := range tests {
		t.Run(tt.signal.String(), func(t *testing.T) {
			b := newBench(t)
			cmd := b.command("hang-lib")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// The group, so that a pip that outlives a killed script ends too.
			defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for begun := false; !begun; {
				select {
				case err := <-ended:
					t.Fatalf("ended before the second download: %v", err)
				case <-time.After(5 * time.Millisecond):
					_, err := os.Stat(b.calls + ".hangs")
					begun = err == nil
				}
			}
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Fatal("a killed run reported success")
			}
			if !tt.sweeps {
				if len(b.files(t)) <= 2 {
					t.Fatal("nothing was left behind: the sweep below would prove nothing")
				}
			} else if d := cmp.Diff(all[:2], b.files(t)); d != "" {
				t.Errorf("files left (-want +got):\n%s", d)
			}
			b.called(t)
			if code, out := b.run(t, "serve"); code != 0 {
				t.Fatalf("second run: exit %d\n%s", code, out)
			}
			if got := b.called(t); got != "lib==1" {
				t.Errorf("second run asked pip for %q, want only what was missing", got)
			}
			if d := cmp.Diff(all, b.files(t)); d != "" {
				t.Errorf("files after the second run (-want +got):\n%s", d)
			}
		})
	}
}

// The script's folder is the one that Find looks into.
func TestFetchDefaultDir(t *testing.T) {
	b := newBench(t)
	home := t.TempDir()
	for _, env := range [][]string{
		{"HOME=" + home},
		{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "xdg")},
	} {
		cmd := b.command("serve")
		cmd.Env = append(cmd.Env, "MR_MODELS=")
		cmd.Env = append(cmd.Env, env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Setenv("MR_MODELS", "")
		for _, kv := range env {
			k, v, _ := strings.Cut(kv, "=")
			t.Setenv(k, v)
		}
		if len(env) == 1 {
			t.Setenv("XDG_CACHE_HOME", "")
		}
		s, err := Find("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(s.Dir(), "rt", "lib.so")); err != nil {
			t.Errorf("%v: Find looks into %s: %v", env, s.Dir(), err)
		}
	}
	cmd := b.command("serve")
	cmd.Env = append(cmd.Env, "MR_MODELS=")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "no cache folder") {
		t.Errorf("without HOME: %v\n%s", err, out)
	}
}
