// Package ollamatest starts a real Ollama for the tests that want one.
package ollamatest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Model is a model of the server: the tiny model with one thread. On cores that
// others use too, several threads wait for each other.
const Model = "smollm2-one-thread"

// Start starts a server, which ends with the test, and returns its address.
// Where there is none to be had the test is skipped.
func Start(t testing.TB) string {
	t.Helper()
	script := start(t)
	log, err := os.Create(filepath.Join(t.TempDir(), "log")) // a file: the server would keep a pipe open
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(script, fmt.Sprint(freePort(t)))
	cmd.Stderr = log
	out, err := cmd.Output()
	if err != nil {
		said, _ := os.ReadFile(log.Name()) // what can be had of it
		t.Fatalf("%s: %v\n%s", script, err, said)
	}
	var host string
	var pid int
	if _, err := fmt.Sscanf(string(out), "OLLAMA_HOST=%s\nOLLAMA_PID=%d\n", &host, &pid); err != nil {
		t.Fatalf("%s printed %q: %v", script, out, err)
	}
	t.Cleanup(func() {
		server, err := os.FindProcess(pid)
		if err == nil {
			err = server.Signal(syscall.SIGTERM)
		}
		if err != nil {
			t.Errorf("stopping the server: %v", err)
		}
	})
	body := fmt.Sprintf(`{"model":%q,"from":"smollm2:135m","parameters":{"num_thread":1},"stream":false}`, Model)
	res, err := http.Post(host+"/api/create", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("making the model: %s, %v", res.Status, err)
	}
	return host
}

// start is the script that starts a server, beside the repository or in $MR_SHARED.
func start(t testing.TB) string {
	t.Helper()
	shared := os.Getenv("MR_SHARED")
	if shared == "" {
		_, here, _, _ := runtime.Caller(0)
		shared = filepath.Join(filepath.Dir(here), "..", "..", "..", "..", "shared")
	}
	script := filepath.Join(shared, "ci", "ollama-start")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("SKIP needs a real Ollama: %v", err)
	}
	return script
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}
