package answer

import (
	"context"

	"github.com/mobiumdev/mobium-rag/pkg/ollama"
)

// maxReplyTokens caps a reply: a model that never closes its JSON stops there.
const maxReplyTokens = 1024

// Model is the engine that asks a model of an Ollama server.
type Model struct{ Client *ollama.Client }

// Name is ollama:<model>.
func (m Model) Name() string { return "ollama:" + m.Client.Model }

// Answer sends one prompt and reads the structured reply.
func (m Model) Answer(ctx context.Context, req Request) (Reply, error) {
	got, err := m.Client.Ask(ctx, ollama.Prompt{
		System: System, User: UserPrompt(req), Schema: []byte(Schema), NumPredict: maxReplyTokens,
	})
	if err != nil {
		return Reply{}, err
	}
	reply, err := ParseReply(got.Content)
	reply.PromptTokens, reply.Tokens = got.PromptTokens, got.Tokens
	return reply, err
}
