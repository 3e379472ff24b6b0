package reviewweb

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	mobiumrag "github.com/mobiumdev/mobium-rag"
)

//go:embed static
var embedded embed.FS

// static is the embedded files, under their own names.
var static = func() fs.FS {
	sub, err := fs.Sub(embedded, "static")
	if err != nil {
		panic("reviewweb: internal error: " + err.Error())
	}
	return sub
}()

// maxBody bounds a request: the longest is a golden record.
const maxBody = 4 << 20

// rater is the person at the page, asked for once where the command line does not say.
type rater struct {
	mu   sync.Mutex
	name string
}

func (r *rater) who() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.name
}

// set takes a name, if it is one.
func (r *rater) set(name string) error {
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, "\r\n") || len(name) > 200 {
		return invalid{errors.New("expected a name, on one line")}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.name = name
	return nil
}

// pages is what every site serves: the embedded files, the guide, and who is there.
func pages(first string, who *rater) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", page(first))
	mux.HandleFunc("GET /guide", guide(first))
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	mux.HandleFunc("POST /api/by", answering(func(r *http.Request) (any, error) {
		var ask struct {
			By string `json:"by"`
		}
		if err := read(r, &ask); err != nil {
			return nil, err
		}
		return ask, who.set(ask.By)
	}))
	return mux
}

// page serves one embedded page.
func page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, static, name) }
}

// Guide is the site of the rules alone.
func Guide() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	mux.HandleFunc("GET /{$}", guide(""))
	return mux
}

var guidePage = template.Must(template.ParseFS(embedded, "static/guide.html"))

// guide renders REVIEWING.md. Home is the page to go back to, "" where there is none.
func guide(home string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		err := guidePage.Execute(&b, struct {
			Text   template.HTML // Markdown's, which is safe to show
			Labels bool
			Home   bool
		}{template.HTML(Markdown(mobiumrag.Reviewing, "REVIEWING.md", nil)), home == "labels.html", home != ""})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = b.WriteTo(w) // who went away hears no error
	}
}

// invalid is an error of what was asked; the page shows it beside the form.
type invalid struct{ error }

func (i invalid) Unwrap() error { return i.error }

// conflict is an error with what is there now, which the page shows beside it.
type conflict struct {
	error
	now any
}

func (c conflict) Unwrap() error { return c.error }

// errUnknown is the error of a question, section or answer that is not there.
var errUnknown = errors.New("there is no such thing here")

// read decodes the body of a request.
func read(r *http.Request, into any) error {
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); t != "application/json" {
		return invalid{fmt.Errorf("expected application/json, got %q", t)}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return invalid{err}
	}
	if err := json.Unmarshal(body, into, json.RejectUnknownMembers(true)); err != nil {
		return invalid{err}
	}
	return nil
}

// answering makes a handler of a function: its value, or its error, as JSON.
// A nil value without an error is 204: nothing new.
func answering(fn func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := fn(r)
		status := http.StatusOK
		if err != nil {
			status, value = failure(err)
		} else if value == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		line, err := json.Marshal(value)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(line) // who went away hears no error
	}
}

// failed is how an error reaches the page.
type failed struct {
	Error string `json:"error"`
	Now   any    `json:"now,omitempty"`
}

func failure(err error) (int, failed) {
	var bad invalid
	var other conflict
	switch {
	case errors.Is(err, errUnknown):
		return http.StatusNotFound, failed{Error: err.Error()}
	case errors.As(err, &other):
		return http.StatusConflict, failed{err.Error(), other.now}
	case errors.As(err, &bad):
		return http.StatusUnprocessableEntity, failed{Error: err.Error()}
	}
	return http.StatusInternalServerError, failed{Error: err.Error()}
}

// stamp is now, as rulings and labels carry it.
func stamp(now func() time.Time) string { return now().UTC().Format(time.RFC3339) }
