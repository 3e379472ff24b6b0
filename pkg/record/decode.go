package record

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// decode parses and validates one line.
func decode(line []byte) (Record, error) {
	kind, err := kindOf(line)
	if err != nil {
		return nil, err
	}
	rec := newRecord(kind)
	if rec == nil {
		return nil, fmt.Errorf("unknown record type %q", kind)
	}
	var opts []json.Options
	if bytes.Contains(line, []byte("null")) { // rare, and the check costs
		opts = append(opts, noNullNumbers)
	}
	if err := json.Unmarshal(line, rec, opts...); err != nil {
		return nil, fmt.Errorf("bad %s record: %w", kind, err)
	}
	if err := rec.Validate(); err != nil {
		bad := fmt.Errorf("bad %s record: %s", kind, strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil, hint.Wrap(bad, "%s", hint.Of(err))
	}
	return rec, nil
}

// noNullNumbers refuses null where a number is promised, which json takes for zero.
var noNullNumbers = json.WithUnmarshalers(json.JoinUnmarshalers(
	json.UnmarshalFromFunc(refuseNull[*int]), json.UnmarshalFromFunc(refuseNull[*float32]),
	json.UnmarshalFromFunc(refuseNull[*float64]), json.UnmarshalFromFunc(refuseNull[**float64]),
	json.UnmarshalFromFunc(refuseNull[**uint64]),
))

func refuseNull[T any](dec *jsontext.Decoder, _ T) error {
	if dec.PeekKind() == 'n' {
		return errors.New("null where a number was promised: leave the member out, and say why in its status")
	}
	return errors.ErrUnsupported
}

// kindOf finds the type of a record without parsing the rest where, as in all
// that the tools write, it comes first.
func kindOf(line []byte) (Kind, error) {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		if i := bytes.IndexByte(rest, '"'); i >= 0 && bytes.IndexByte(rest[:i], '\\') < 0 {
			return Kind(rest[:i]), nil
		}
	}
	if bytes.TrimLeft(line, " \t\r")[0] != '{' {
		return "", errors.New("expected a JSON object, one record a line")
	}
	var probe struct {
		Type *Kind          `json:"type"`
		Rest jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(line, &probe); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	if probe.Type == nil {
		return "", errors.New(`record has no "type"`)
	}
	return *probe.Type, nil
}
