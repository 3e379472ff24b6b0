package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

var connection = regexp.MustCompile(`(?:connect|sendto|sendmsg)\(.*sa_family=(AF_INET6?), sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"`)

// traced runs mr-answer under strace, with proxies in its environment, and
// returns the addresses on any network that its process spoke to.
func traced(t *testing.T, host, proxy string, args ...string) []string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", append([]string{"-f", "-e", "trace=network", "-o", trace, "mr-answer"}, args...)...)
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+host, "MR_CACHE=off",
		"HTTP_PROXY="+proxy, "http_proxy="+proxy, "HTTPS_PROXY="+proxy, "https_proxy="+proxy, "ALL_PROXY="+proxy, "all_proxy="+proxy)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "exited with 0") {
		t.Fatalf("the trace is not whole:\n%.2000s", text)
	}
	var spoken []string
	for _, m := range connection.FindAllStringSubmatch(string(text), -1) {
		if at := m[3] + ":" + m[2]; !slices.Contains(spoken, at) {
			spoken = append(spoken, at)
		}
	}
	return spoken
}

// Only the server that was named is spoken to, and with extract nobody.
func TestNetwork(t *testing.T) {
	if err := exec.Command("strace", "-o", "/dev/null", "true").Run(); err != nil {
		t.Skipf("SKIP needs strace, and the right to trace: %v", err)
	}
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	var calls atomic.Int32
	server := slow(t, &calls)
	hits := filepath.Join(t.TempDir(), "hits.jsonl")
	line := `{"type":"hits","question":{"id":"q1","text":"How is it stopped?"},"system":"s","hits":[{"passage":"a#x","section":"a#x","path":"a","rank":1,"score":1,"text":"See http://example.com and use the stop command. It works."}]}`
	if err := os.WriteFile(hits, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{strings.TrimPrefix(server.URL, "http://")}
	if d := cmp.Diff(want, traced(t, server.URL, proxy.URL, "-engine", "ollama:m:1", hits)); d != "" {
		t.Errorf("ollama (-want +got):\n%s", d)
	}
	if calls.Load() != 1 || asked.Load() != 0 {
		t.Errorf("the server replied %d times, want 1; the proxy was asked %d times", calls.Load(), asked.Load())
	}
	store, err := model.Find("")
	if err == nil {
		_, err = os.Stat(store.Path(model.CrossEncoder))
	}
	if err != nil {
		t.Skip("SKIP needs models for extract: run scripts/fetch-models")
	}
	if d := cmp.Diff([]string(nil), traced(t, server.URL, proxy.URL, "-engine", "extract", hits)); d != "" {
		t.Errorf("extract (-want +got):\n%s", d)
	}
}
