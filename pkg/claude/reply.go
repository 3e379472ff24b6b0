package claude

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// envelope is what --output-format json prints. Every number in it, and the text
// of result, are no part of the reply.
type envelope struct {
	Type             string                    `json:"type"`
	Subtype          string                    `json:"subtype"`
	IsError          *bool                     `json:"is_error"`
	Result           string                    `json:"result"`
	StructuredOutput jsontext.Value            `json:"structured_output"`
	ModelUsage       map[string]jsontext.Value `json:"modelUsage"`
}

// accept returns the structured output of an envelope, or why it does not count.
func accept(out []byte, model string) ([]byte, error) {
	var e envelope
	if err := json.Unmarshal(out, &e); err != nil {
		return nil, fmt.Errorf("the reply of claude is no JSON envelope (%w): %s", err, excerpt(string(out)))
	}
	switch {
	case e.IsError == nil:
		return nil, fmt.Errorf("the reply of claude has no is_error: %s", excerpt(string(out)))
	case *e.IsError:
		return nil, fmt.Errorf("claude says is_error, subtype %q: %s", e.Subtype, excerpt(e.Result))
	case e.Type != "result" || e.Subtype != "success":
		return nil, fmt.Errorf("claude says type %q, subtype %q, expected result and success: %s", e.Type, e.Subtype, excerpt(e.Result))
	}
	if err := served(e.ModelUsage, model); err != nil {
		return nil, err
	}
	switch kind := e.StructuredOutput.Kind(); {
	case len(e.StructuredOutput) == 0 && strings.TrimSpace(e.Result) == "":
		return nil, fmt.Errorf("empty result: claude says success, and there is neither structured_output nor text")
	case len(e.StructuredOutput) == 0:
		return nil, fmt.Errorf("no structured_output, only text: %s", excerpt(e.Result))
	case kind != '{':
		return nil, fmt.Errorf("structured_output is no object: %s", excerpt(string(e.StructuredOutput)))
	}
	return e.StructuredOutput, nil
}

// dated is what stands behind an id in the id of one of its releases.
var dated = regexp.MustCompile(`^-20\d{6}$`)

// served refuses a reply that another model had a part in.
func served(usage map[string]jsontext.Value, model string) error {
	names := slices.Sorted(maps.Keys(usage))
	if len(names) == 0 {
		return fmt.Errorf("the reply does not say which model it is from: modelUsage is empty")
	}
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, model); !ok || rest != "" && !dated.MatchString(rest) {
			return fmt.Errorf("the reply is from %s, %s was asked", strings.Join(names, " and "), model)
		}
	}
	return nil
}

// plainSchema returns a JSON schema on one line. It refuses keywords but type,
// enum, required, properties and items: others have turned the structured output
// of the program off (claude-code#57757).
func plainSchema(schema string) (string, error) {
	var v map[string]any
	if err := json.Unmarshal([]byte(schema), &v); err != nil {
		return "", err
	}
	if err := plain(v); err != nil {
		return "", err
	}
	line := jsontext.Value(schema) // in its own order, which replies follow
	if err := line.Compact(); err != nil {
		return "", err
	}
	return string(line), nil
}

func plain(v map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		inner, _ := v[key].(map[string]any)
		switch key {
		case "type", "enum", "required":
		case "items":
			if err := plain(inner); err != nil {
				return err
			}
		case "properties":
			for _, name := range slices.Sorted(maps.Keys(inner)) {
				field, _ := inner[name].(map[string]any)
				if err := plain(field); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		default:
			return fmt.Errorf("expected no keyword but type, enum, required, properties and items, got %q", key)
		}
	}
	return nil
}
