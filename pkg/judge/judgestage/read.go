package judgestage

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Files are what controls are drawn from, besides the answers.
type Files struct {
	gold   *golden.Set
	corpus *corpus.Corpus
	madeUp []*record.Answer
}

// Load reads the golden set, the corpus and the made-up answers; madeUp may be
// "", which takes the file beside the golden set that fits it, if there is one.
func Load(gold, passages, madeUp string, open func(name string) (*record.Reader, error)) (f Files, err error) {
	in, err := open(gold)
	if err != nil {
		return f, err
	}
	if f.gold, err = golden.Read(in); err != nil {
		return f, err
	}
	if in, err = open(passages); err != nil {
		return f, err
	}
	if f.corpus, err = corpus.Read(in); err != nil {
		return f, err
	}
	ids, err := golden.NewCorpus(f.corpus, golden.Sections)
	if err != nil {
		return f, err
	}
	if err := f.gold.Check(ids); err != nil {
		return f, err
	}
	if madeUp != "" {
		f.madeUp, err = readMadeUp(madeUp, f.gold, open)
		return f, err
	}
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(gold), "madeup-*.jsonl"))
	if err != nil {
		return f, err
	}
	for _, name := range beside {
		var other *otherSetError
		f.madeUp, err = readMadeUp(name, f.gold, open)
		if !errors.As(err, &other) {
			return f, err
		}
	}
	return f, nil
}

// otherSetError says that answers were made up for another golden set.
type otherSetError struct{ error }

func (e *otherSetError) Unwrap() error { return e.error }

// readMadeUp reads invented answers. Each must be to a golden question, by id
// and text, and one question has one.
func readMadeUp(name string, gold *golden.Set, open func(string) (*record.Reader, error)) ([]*record.Answer, error) {
	in, err := open(name)
	if err != nil {
		return nil, err
	}
	var out []*record.Answer
	seen := map[record.QuestionID]record.Pos{}
	var other error
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run, *record.End:
		case *record.Answer:
			at, twice := seen[rec.Question.ID]
			switch {
			case gold.Text(rec.Question.ID) != rec.Question.Text || rec.Question.Text == "":
				other = errors.Join(other, hint.Wrap(fmt.Errorf("%v: the golden set does not ask question %q in these words", in.Pos(), rec.Question.ID),
					"-madeup names the answers that were made up for this golden set"))
			case twice:
				in.Reject(fmt.Errorf("question %q has a made-up answer already, at %v", rec.Question.ID, at))
			case rec.Text == "":
				in.Reject(errors.New("a made-up answer without a text"))
			default:
				seen[rec.Question.ID] = in.Pos()
				out = append(out, rec)
			}
		default:
			in.Reject(fmt.Errorf("expected an answer record, got a %s record", rec.Kind()))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if other != nil {
		return nil, &otherSetError{other}
	}
	return out, nil
}

// reading is the input.
type reading struct {
	answers []*record.Answer
	runs    []*record.Run
	models  []string // of the answers, each once
	notes   []string
}

// read reads the answers to their end; every bad one is named by its line.
func (s *Stage) read(in *record.Reader) (*reading, error) {
	r := &reading{}
	type name struct {
		id     record.QuestionID
		system record.SystemName
		model  string
	}
	seen := map[name]record.Pos{}
	strangers := 0
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			r.runs = append(r.runs, rec)
		case *record.End, *record.Timing:
		case *record.Answer:
			me := name{rec.Question.ID, rec.System, rec.Model}
			if at, twice := seen[me]; twice {
				in.Reject(hint.Wrap(fmt.Errorf("system %q with %s has an answer to question %q already, at %v", rec.System, rec.Model, rec.Question.ID, at),
					"judge the runs apart, or give their hits names of their own: mr-rerank -system"))
				continue
			}
			seen[me] = in.Pos()
			known := s.gold.Known(rec.Question.ID)
			if known && s.gold.Text(rec.Question.ID) != rec.Question.Text {
				in.Reject(hint.Wrap(fmt.Errorf("the answer is to another text than the golden set has under %q", rec.Question.ID), "answer the questions of this golden set again"))
				continue
			}
			if !known {
				strangers++
			}
			if !slices.Contains(r.models, rec.Model) {
				r.models = append(r.models, rec.Model)
			}
			r.answers = append(r.answers, rec)
		default:
			in.Reject(hint.Wrap(fmt.Errorf("expected an answer record, got a %s record", rec.Kind()), "answer first: mr-answer | mr-judge"))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(r.answers) == 0 {
		return nil, errors.New("nothing to judge: no answer record came")
	}
	if strangers > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d of %d answers are to questions that the golden set does not have: they are judged, and no control is drawn from them", strangers, len(r.answers)))
	}
	return r, nil
}

// Texts are those of the corpus' passages.
func (f Files) Texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range f.corpus.Passages {
			if !yield(p.Text) {
				return
			}
		}
	}
}
