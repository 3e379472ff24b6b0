// Package ollama asks a model behind an Ollama server for one structured reply.
//
// It speaks the native API (the OpenAI-compatible one ignores num_ctx), one
// prompt a call, and trusts nothing it gets back:
//   - num_ctx is always sent, and held against the model's own limit; without it
//     the server chooses by the machine's memory.
//   - truncate and shift are off: a prompt that does not fit is an error. A
//     server that cuts it all the same is caught by its prompt_eval_count, since
//     no tokenizer makes fewer tokens than there are words.
//   - done must be true and done_reason stop: length, load and a broken stream
//     are errors, and so is an empty content (a thinking model's only output).
//   - 503 and 429, a server that is busy, are tried again; nothing else is.
//   - No proxy, no redirect: the named server is the only one contacted.
//   - What spells one of the model's control tokens, such as <|im_end|>, is taken
//     apart: a server would read it as the token, also in the middle of a quote.
//
// The caller validates the content against the schema; a server may ignore it.
package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// DefaultHost is where a server listens that nobody configured.
const DefaultHost = "http://localhost:11434"

// CallLimit bounds one call, retries included.
const CallLimit = 5 * time.Minute

// A Client asks one model of one server. It is safe for use at once.
type Client struct {
	// Model is the model's name, as `ollama list` shows it.
	Model string
	// Digest is the digest of the model's manifest, for run records.
	Digest string
	// NumCtx is the context in tokens that every call asks for.
	NumCtx int
	// Seed is sent with temperature 0.
	Seed int

	host    string
	api     *api.Client
	think   bool     // the model can think, and must be told not to
	control []string // what spells a control token
	limit   time.Duration
	backoff time.Duration
}

// Options are what a client may be told.
type Options struct {
	Host   string // "" is DefaultHost; a host, host:port or URL
	NumCtx int    // 0 is 8192; cut to the model's own limit
	Seed   int
}

// Connect looks the model up. It fails with a hint if there is no server at the
// address, or no such model.
func Connect(ctx context.Context, model string, opt Options) (*Client, error) {
	base, err := parseHost(opt.Host)
	if err != nil {
		return nil, err
	}
	c := &Client{Model: model, NumCtx: opt.NumCtx, Seed: opt.Seed, host: base.String(), limit: CallLimit, backoff: time.Second}
	if c.NumCtx == 0 {
		c.NumCtx = 8192
	}
	c.api = api.NewClient(base, &http.Client{
		Transport: direct(),
		CheckRedirect: func(req *http.Request, _ []*http.Request) error {
			return fmt.Errorf("the server redirects to %s, which nobody named", req.URL.Host)
		},
	})
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := c.lookUp(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// direct is a transport that asks no proxy.
func direct() *http.Transport {
	return &http.Transport{Proxy: nil, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext}
}

// parseHost reads OLLAMA_HOST as Ollama does: scheme and port may be missing.
func parseHost(host string) (*url.URL, error) {
	host = strings.TrimSpace(host)
	if host == "" {
		host = DefaultHost
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, hint.Wrap(fmt.Errorf("OLLAMA_HOST %q is not an address", host), "for example OLLAMA_HOST=%s", DefaultHost)
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host = net.JoinHostPort(u.Hostname(), "11434")
	}
	return u, nil
}

// lookUp reads the model's limit, abilities, control tokens and digest.
func (c *Client) lookUp(ctx context.Context) error {
	show, err := c.api.Show(ctx, &api.ShowRequest{Model: c.Model, Verbose: true})
	if err != nil {
		return c.explain(err)
	}
	arch, _ := show.ModelInfo["general.architecture"].(string)
	if limit, ok := show.ModelInfo[arch+".context_length"].(float64); ok && limit > 0 {
		c.NumCtx = min(c.NumCtx, int(limit))
	}
	c.control = spellings(show.ModelInfo)
	for _, ability := range show.Capabilities {
		c.think = c.think || ability == "thinking"
	}
	list, err := c.api.List(ctx)
	if err != nil {
		return c.explain(err)
	}
	for _, m := range list.Models {
		if m.Name == c.Model || m.Name == c.Model+":latest" {
			c.Digest = m.Digest
		}
	}
	return nil
}

// explain adds to an error what the user can do about it.
func (c *Client) explain(err error) error {
	var status api.StatusError
	var dial *net.OpError
	switch {
	case errors.As(err, &status) && status.StatusCode == http.StatusNotFound:
		return hint.Wrap(fmt.Errorf("the server at %s has no model %q: %w", c.host, c.Model, err), "ollama pull %s", c.Model)
	case errors.As(err, &dial) && dial.Op == "dial":
		return hint.Wrap(fmt.Errorf("no Ollama server at %s: %w", c.host, err), "start one with `ollama serve`, or set OLLAMA_HOST")
	}
	return fmt.Errorf("ollama at %s: %w", c.host, err)
}

// Prompt is one call.
type Prompt struct {
	System, User string
	// Schema is the JSON schema of the reply. It is sent as the format, and
	// belongs into the text of the prompt too.
	Schema json.RawMessage
	// NumPredict caps the reply in tokens: a model that never closes its JSON stops there.
	NumPredict int
}

// Reply is what came back.
type Reply struct {
	Content      string
	PromptTokens int
	Tokens       int
}

// Ask sends one prompt and returns a whole reply, or an error that says why there is none.
func (c *Client) Ask(ctx context.Context, p Prompt) (Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	wait := c.backoff
	for {
		reply, err := c.ask(ctx, p)
		if err == nil || !again(err) {
			return reply, err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return Reply{}, fmt.Errorf("gave up after %v: %w", c.limit, err)
		}
	}
}

// again tells whether the server was merely busy.
func again(err error) bool {
	var status api.StatusError
	return errors.As(err, &status) &&
		(status.StatusCode == http.StatusServiceUnavailable || status.StatusCode == http.StatusTooManyRequests)
}

func (c *Client) ask(ctx context.Context, p Prompt) (Reply, error) {
	p.System, p.User = c.inert(p.System), c.inert(p.User)
	off := false
	req := &api.ChatRequest{
		Model:     c.Model,
		Messages:  []api.Message{{Role: "system", Content: p.System}, {Role: "user", Content: p.User}},
		Stream:    &off,
		Format:    p.Schema,
		KeepAlive: &api.Duration{Duration: 10 * time.Minute},
		Truncate:  &off,
		Shift:     &off,
		Options: map[string]any{
			"num_ctx": c.NumCtx, "num_predict": p.NumPredict, "temperature": 0, "seed": c.Seed,
		},
	}
	if c.think {
		req.Think = &api.ThinkValue{Value: false}
	}
	var last api.ChatResponse
	var content strings.Builder
	thought := false
	err := c.api.Chat(ctx, req, func(r api.ChatResponse) error {
		content.WriteString(r.Message.Content)
		thought = thought || r.Message.Thinking != ""
		last = r
		return nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return Reply{}, fmt.Errorf("no reply from %s within %v: %w", c.host, c.limit, ctx.Err())
		}
		return Reply{}, c.explain(err)
	}
	if err := check(last, content.String(), thought, words(p.System)+words(p.User)); err != nil {
		return Reply{}, err
	}
	return Reply{Content: content.String(), PromptTokens: last.PromptEvalCount, Tokens: last.EvalCount}, nil
}

func words(s string) int { return len(strings.Fields(s)) }

// check says why a response is not a whole reply.
func check(r api.ChatResponse, content string, thought bool, words int) error {
	switch {
	case !r.Done:
		return errors.New("the reply was cut off: the server did not say that it was done")
	case r.DoneReason != "stop":
		return fmt.Errorf("the reply is not whole: done_reason is %q, expected stop", r.DoneReason)
	case strings.TrimSpace(content) == "" && thought:
		return errors.New("the reply is empty: the model only thought")
	case strings.TrimSpace(content) == "":
		return errors.New("the reply is empty")
	case r.PromptEvalCount < words:
		return fmt.Errorf("the prompt was cut: the model read %d tokens of a prompt of %d words", r.PromptEvalCount, words)
	}
	return nil
}
