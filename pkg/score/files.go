package score

import (
	"errors"
	"os"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Files name what hits are scored against.
type Files struct {
	// Golden or Qrels: one of them.
	Golden, Qrels string
	Corpus        string
	// Ledger is "" where there is none.
	Ledger string
	Unit   golden.Unit
	Half   golden.Half
	// Open opens a file of records.
	Open func(name string) (*record.Reader, error)
}

// ParseMetrics reads names between commas; "" are the default ones.
func ParseMetrics(names string, graded bool) (metric.Suite, error) {
	if names == "" {
		if names = Metrics; graded {
			names = GradedMetrics
		}
	}
	suite, err := metric.ParseSuite(names)
	if err != nil {
		return nil, err
	}
	return suite, suite.Fits(graded)
}

// Load reads the files into Set, Corpus and Ledger. A section that gold names
// and the corpus lacks is an error, in whichever half.
func (r *Retrieval) Load(f Files) error {
	set, err := f.set()
	if err != nil {
		return err
	}
	in, err := f.Open(f.Corpus)
	if err != nil {
		return err
	}
	passages, err := corpus.Read(in)
	if err != nil {
		return err
	}
	r.Run.Inputs = append(r.Run.Inputs, passages.Runs...)
	if r.Corpus, err = golden.NewCorpus(passages, f.Unit); err != nil {
		return err
	}
	if err := set.Check(r.Corpus); err != nil {
		return err
	}
	if r.Set, err = set.In(f.Half); err != nil {
		return err
	}
	if f.Ledger == "" {
		if f.Half == golden.Headline {
			return errors.New("the headline half is scored by a ledger, and none is named")
		}
		return nil
	}
	file, err := os.Open(f.Ledger)
	if err != nil {
		return err
	}
	r.Ledger, err = golden.ReadLedger(f.Ledger, file)
	return errors.Join(err, file.Close())
}

func (f Files) set() (*golden.Set, error) {
	if f.Golden != "" {
		in, err := f.Open(f.Golden)
		if err != nil {
			return nil, err
		}
		return golden.Read(in)
	}
	file, err := os.Open(f.Qrels)
	if err != nil {
		return nil, err
	}
	set, err := golden.ReadQrels(f.Qrels, file)
	return set, errors.Join(err, file.Close())
}
