package reviewweb_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
)

// TestGuard: what is not asked by a page of this server is refused, each rule by one request.
func TestGuard(t *testing.T) {
	web, err := reviewweb.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- web.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked += r.URL.Path + " " }))
	}()
	base, token, _ := strings.Cut(web.URL(), "#")
	base = strings.TrimSuffix(base, "/")
	port := base[strings.LastIndex(base, ":"):]

	for _, tt := range []struct {
		name, method, path, host, origin, site, token string
		status                                        int
		reason                                        string
	}{
		{"page", "GET", "/", "", "", "", "", 200, "the page holds nothing, and asks with the token"},
		{"page from a link elsewhere", "GET", "/", "", "", "cross-site", "", 200, "a link in a chat or a terminal in a browser"},
		{"page by name", "GET", "/", "localhost" + port, "", "", "", 200, ""},
		{"rebound name", "GET", "/", "evil.example" + port, "", "", "", 403, "DNS that points at 127.0.0.1"},
		{"rebound name with the token", "POST", "/api/x", "evil.example" + port, "http://evil.example" + port, "", token, 403, "the Origin is that of the Host"},
		{"other port", "GET", "/", "127.0.0.1:1", "", "", "", 403, ""},
		{"no port", "GET", "/", "127.0.0.1", "", "", "", 403, ""},
		{"foreign page", "GET", "/", "", "https://evil.example", "", "", 403, ""},
		{"foreign page with the token", "POST", "/api/x", "", "https://evil.example", "", token, 403, ""},
		{"sandboxed page", "POST", "/api/x", "", "null", "", token, 403, ""},
		{"page of another port", "POST", "/api/x", "", "http://127.0.0.1:1", "", token, 403, "another server on this machine"},
		{"https", "POST", "/api/x", "", "https://127.0.0.1" + port, "", token, 403, "it is not what we serve"},
		{"mixed names", "POST", "/api/x", "", "http://localhost" + port, "", token, 403, "Host is 127.0.0.1"},
		{"no token", "GET", "/api/x", "", "", "", "", 401, ""},
		{"wrong token", "GET", "/api/x", "", "", "", strings.ToLower(token), 401, ""},
		{"half a token", "GET", "/api/x", "", "", "", token[:10], 401, ""},
		{"token", "GET", "/api/x", "", "", "", token, 200, ""},
		{"own page", "POST", "/api/x", "", base, "", token, 200, ""},
		{"post to a page", "POST", "/", "", base, "", token, 403, "pages are read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = ""
			r, err := http.NewRequest(tt.method, base+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.host != "" {
				r.Host = tt.host
			}
			for name, value := range map[string]string{"Origin": tt.origin, "Sec-Fetch-Site": tt.site, reviewweb.TokenHeader: tt.token} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err := errors.Join(err, answer.Body.Close()); err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != tt.status || (asked != "") != (tt.status == 200) {
				t.Errorf("got %d %q, and the site was asked %q; expected %d: %s", answer.StatusCode, body, asked, tt.status, tt.reason)
			}
			if strings.Contains(string(body), token) {
				t.Error("the refusal tells the token")
			}
			for name, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
				"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			} {
				if got := answer.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}

	cancel()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the server does not end")
	}
	if _, err := http.Get(base); err == nil {
		t.Error("the port still answers")
	}
}

// TestListenIsOnThisMachineAlone: two servers have two ports and tokens, and a port that is taken is said.
func TestListen(t *testing.T) {
	a, err := reviewweb.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := reviewweb.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(a.URL(), "http://127.0.0.1:") {
		t.Errorf("the address is %s, expected one of 127.0.0.1", a.URL())
	}
	_, one, _ := strings.Cut(a.URL(), "#")
	_, two, _ := strings.Cut(b.URL(), "#")
	if len(one) < 26 || one == two {
		t.Errorf("tokens %q and %q: expected 130 random bits each", one, two)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}
