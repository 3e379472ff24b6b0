package judge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// SetID names a set of answers: 12 hex digits of the digests of all of them.
func SetID(answers []*record.Answer) string {
	parts := make([]string, len(answers))
	for i, a := range answers {
		parts[i] = fmt.Sprintf("%s %s %s %s", a.Question.ID, a.System, a.Model, a.Digest())
	}
	slices.Sort(parts)
	return quotation.Digest(parts...)[:12]
}

// A Store keeps the verdicts of one judge on one set of answers, as verdict
// records, one a line, appended and flushed to disk as they come.
//
//   - A verdict that was kept is on the disk: a run that is killed after it does
//     not ask for it again.
//   - A last line without its end was being written when a run was killed. It is
//     cut off, and Torn says so. Any other damage is an error that names the line.
//   - One run at a time: a second one is told so.
//
// A nil Store keeps nothing.
type Store struct {
	// Path is the file's.
	Path string
	// Torn is how many bytes of a torn last line were cut off.
	Torn int

	mu   sync.Mutex
	file *os.File
	size int64 // of all whole lines
	kept map[string]*record.Verdict
}

// OpenStore opens or makes DIR/<set>/<judge>.jsonl.
func OpenStore(dir, set, judge string) (*Store, error) {
	s := &Store{Path: filepath.Join(dir, set, fileName(judge)), kept: map[string]*record.Verdict{}}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o755); err != nil {
		return nil, unusable(err)
	}
	f, err := os.OpenFile(s.Path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, unusable(err)
	}
	s.file = f
	if err := s.open(judge); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func unusable(err error) error {
	return hint.Wrap(fmt.Errorf("verdicts cannot be kept: %w", err), "-kept names another folder, -kept off keeps none")
}

// fileName is the judge's name, safe in a file's: ollama-qwen2.5-14b.jsonl.
func fileName(judge string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (wordByte(byte(r)) || strings.ContainsRune("+.-", r)) {
			return r
		}
		return '-'
	}, judge) + ".jsonl"
}

func (s *Store) open(judge string) error {
	if err := lock(s.file); err != nil {
		return hint.Wrap(fmt.Errorf("%s: %w", s.Path, err), "another mr-judge with this judge on these answers is at work: wait for it")
	}
	text, err := os.ReadFile(s.Path)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := s.load(whole, judge); err != nil {
		return err
	}
	s.size, s.Torn = int64(len(whole)), len(text)-len(whole)
	if s.Torn > 0 {
		if err := s.file.Truncate(s.size); err != nil {
			return unusable(err)
		}
	}
	return syncDir(filepath.Dir(s.Path))
}

// load reads the whole lines.
func (s *Store) load(text []byte, judge string) error {
	if len(text) == 0 {
		return nil
	}
	in := record.NewReader(record.Source{Name: s.Path, Reader: bytes.NewReader(text)})
	for in.Scan() {
		v, ok := in.Record().(*record.Verdict)
		switch {
		case !ok:
			in.Reject(fmt.Errorf("expected a verdict, got a %s record", in.Record().Kind()))
		case v.Judge != judge && fileName(v.Judge) != fileName(judge):
			in.Reject(fmt.Errorf("expected a verdict of %s, got one of %s", judge, v.Judge))
		case s.kept[v.Key] != nil:
			in.Reject(fmt.Errorf("the verdict %.12s… was there already", v.Key))
		default:
			s.kept[v.Key] = v
		}
	}
	return hint.Wrap(in.Err(), "the kept verdicts are damaged: move %s away to ask anew, or take the bad lines out", s.Path)
}

// Load is the verdict kept under a key, nil if there is none.
func (s *Store) Load(key string) *record.Verdict {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key]
}

// Keep appends a verdict and flushes it to disk. After an error the file is as
// it was before, as far as the disk allows.
func (s *Store) Keep(v *record.Verdict) error {
	if s == nil {
		return nil
	}
	v.Type = v.Kind()
	line, err := json.Marshal(v, json.Deterministic(true))
	if err == nil {
		err = v.Validate()
	}
	if err != nil {
		return fmt.Errorf("keeping a verdict: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[v.Key] != nil {
		return fmt.Errorf("keeping a verdict: %.12s… was kept already", v.Key)
	}
	line = append(line, '\n')
	_, err = s.file.Write(line)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return unusable(errors.Join(err, s.file.Truncate(s.size)))
	}
	s.size += int64(len(line))
	s.kept[v.Key] = v
	return nil
}

// Close gives the file up.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}
