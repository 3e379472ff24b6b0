package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// Format says how items of a type are kept. It must not change while it is used.
type Format[T any] struct {
	// Member is the name of the list in the file.
	Member string
	// Key is what an item is one of: two items with one key are an error.
	Key func(*T) string
	// Check says what is wrong with an item.
	Check func(*T) error
	// Seq is where an item has its number.
	Seq func(*T) *int
	// Options are for reading items, besides refusing members that T does not have.
	Options []json.Options
}

// Store is a file of items with its history.
type Store[T any] struct {
	*Format[T]
	Path, History string
}

// Load reads the file, sorted by key. One that is not there has no items.
func (s Store[T]) Load() ([]T, error) {
	f, err := os.Open(s.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	items, err := s.Read(s.Path, f)
	return items, errors.Join(err, f.Close())
}

// Change is what becomes of one item.
type Change[T any] struct {
	Item T
	// Remove takes the item with Item's key out of the file. Item is in the history all the same.
	Remove bool
}

// Update changes one item, alone among all processes. Decide is given the items
// as they are now; its error ends the update with nothing written.
func (s Store[T]) Update(decide func([]T) (Change[T], error)) (item T, err error) {
	h, err := openHistory(s.History)
	if err != nil {
		return item, err
	}
	defer func() { err = errors.Join(err, h.f.Close()) }()
	items, err := s.Load()
	if err != nil {
		return item, err
	}
	change, err := decide(items)
	if err != nil {
		return item, err
	}
	seq := h.last
	for i := range items {
		seq = max(seq, *s.Seq(&items[i]))
	}
	*s.Seq(&change.Item) = seq + 1
	if err := s.Check(&change.Item); err != nil {
		return item, err
	}
	line, err := s.line(&change.Item)
	if err != nil {
		return item, err
	}
	text, err := s.Text(s.put(items, change))
	if err != nil {
		return item, err
	}
	if err := h.add(line); err != nil {
		return item, fmt.Errorf("%s was not written: %w", s.History, err)
	}
	return change.Item, Replace(s.Path, text)
}

// put is the items with the change made.
func (s Store[T]) put(items []T, change Change[T]) []T {
	key := s.Key(&change.Item)
	rest := slices.DeleteFunc(slices.Clone(items), func(t T) bool { return s.Key(&t) == key })
	if change.Remove {
		return rest
	}
	return append(rest, change.Item)
}

func (f *Format[T]) line(item *T) ([]byte, error) {
	return json.Marshal(item, json.Deterministic(true), jsontext.PreserveRawStrings(true))
}

// Text is a file of the items.
func (f *Format[T]) Text(items []T) ([]byte, error) {
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b T) int { return cmp.Compare(f.Key(&a), f.Key(&b)) })
	var b bytes.Buffer
	fmt.Fprintf(&b, "{%q:[", f.Member)
	for i := range items {
		line, err := f.line(&items[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	if len(items) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

// Read reads a file of items, sorted by key. The first bad item, and whatever is not
// such a file, is refused with its line.
func (f *Format[T]) Read(name string, r io.Reader) ([]T, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &parser[T]{Format: f, name: name, text: text, dec: jsontext.NewDecoder(bytes.NewReader(text))}
	items, err := p.file()
	if err != nil {
		return nil, hint.Wrap(err, "mend that line, or take the file back from git; nothing was changed")
	}
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(f.Key(&a), f.Key(&b)) })
	return items, nil
}

type parser[T any] struct {
	*Format[T]
	name string
	text []byte
	dec  *jsontext.Decoder
}

// at is an error with the line of an offset.
func (p *parser[T]) at(offset int64, err error) error {
	line := 1 + bytes.Count(p.text[:min(offset, int64(len(p.text)))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s", p.name, line, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// broken is the error of text that is not JSON.
func (p *parser[T]) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return p.at(int64(len(p.text)), errors.New("the file ends too early"))
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return p.at(syntax.ByteOffset, err)
	}
	return p.at(p.dec.InputOffset(), err)
}

// file reads the whole file.
func (p *parser[T]) file() ([]T, error) {
	want := []string{"{", p.Member, "["}
	for _, w := range want {
		tok, err := p.dec.ReadToken()
		if err != nil {
			return nil, p.broken(err)
		}
		if tok.String() != w {
			return nil, p.at(p.dec.InputOffset(), fmt.Errorf(`expected {"%s":[…]}, got %.40q`, p.Member, tok.String()))
		}
	}
	items, err := p.items()
	if err != nil {
		return nil, err
	}
	for range 2 { // ] and }
		tok, err := p.dec.ReadToken()
		if err != nil {
			return nil, p.broken(err)
		}
		if k := tok.Kind(); k != ']' && k != '}' {
			return nil, p.at(p.dec.InputOffset(), fmt.Errorf("unexpected member %q beside %q", tok.String(), p.Member))
		}
	}
	if _, err := p.dec.ReadToken(); err == nil {
		return nil, p.at(p.dec.InputOffset(), errors.New("something stands after the end of the list"))
	} else if err != io.EOF {
		return nil, p.broken(err)
	}
	return items, nil
}

// items reads what is in the list.
func (p *parser[T]) items() ([]T, error) {
	var items []T
	lines := map[string]int64{}
	for p.dec.PeekKind() != ']' {
		value, err := p.dec.ReadValue()
		if err != nil {
			return nil, p.broken(err)
		}
		start := p.dec.InputOffset() - int64(len(value))
		var item T
		if err := json.Unmarshal(value, &item, append([]json.Options{json.RejectUnknownMembers(true)}, p.Options...)...); err != nil {
			var bad *json.SemanticError
			within := int64(0)
			if errors.As(err, &bad) {
				within = bad.ByteOffset
			}
			return nil, p.at(start+within, err)
		}
		if err := p.Check(&item); err != nil {
			return nil, p.at(start, err)
		}
		key := p.Key(&item)
		if first, ok := lines[key]; ok {
			return nil, p.at(start, fmt.Errorf("the same was given already, on line %d: keep one", 1+bytes.Count(p.text[:first], []byte("\n"))))
		}
		lines[key] = start
		items = append(items, item)
	}
	return items, nil
}
