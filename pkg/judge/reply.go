package judge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A ReplyError says why a reply that came is no verdict. It is the judge's own
// doing, as a verdict is; a reply that did not come is not.
type ReplyError struct{ Err error }

func (e *ReplyError) Error() string { return "no verdict: " + e.Err.Error() }

// Unwrap returns what is wrong with the reply.
func (e *ReplyError) Unwrap() error { return e.Err }

// The words of the schema, compared whole.
const (
	supported   = "supported"
	unsupported = "unsupported"
	noClaim     = "no claim"
)

// readFaithful reads the verdicts on the sentences from, to-1. There must be
// just one for each, in any order, and every supported one must carry words that
// the passage it names holds. A sentence without a claim is left out.
func readFaithful(content []byte, c Case, sentences []string, from, to int) ([]record.Claim, error) {
	var r struct {
		Verdicts *[]struct {
			Sentence *string `json:"sentence"`
			Label    *string `json:"label"`
			Quote    *string `json:"quote"`
			Verdict  *string `json:"verdict"`
		} `json:"verdicts"`
	}
	if err := unmarshal(content, &r); err != nil {
		return nil, err
	}
	if r.Verdicts == nil {
		return nil, errors.New(`the reply lacks "verdicts"`)
	}
	if n := len(*r.Verdicts); n != to-from {
		return nil, fmt.Errorf("expected %d verdicts, one a sentence, got %d", to-from, n)
	}
	claims := make([]*record.Claim, to-from)
	given := make([]bool, to-from)
	for _, v := range *r.Verdicts {
		if v.Sentence == nil || v.Label == nil || v.Quote == nil || v.Verdict == nil {
			return nil, errors.New(`a verdict lacks "sentence", "label", "quote" or "verdict"`)
		}
		at := -1
		for i := from; i < to; i++ {
			if labelS(i) == *v.Sentence {
				at = i - from
			}
		}
		switch {
		case at < 0:
			return nil, fmt.Errorf("a verdict on sentence %.40q, which was not asked about", *v.Sentence)
		case given[at]:
			return nil, fmt.Errorf("two verdicts on sentence %s", *v.Sentence)
		}
		given[at] = true
		switch *v.Verdict {
		case supported:
			if err := quoted(c.Passages, *v.Label, *v.Quote); err != nil {
				return nil, fmt.Errorf("sentence %s: %w", *v.Sentence, err)
			}
			claims[at] = &record.Claim{Claim: sentences[from+at], Supported: record.Yes, Quote: *v.Quote, Label: *v.Label}
		case unsupported:
			claims[at] = &record.Claim{Claim: sentences[from+at], Supported: record.No}
		case noClaim:
		default:
			return nil, fmt.Errorf("sentence %s: expected verdict %q, %q or %q, got %.40q", *v.Sentence, supported, unsupported, noClaim, *v.Verdict)
		}
	}
	var out []record.Claim
	for _, claim := range claims {
		if claim != nil {
			out = append(out, *claim)
		}
	}
	return out, nil
}

// readRelevant reads the one verdict.
func readRelevant(content []byte) (record.Mark, error) {
	var r struct {
		Why     *string `json:"why"`
		Answers *string `json:"answers"`
	}
	if err := unmarshal(content, &r); err != nil {
		return "", err
	}
	if r.Why == nil || r.Answers == nil {
		return "", errors.New(`the reply lacks "why" or "answers"`)
	}
	switch mark := record.Mark(*r.Answers); mark {
	case record.Yes, record.No:
		return mark, nil
	}
	return "", fmt.Errorf("expected answers yes or no, got %.40q", *r.Answers)
}

func unmarshal(content []byte, into any) error {
	if err := json.Unmarshal(content, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("the reply is not of the schema: %w", err)
	}
	return nil
}

// quoted is nil if the labelled passage holds the words.
func quoted(passages []record.Labelled, label, quote string) error {
	i := slices.IndexFunc(passages, func(p record.Labelled) bool { return p.Label == label })
	switch {
	case i < 0:
		return fmt.Errorf("it is called supported by passage %.40q, which was not given", label)
	case bare(quote) == "":
		return errors.New("it is called supported without a quote")
	case !Holds(passages[i].Text, quote):
		return fmt.Errorf("the quote %.80q is not in passage %s", quote, label)
	}
	return nil
}

// Holds tells whether a passage holds the words of a quote, one after another,
// whatever the white space, the Markdown markup, the case and the kind of its
// quotation marks; a full stop or an ellipsis at its ends is not part of it.
func Holds(passage, quote string) bool { return holds(bare(passage), quote) }

// holds is Holds in a passage that is bare already.
func holds(p, quote string) bool {
	want, at := bare(quote), 0
	if want == "" {
		return false
	}
	for {
		i := strings.Index(p[at:], want)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(want)
		if border(p, from) && border(p, to) { // "1 second" is not in "11 seconds"
			return true
		}
		at = from + 1
	}
}

// border tells whether no word of s goes on across i.
func border(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	return !wordByte(s[i-1]) || !wordByte(s[i])
}

func wordByte(b byte) bool {
	return b >= 0x80 || b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

var (
	link   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	markup = strings.NewReplacer("*", "", "`", "", "|", " ", "’", "'", "‘", "'", "“", `"`, "”", `"`, "\u00a0", " ")
	leader = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}[ \t]|>[ \t]?|[-+][ \t])`)
)

// bare is a text without markup, in lower case, on one line.
func bare(s string) string {
	s = link.ReplaceAllString(s, "$1")
	s = markup.Replace(leader.ReplaceAllString(s, ""))
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".…", r) })
}
