package reviewweb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// ReadHits reads what one system brought. Where there are several, system names
// one. Hits of another commit than the corpus' are refused.
func ReadHits(in *record.Reader, system record.SystemName, commit record.Commit) ([]*record.Hits, error) {
	var all []*record.Hits
	var systems []string
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run, *record.End, *record.Timing:
		case *record.Hits:
			for _, h := range rec.Hits {
				if h.Commit != "" && commit != "" && h.Commit != commit {
					in.Reject(hint.Wrap(fmt.Errorf("the hits are of commit %s, the corpus of %s", h.Commit, commit), "search an index of this corpus, or leave -hits away"))
					break
				}
			}
			if !slices.Contains(systems, string(rec.System)) {
				systems = append(systems, string(rec.System))
			}
			if system == "" || rec.System == system {
				all = append(all, rec)
			}
		default:
			in.Reject(fmt.Errorf("expected hits records, got a %s record", rec.Kind()))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if system == "" && len(systems) > 1 {
		return nil, hint.Wrap(fmt.Errorf("the hits are of several systems: %s", strings.Join(systems, ", ")), "-system names one")
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no hits of system %q", system)
	}
	return all, nil
}

// ReadAnswers reads answer records. One answer twice, to one question by one
// system and model, is refused with its place.
func ReadAnswers(in *record.Reader) ([]*record.Answer, error) {
	type key struct {
		question record.QuestionID
		system   record.SystemName
		model    string
	}
	first := map[key]record.Pos{}
	var all []*record.Answer
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run, *record.End, *record.Timing:
		case *record.Answer:
			k := key{rec.Question.ID, rec.System, rec.Model}
			if at, ok := first[k]; ok {
				in.Reject(fmt.Errorf("the answer of %s/%s to question %q was also given at %v", k.system, k.model, k.question, at))
				continue
			}
			first[k] = in.Pos()
			all = append(all, rec)
		default:
			in.Reject(fmt.Errorf("expected answer records, got a %s record", rec.Kind()))
		}
	}
	return all, in.Err()
}

// ReadVerdicts reads verdicts, and passes over what else a judge writes.
func ReadVerdicts(in *record.Reader) ([]*record.Verdict, error) {
	var all []*record.Verdict
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run, *record.End, *record.Timing, *record.Control, *record.Score:
		case *record.Verdict:
			all = append(all, rec)
		default:
			in.Reject(fmt.Errorf("expected verdict records, got a %s record", rec.Kind()))
		}
	}
	return all, in.Err()
}
