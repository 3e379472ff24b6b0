package tool_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

const copySource = `// Mr-copy writes the records it reads.
//
// With -wait it reads everything first.
package main
`

// mrCopy is a tool in full.
func mrCopy(ctx context.Context, t *tool.Tool) error {
	wait := t.Flags.Bool("wait", false, "read everything first")
	verdict := t.Flags.Bool("verdict", false, "find fault")
	deaf := t.Flags.Bool("deaf", false, "take no notice of anything")
	if err := t.Parse(true); err != nil {
		return err
	}
	if *deaf {
		fmt.Fprintln(t.Stderr, "deaf")
		<-ctx.Done()
		fmt.Fprintln(t.Stderr, "heard")
		time.Sleep(time.Hour)
	}
	var err error
	if *wait {
		var in *record.Reader
		if in, err = t.Input(); err == nil {
			_, _, err = stage.Collect(in)
		}
	} else {
		err = t.Filter(ctx, stage.Map(t.Provenance(), 1, func(_ context.Context, rec record.Record) ([]record.Record, error) {
			return []record.Record{rec}, nil
		}))
	}
	if err == nil && *verdict {
		return tool.Refuse(fmt.Errorf("the verdict is no"))
	}
	return err
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mr-copy": func() { tool.Main("mr-copy", copySource, mrCopy) },
	})
}

func TestScripts(t *testing.T) { testscript.Run(t, testscript.Params{Dir: "testdata"}) }

// TestInterrupt: a tool that waits for its input ends at the first interrupt, and says why.
func TestInterrupt(t *testing.T) {
	for _, args := range [][]string{nil, {"-wait"}} {
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(fmt.Sprint(args, sig), func(t *testing.T) {
				cmd := exec.Command("mr-copy", args...)
				stdin, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer stdin.Close()
				var stderr strings.Builder
				cmd.Stderr = &stderr
				stdout, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// More than the buffers hold, so that its output shows that it reads; then silence.
				io.WriteString(stdin, `{"type":"run","tool":"t","version":"1"}`+"\n"+strings.Repeat(`{"type":"document","path":"p","text":""}`+"\n", 4000))
				if args == nil {
					if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				} else {
					time.Sleep(300 * time.Millisecond) // it shows nothing until the end; sooner is a test of less
				}
				go io.Copy(io.Discard, stdout)
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
				defer timer.Stop()
				cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != tool.Failure || !strings.Contains(stderr.String(), "context canceled") && !strings.Contains(stderr.String(), "signal received") {
					t.Errorf("exit code %d (-1: killed by the test or the signal), stderr %q", code, stderr.String())
				}
			})
		}
	}
}

// TestSecondInterrupt: it kills a tool that takes no notice of the first.
func TestSecondInterrupt(t *testing.T) {
	cmd := exec.Command("mr-copy", "-deaf")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewScanner(stderr)
	for _, want := range []string{"deaf", "heard"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("expected %q, got %q", want, lines.Text())
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	for ended := false; !ended; { // the handler goes a moment after the context: ask again
		select {
		case <-done:
			ended = true
		case <-time.After(50 * time.Millisecond):
			cmd.Process.Signal(os.Interrupt)
		}
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, not by the interrupt", cmd.ProcessState)
	}
}
