package record

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the format, in every run record.
const Version = "1"

// Kind is the value of a record's "type".
type Kind string

// The kinds of record.
const (
	KindRun      Kind = "run"
	KindDocument Kind = "document"
	KindPassage  Kind = "passage"
	KindQuestion Kind = "question"
	KindGolden   Kind = "golden"
	KindHits     Kind = "hits"
	KindAnswer   Kind = "answer"
	KindScore    Kind = "score"
	KindVerdict  Kind = "verdict"
	KindPair     Kind = "pair"
	KindControl  Kind = "control"
	KindInterval Kind = "interval"
	KindTiming   Kind = "timing"
	KindEnd      Kind = "end"
)

// Ids are distinct types so that one cannot stand for another.
type (
	// PassageID names a passage: its section's id, with ~1, ~2… when the section was cut.
	PassageID string
	// SectionID names a section: docs/SETUP.md#parallel-runs, or CHALLENGES#105.
	SectionID string
	// QuestionID names a question within a golden set or a stream.
	QuestionID string
	// Commit is a full git commit id, or the sha256 of a document set.
	Commit string
	// SystemName names a retrieval or answering system: bi-encoder, bm25, two-stage…
	SystemName string
	// MetricName names a metric with its cut-off: recall@5, MRR@10, faithfulness…
	MetricName string
	// StageName names a stage that scored a hit: vector, bm25, late, cross-encoder…
	StageName string
)

// Record is one line of a stream.
type Record interface {
	// Kind is the record's type.
	Kind() Kind
	// Validate says what the record lacks. The reader calls it on every line.
	Validate() error
	base() *Base
}

// Base is embedded in every record.
type Base struct {
	// Type is set by the writer; a program that makes records need not set it.
	Type Kind `json:"type"`
	// Extra holds the members the program does not know, as one JSON object.
	Extra jsontext.Value `json:",embed"`
}

func (b *Base) base() *Base { return b }

// Vector is an embedding. In JSON it is base64 of little-endian float32, or,
// on input and with Writer.ArrayVectors, an array of numbers.
type Vector []float32

// MarshalJSONTo writes the base64 form.
func (v Vector) MarshalJSONTo(enc *jsontext.Encoder) error {
	raw := make([]byte, 4*len(v))
	for i, f := range v {
		if !finite(float64(f)) {
			return fmt.Errorf("vector element %d is not finite", i)
		}
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(f))
	}
	return enc.WriteToken(jsontext.String(base64.StdEncoding.EncodeToString(raw)))
}

// UnmarshalJSONFrom reads either form. Elements that are not finite are refused.
func (v *Vector) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case 'n':
		return errors.New("vector: null where numbers were promised: leave the member out")
	case '[':
		var a []float32
		if err := json.UnmarshalDecode(dec, &a); err != nil {
			return err
		}
		*v = a
		return nil
	case '"':
	default:
		return errors.New("vector: expected base64 or an array of numbers")
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(tok.String())
	if err != nil {
		return fmt.Errorf("vector: %w", err)
	}
	if len(raw)%4 != 0 {
		return fmt.Errorf("vector: %d bytes are not a whole number of float32", len(raw))
	}
	out := make(Vector, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		if !finite(float64(out[i])) {
			return fmt.Errorf("vector: element %d is not finite", i)
		}
	}
	*v = out
	return nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// Status says whether a score, verdict or answer stands.
type Status string

// The three outcomes. Unscored is a third outcome with a reason: never 0, never 1, never dropped.
const (
	Scored   Status = "scored"
	Unscored Status = "unscored"
	Failed   Status = "error"
)

func (s Status) validate(reason string) error {
	switch {
	case s != Scored && s != Unscored && s != Failed:
		return fmt.Errorf("expected status scored, unscored or error, got %q", s)
	case s != Scored && reason == "":
		return fmt.Errorf("status %s needs a reason", s)
	}
	return nil
}

// missing returns an error for each empty value among name, value, name, value…
func missing(fields ...string) error {
	var errs []error
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] == "" {
			errs = append(errs, fmt.Errorf("%q is missing or empty", fields[i]))
		}
	}
	return errors.Join(errs...)
}

// newRecord returns an empty record of kind k, or nil if there is no such kind.
func newRecord(k Kind) Record {
	switch k {
	case KindRun:
		return new(Run)
	case KindDocument:
		return new(Document)
	case KindPassage:
		return new(Passage)
	case KindQuestion:
		return new(Question)
	case KindGolden:
		return new(Golden)
	case KindHits:
		return new(Hits)
	case KindAnswer:
		return new(Answer)
	case KindScore:
		return new(Score)
	case KindVerdict:
		return new(Verdict)
	case KindPair:
		return new(Pair)
	case KindControl:
		return new(Control)
	case KindInterval:
		return new(Interval)
	case KindTiming:
		return new(Timing)
	case KindEnd:
		return new(End)
	}
	return nil
}
