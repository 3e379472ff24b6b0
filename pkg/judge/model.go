package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// perCall is how many sentences one call rules on. Few enough that a slow model
// replies within the limit of a call; the whole answer is shown each time.
const perCall = 8

// New returns the judge that asks a model.
//
//   - The claims of an answer are its sentences (Sentences), as in AIS (Rashkin
//     et al. 2023, doi:10.1162/coli_a_00486) and ALCE (Gao et al. 2023,
//     doi:10.18653/v1/2023.emnlp-main.398). They are counted here, not by the
//     model, so none can be left out. Others let a model split sentences into
//     atomic claims (RAGAS, FActScore); we do not: what a model leaves out in
//     splitting nobody rules on.
//   - A reply that is not of the schema, lacks a verdict or quotes what the
//     passage does not say gets one repair try, which is told why. Then there is
//     no verdict, and the error is a *ReplyError.
//   - The passages play no part in relevance.
func New(a Asker) Judge { return model{a} }

type model struct{ Asker }

// Version is a hash of the prompts, the forms and the asker's options.
func (m model) Version() string {
	hashes := PromptHashes()
	return quotation.Digest("v1", hashes["faithfulness"], hashes["relevance"], fmt.Sprint(perCall, faithfulTokens, relevantTokens), m.Options())[:16]
}

func (m model) Faithful(ctx context.Context, c Case) (Reading, error) {
	sentences := Sentences(c.Answer)
	var all []record.Claim
	for from := 0; from < len(sentences); from += perCall {
		to := min(from+perCall, len(sentences))
		var claims []record.Claim
		err := m.ask(ctx, faithfulPrompt(c, sentences, from, to), func(content []byte) (err error) {
			claims, err = readFaithful(content, c, sentences, from, to)
			return err
		})
		if err != nil {
			return Reading{}, err
		}
		all = append(all, claims...)
	}
	if len(all) == 0 {
		return Reading{}, &ReplyError{errors.New("no sentence of the answer was found to claim anything")}
	}
	mark := record.Yes
	for _, claim := range all {
		if claim.Supported == record.No {
			mark = record.No
		}
	}
	return Reading{Claims: all, Mark: mark}, nil
}

func (m model) Relevant(ctx context.Context, c Case) (Reading, error) {
	if strings.TrimSpace(c.Answer) == "" {
		return Reading{}, errors.New("the answer is empty")
	}
	var mark record.Mark
	err := m.ask(ctx, relevantPrompt(c), func(content []byte) (err error) {
		mark, err = readRelevant(content)
		return err
	})
	return Reading{Mark: mark}, err
}

// ask calls the model, reads its reply, and tries once more where it cannot be read.
func (m model) ask(ctx context.Context, p Prompt, read func([]byte) error) error {
	content, err := m.Ask(ctx, p)
	if err != nil {
		return fmt.Errorf("no reply: %w", err)
	}
	wrong := read(content)
	if wrong == nil {
		return nil
	}
	content, err = m.Ask(ctx, repair(p, wrong))
	if err != nil {
		return fmt.Errorf("no reply to the repair try (%v): %w", wrong, err)
	}
	if still := read(content); still != nil {
		return &ReplyError{fmt.Errorf("%w, also when it was asked once more", still)}
	}
	return nil
}
