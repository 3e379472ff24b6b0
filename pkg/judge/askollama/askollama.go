// Package askollama is a judge's model behind an Ollama server.
package askollama

import (
	"context"
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/ollama"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Asker is a judge.Asker of one Ollama model.
type Asker struct{ Client *ollama.Client }

// Name is ollama:<model>.
func (a Asker) Name() string { return "ollama:" + a.Client.Model }

// Model is the name with the digest of the model's manifest.
func (a Asker) Model() record.Model {
	return record.Model{Name: a.Name(), SHA256: a.Client.Digest}
}

// Options are the context and the seed.
func (a Asker) Options() string {
	return fmt.Sprintf("num_ctx=%d seed=%d", a.Client.NumCtx, a.Client.Seed)
}

// Ask sends one prompt. The reply is whole, and no more is known of it.
func (a Asker) Ask(ctx context.Context, p judge.Prompt) ([]byte, error) {
	reply, err := a.Client.Ask(ctx, ollama.Prompt{
		System: p.System, User: p.User, Schema: []byte(p.Schema), NumPredict: p.MaxTokens,
	})
	return []byte(reply.Content), err
}
