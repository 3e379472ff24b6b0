package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

const good = `{"model":"m","message":{"role":"assistant","content":"{\"ok\":true}"},"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":5}` + "\n"

// server answers /api/show and /api/tags as a real one does, and hands chats to chat.
func server(t *testing.T, show string, chat http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/api/show", func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Model != "m:1" {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":"model not found"}`)
			return
		}
		io.WriteString(w, show)
	})
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"models":[{"name":"m:1","digest":"abc"}]}`)
	})
	mux.HandleFunc("/api/chat", chat)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

const small = `{"model_info":{"general.architecture":"llama","llama.context_length":4096}}`

func connect(t *testing.T, s *httptest.Server) *Client {
	t.Helper()
	c, err := Connect(context.Background(), "m:1", Options{Host: s.URL, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	c.backoff, c.limit = time.Millisecond, 2*time.Second
	return c
}

func TestAskSendsWhatTheServerMustNotChoose(t *testing.T) {
	var body map[string]any
	show := strings.Replace(small, "{", `{"capabilities":["completion","thinking"],`, 1)
	c := connect(t, server(t, show, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, good, 3)
	}))
	got, err := c.Ask(context.Background(), Prompt{System: "be brief", User: "hi", Schema: json.RawMessage(`{"type":"object"}`), NumPredict: 99})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Reply{Content: `{"ok":true}`, PromptTokens: 3, Tokens: 5}, got); d != "" {
		t.Error(d)
	}
	want := map[string]any{
		"model": "m:1", "stream": false, "truncate": false, "shift": false, "think": false, "keep_alive": "10m0s",
		"format":   map[string]any{"type": "object"},
		"messages": []any{map[string]any{"role": "system", "content": "be brief"}, map[string]any{"role": "user", "content": "hi"}},
		// 8192 asked for by default, cut to the model's own 4096.
		"options": map[string]any{"num_ctx": 4096.0, "num_predict": 99.0, "temperature": 0.0, "seed": 7.0},
	}
	if d := cmp.Diff(want, body); d != "" {
		t.Error(d)
	}
	if c.Digest != "abc" {
		t.Errorf("digest %q, want abc", c.Digest)
	}
}

// A text that spells a control token, the model's own or a known one, does not
// reach the server so. What only looks like one stays as it is.
func TestPromptsHoldNoControlTokens(t *testing.T) {
	var body struct{ Messages []struct{ Content string } }
	show := `{"model_info":{"general.architecture":"llama","tokenizer.ggml.tokens":["a","<odd>","b","</table>",">"," x"],"tokenizer.ggml.token_type":[1,3,1,4,3,3]}}`
	c := connect(t, server(t, show, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, good, 99)
	}))
	for in, want := range map[string]string{
		"end <odd> here":              "end < odd> here",
		"<|im_end|>\n<|im_start|>x":   "< |im_end|>\n< |im_start|>x",
		"<|im_<|im_end|>end|>":        "<|im_< |im_end|>end|>",
		"[INST] [/INST] <s></s>":      "[ INST] [ /INST] < s>< /s>",
		"<details> a </table> [inst]": "<details> a </table> [inst]",
		"a > b":                       "a > b",
	} {
		if _, err := c.Ask(context.Background(), Prompt{System: in, User: in}); err != nil {
			t.Fatal(err)
		}
		for _, m := range body.Messages {
			if m.Content != want {
				t.Errorf("%q was sent as %q, want %q", in, m.Content, want)
			}
		}
	}
}

func FuzzInert(f *testing.F) {
	f.Add("<|im_end|>", "<<|im_end|>")
	f.Fuzz(func(t *testing.T, token, text string) {
		if !breakable(token) || !utf8.ValidString(token) {
			return
		}
		c := &Client{control: []string{token}}
		got := c.inert(text)
		if strings.Contains(got, token) {
			t.Errorf("%q still holds %q", got, token)
		}
		if strip := strings.NewReplacer(" ", ""); strip.Replace(got) != strip.Replace(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestAskRefusesWhatIsNotAWholeReply(t *testing.T) {
	user := strings.Repeat("word ", 100)
	reply := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, s) }
	}
	for _, tc := range []struct {
		name, want string
		chat       http.HandlerFunc
	}{
		{"prompt cut silently", "the model read 52 tokens of a prompt of 100 words", reply(fmt.Sprintf(good, 52))},
		{"empty content with thinking", "the model only thought",
			reply(`{"message":{"content":"","thinking":"hm"},"done":true,"done_reason":"stop","prompt_eval_count":200}`)},
		{"empty content", "the reply is empty", reply(`{"message":{"content":" \n"},"done":true,"done_reason":"stop","prompt_eval_count":200}`)},
		{"not done", "did not say that it was done", reply(`{"message":{"content":"{}"},"done":false}`)},
		{"whitespace flood", `done_reason is "length"`,
			reply(`{"message":{"content":"{          "},"done":true,"done_reason":"length","prompt_eval_count":200}`)},
		{"loaded only", `done_reason is "load"`, reply(`{"message":{"content":""},"done":true,"done_reason":"load"}`)},
		{"error in a 200 stream", "something broke", reply(`{"error":"something broke"}`)},
		{"not JSON", "<html>", reply(`<html>`)},
		{"too long for the context", "exceeds the available context size", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			io.WriteString(w, `{"error":"request exceeds the available context size"}`)
		}},
		{"500 is not retried", "boom", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, `{"error":"boom"}`)
		}},
		{"connection reset in the middle", "did not say that it was done", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"message":{"content":"{"},"done":false}`+"\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{"redirect", "which nobody named", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:9/elsewhere", http.StatusTemporaryRedirect)
		}},
		{"hang", "no reply from", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := connect(t, server(t, small, tc.chat))
			if tc.name == "hang" {
				c.limit = 50 * time.Millisecond
			}
			got, err := c.Ask(context.Background(), Prompt{User: user})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %+v, %v; want an error with %q", got, err, tc.want)
			}
		})
	}
}

func TestAskTriesABusyServerAgain(t *testing.T) {
	var calls atomic.Int32
	c := connect(t, server(t, small, func(w http.ResponseWriter, r *http.Request) {
		switch calls.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			fmt.Fprintf(w, good, 10)
			return
		}
		io.WriteString(w, `{"error":"busy"}`)
	}))
	if _, err := c.Ask(context.Background(), Prompt{User: "hi"}); err != nil {
		t.Fatal(err)
	}
	if calls.Load() != 3 {
		t.Errorf("%d calls, want 3", calls.Load())
	}
}

func TestConnectHints(t *testing.T) {
	s := server(t, small, func(http.ResponseWriter, *http.Request) { t.Error("a chat") })
	_, err := Connect(context.Background(), "absent", Options{Host: s.URL})
	if hint.Of(err) != "ollama pull absent" {
		t.Errorf("missing model: %v, hint %q", err, hint.Of(err))
	}
	s.Close()
	_, err = Connect(context.Background(), "m:1", Options{Host: s.URL})
	if err == nil || !strings.Contains(err.Error(), s.URL) || !strings.Contains(hint.Of(err), "OLLAMA_HOST") {
		t.Errorf("no server: %v, hint %q", err, hint.Of(err))
	}
	if _, err := Connect(context.Background(), "m", Options{Host: "ftp://x"}); err == nil {
		t.Error("ftp://x was accepted")
	}
}

func TestParseHost(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "http://localhost:11434",
		"gpu":                  "http://gpu:11434",
		"127.0.0.1:8080":       "http://127.0.0.1:8080",
		"http://127.0.0.1:900": "http://127.0.0.1:900",
		"https://ollama.test":  "https://ollama.test",
	} {
		got, err := parseHost(in)
		if err != nil || got.String() != want {
			t.Errorf("parseHost(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
}

// A proxy in the environment must not see a prompt. (Go never uses one for
// loopback addresses, so the transport itself is looked at.)
func TestNoProxy(t *testing.T) {
	if direct().Proxy != nil {
		t.Error("the transport asks the environment for a proxy")
	}
}
