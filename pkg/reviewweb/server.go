package reviewweb

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// TokenHeader carries the token of the address.
const TokenHeader = "X-Review-Token"

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Server serves a site on this machine alone.
type Server struct {
	listener net.Listener
	hosts    []string
	token    string
}

// Listen takes a port of 127.0.0.1; 0 is any that is free.
func Listen(port int) (*Server, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, hint.Wrap(err, "-port 0 takes one that is free")
	}
	n := l.Addr().(*net.TCPAddr).Port
	return &Server{
		listener: l,
		hosts:    []string{fmt.Sprintf("127.0.0.1:%d", n), fmt.Sprintf("localhost:%d", n)},
		token:    rand.Text(),
	}, nil
}

// URL is the address to open, with the token.
func (s *Server) URL() string { return fmt.Sprintf("http://%s/#%s", s.hosts[0], s.token) }

// Serve answers requests until ctx ends, and then finishes those under way.
func (s *Server) Serve(ctx context.Context, site http.Handler) error {
	server := &http.Server{
		Handler:           s.Guard(site),
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
	done := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		done <- server.Shutdown(last)
	})
	err := server.Serve(s.listener)
	if stop() { // it ended by itself
		return err
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, <-done)
	}
	return <-done
}

// Close lets go of the port of a server that was not served.
func (s *Server) Close() error { return s.listener.Close() }

// Guard refuses what does not come from a page of this server, and sets the
// headers of every answer.
func (s *Server) Guard(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if why := s.refuses(r); why != "" {
			status := http.StatusForbidden
			if why == noToken {
				status = http.StatusUnauthorized
			}
			http.Error(w, why, status)
			return
		}
		site.ServeHTTP(w, r)
	})
}

const noToken = "open the address that mr-review printed, with all that stands behind its #"

// refuses says why a request is not answered, "" where it is.
func (s *Server) refuses(r *http.Request) string {
	if !slices.Contains(s.hosts, r.Host) {
		return "this server answers to " + s.hosts[0] + " alone"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && origins[0] != "http://"+r.Host {
		return "a page of another site may not ask here"
	}
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return "pages can only be read"
		}
		return ""
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(TokenHeader)), []byte(s.token)) != 1 {
		return noToken
	}
	return ""
}
