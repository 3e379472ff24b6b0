package review

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Members of a golden record that the review adds for its own use, and takes
// out when a person has ruled.
const (
	// Reopened is the commit at which the text of a question's gold had changed.
	Reopened = "reopened"
	// Revises is the hash of the question that a proposed change is of.
	Revises = "revises"
	// Why lists in words why a question or a change is proposed.
	Why = "why"
)

var passing = []string{Reopened, Revises, Why}

// member is a member of a JSON object, name and value as they are written.
type member struct {
	name  string
	value jsontext.Value
}

// members are those of an object, in order; none of no object.
func members(object jsontext.Value) ([]member, error) {
	if len(object) == 0 {
		return nil, nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, fmt.Errorf("expected a JSON object, got %.40q", object)
	}
	var all []member
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		m.value = slices.Clone(value)
		all = append(all, m)
	}
	return all, nil
}

// object writes members as a JSON object, nil if there are none.
func object(all []member) (jsontext.Value, error) {
	if len(all) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := jsontext.AppendQuote(nil, m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// without is an object less some of its members; the rest in their order.
func without(from jsontext.Value, names []string) (jsontext.Value, error) {
	all, err := members(from)
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(m member) bool { return slices.Contains(names, m.name) })
	if len(rest) == len(all) {
		return from, nil
	}
	return object(rest)
}

// with is an object with one member more, or with another value of it.
func with(to []byte, name string, value any) ([]byte, error) {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	all, err := members(to)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(m member) bool { return m.name == name }); i >= 0 {
		all[i].value = text
	} else {
		all = append(all, member{name, text})
	}
	return object(all)
}

// relined is a record as a line that differs from the line it replaces only
// where it must: members keep their order, and their text where their value is
// the same.
func relined(was []byte, g *record.Golden) ([]byte, error) {
	now, err := Line(g)
	if err != nil {
		return nil, err
	}
	before, err := members(was)
	if err != nil {
		return nil, err
	}
	after, err := members(now)
	if err != nil {
		return nil, err
	}
	var all []member
	for _, m := range before {
		i := slices.IndexFunc(after, func(a member) bool { return a.name == m.name })
		switch {
		case i < 0 && empty(m.value) && (m.name == "key_facts" || m.name == "found"):
			all = append(all, m)
		case i < 0: // it was taken out
		case same(m.value, after[i].value) || m.name == "gold" && sameGold(m.value, g.Gold):
			all = append(all, m)
		default:
			all = append(all, after[i])
		}
	}
	for i, a := range after { // a new one stands behind the one it follows in a record
		if slices.ContainsFunc(all, func(m member) bool { return m.name == a.name }) {
			continue
		}
		at := 0
		for j := range i {
			at = max(at, 1+slices.IndexFunc(all, func(m member) bool { return m.name == after[j].name }))
		}
		all = slices.Insert(all, at, a)
	}
	return object(all)
}

func empty(v jsontext.Value) bool {
	v = slices.Clone(v)
	return v.Compact() == nil && (string(v) == "[]" || string(v) == `""` || string(v) == "null")
}

// same tells whether two values are the same but for how they are written.
func same(a, b jsontext.Value) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// sameGold tells whether a value spells that gold: a plain string is a list of one.
func sameGold(v jsontext.Value, gold []record.Need) bool {
	var was []record.Need
	return json.Unmarshal(v, &was) == nil && slices.EqualFunc(was, gold, slices.Equal[record.Need])
}
