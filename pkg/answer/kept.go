package answer

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
)

// Kept is a model whose replies are kept, so that a run that was broken off goes
// on where it stopped. A reply is kept under the whole prompt, the model's digest
// and the options: a question, passage or prompt that changed is asked anew. An
// engine that failed is asked again.
// A reply is written at once: it may have taken minutes.
type Kept struct {
	Model
	Cache *cache.Cache
}

// Answer returns the reply that was kept, or asks.
func (k Kept) Answer(ctx context.Context, req Request) (Reply, error) {
	c := k.Client
	space := cache.Space{
		Kind:   "answer",
		Model:  c.Model + " " + c.Digest,
		Params: fmt.Sprintf("v1 num_ctx=%d seed=%d num_predict=%d", c.NumCtx, c.Seed, maxReplyTokens),
	}
	key := space.Key(System, UserPrompt(req))
	if b, ok := k.Cache.Load(key); ok {
		var reply Reply
		if err := json.Unmarshal(b, &reply); err == nil {
			return reply, nil
		}
	}
	reply, err := k.Model.Answer(ctx, req)
	if err != nil {
		return reply, err
	}
	b, err := json.Marshal(reply)
	if err != nil {
		return Reply{}, fmt.Errorf("keeping a reply: %w", err)
	}
	k.Cache.Store(key, b)
	k.Cache.Flush()
	return reply, nil
}
