package reviewweb

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
)

// Golden is the site on which golden questions are reviewed.
type Golden struct {
	Paths review.Paths
	Store review.Store
	// Sections are of the corpus at the pin.
	Sections *Sections
	// Hits are what a system brings for the questions; for those without any the
	// words of the question are searched.
	Hits []*record.Hits
	// Depth is how many of a question's hits are shown.
	Depth int
	// By is who reviews, "" to ask on the page.
	By string
	// Now is the clock.
	Now func() time.Time

	who   rater
	given map[record.QuestionID]*record.Hits
	mu    sync.Mutex
	last  *snapshot
}

// Handler reads the files, and serves the site. It fails where a file is damaged.
func (g *Golden) Handler() (http.Handler, error) {
	g.who.name = g.By
	g.given = map[record.QuestionID]*record.Hits{}
	for _, h := range g.Hits {
		g.given[h.Question.ID] = h
	}
	if _, err := g.current(); err != nil {
		return nil, err
	}
	mux := pages("golden.html", &g.who)
	mux.HandleFunc("GET /coverage", page("coverage.html"))
	mux.HandleFunc("GET /api/golden", answering(g.list))
	mux.HandleFunc("GET /api/golden/question", answering(g.question))
	mux.HandleFunc("POST /api/golden/check", answering(g.check))
	mux.HandleFunc("POST /api/golden/decide", answering(g.decide))
	mux.HandleFunc("GET /api/coverage", answering(g.coverage))
	g.Sections.routes(mux)
	return mux, nil
}

// snapshot is what the files held when they were last read. It does not change.
type snapshot struct {
	version int
	files   []fs.FileInfo
	data    *review.Data
	bare    []entry // the entries without rulings
	entries []*entry
	byID    map[record.QuestionID]*entry
	checker func() *review.Checker
}

// current is what the files hold now.
func (g *Golden) current() (*snapshot, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	files, err := look(g.Paths.Golden, g.Paths.Proposed, g.Paths.NextPin, g.Store.Path)
	if err != nil {
		return nil, err
	}
	if g.last != nil && slices.EqualFunc(files, g.last.files, same) {
		return g.last, nil
	}
	s := &snapshot{files: files, version: 1}
	if g.last != nil {
		s.version = g.last.version + 1
	}
	if g.last != nil && slices.EqualFunc(files[:3], g.last.files[:3], same) {
		s.data, s.bare, s.checker = g.last.data, g.last.bare, g.last.checker
	} else {
		if s.data, err = review.ReadData(g.Paths); err != nil {
			return nil, err
		}
		s.bare, s.checker = entries(s.data), g.checker(s.data)
	}
	decisions, err := g.Store.Load()
	if err != nil {
		return nil, err
	}
	s.rule(decisions)
	g.last = s
	return s, nil
}

// entry is a question of the list: one of the set, one proposed, or both where
// a change of it is proposed.
type entry struct {
	ID       record.QuestionID   `json:"id"`
	Question string              `json:"question"`
	Kind     record.QuestionKind `json:"kind"`
	// From is set, proposed, next pin, or change.
	From string `json:"from"`
	// Review is by whom and when, or draft.
	Review string `json:"review"`
	// Action is what was ruled; Applied that the set holds it by now, Stale that
	// the question changed since.
	Action  review.Action `json:"action,omitempty"`
	By      string        `json:"by,omitempty"`
	Seq     int           `json:"seq,omitzero"`
	Applied bool          `json:"applied,omitzero"`
	Stale   bool          `json:"stale,omitzero"`

	now      *record.Golden // what is ruled on
	hash     string
	instead  *record.Golden // of the set, where a change is proposed
	decision *review.Decision
}

// The places a question comes from.
const (
	fromSet      = "set"
	fromProposed = "proposed"
	fromNextPin  = "next pin"
	fromChange   = "change"
)

// entries are the set in its order, then what is proposed.
func entries(data *review.Data) []entry {
	var all []entry
	at := map[record.QuestionID]int{}
	add := func(g *record.Golden, from string) {
		i, ok := at[g.ID]
		if !ok {
			at[g.ID] = len(all)
			all = append(all, entry{ID: g.ID, From: from})
			all[len(all)-1].show(g)
			return
		}
		if e := &all[i]; e.From == fromSet { // else it is proposed twice: the first counts
			e.instead, e.From = e.now, fromChange
			e.show(g)
		}
	}
	for _, g := range data.Golden.Records {
		add(g, fromSet)
	}
	for _, g := range data.Proposed.Records {
		add(g, fromProposed)
	}
	for _, g := range data.NextPin.Records {
		add(g, fromNextPin)
	}
	return all
}

// rule makes the entries with their rulings.
func (s *snapshot) rule(f *review.File) {
	s.byID = make(map[record.QuestionID]*entry, len(s.bare))
	for _, e := range s.bare { // each a copy
		s.byID[e.ID] = &e
		s.entries = append(s.entries, &e)
	}
	for i := range f.Decisions {
		d := &f.Decisions[i]
		e := s.byID[d.Question]
		if e == nil {
			continue
		}
		e.decision, e.By, e.Seq = d, d.By, d.Seq
		if d.Action == review.Remark { // still undecided
			continue
		}
		e.Action = d.Action
		e.Applied = d.Result != "" && d.Result == e.hash
		e.Stale = !e.Applied && d.Base != e.hash
	}
}

func (e *entry) show(g *record.Golden) {
	e.now, e.hash = g, review.Hash(g)
	e.Question, e.Kind, e.Review = g.Question, g.AskedFor, g.Review
}

// questions is what GET /api/golden tells.
type questions struct {
	Version   int           `json:"version"`
	By        string        `json:"by"`
	Commit    record.Commit `json:"commit"`
	Golden    string        `json:"golden"`
	Questions []*entry      `json:"questions"`
}

// list answers with the questions, or with nothing where the page has them.
func (g *Golden) list(r *http.Request) (any, error) {
	s, err := g.current()
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("version") == fmt.Sprint(s.version) {
		return nil, nil
	}
	return questions{s.version, g.who.who(), g.Sections.corpus.Commit, g.Paths.Golden, s.entries}, nil
}

// ruling is a decision as the page sends it.
type ruling struct {
	Question record.QuestionID `json:"question"`
	Action   review.Action     `json:"action"`
	Base     string            `json:"base"`
	Golden   *record.Golden    `json:"golden"`
	Found    string            `json:"found"`
	Note     string            `json:"note"`
	// Seen is the number of the ruling that the page showed, 0 for none.
	Seen int `json:"seen"`
}

// decide keeps a ruling. It answers once that is on disk.
func (g *Golden) decide(r *http.Request) (any, error) {
	var ask ruling
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	s, err := g.current()
	if err != nil {
		return nil, err
	}
	e := s.byID[ask.Question]
	if e == nil {
		return nil, conflict{fmt.Errorf("question %q is no longer there", ask.Question), nil}
	}
	d := review.Decision{
		Question: ask.Question, Action: ask.Action, Base: ask.Base, Golden: ask.Golden,
		Found: ask.Found, Note: ask.Note, By: g.who.who(), At: stamp(g.Now),
	}
	if d.Golden != nil {
		d.Golden.Type = record.KindGolden
	}
	if d.By == "" {
		return nil, invalid{errors.New("who are you? A ruling carries a name")}
	}
	d, wrong := review.Rule(e.now, d)
	if err = wrong; err == nil {
		_, err = g.Store.Put(d, ask.Seen)
	}
	var theirs *review.Conflict
	var stale *review.Stale
	switch {
	case errors.As(err, &theirs), errors.As(err, &stale):
		now, detailErr := g.detail(r.Context(), ask.Question)
		return nil, conflict{errors.Join(err, detailErr), now}
	case wrong != nil:
		return nil, invalid{wrong}
	case err != nil:
		return nil, err
	}
	if s, err = g.current(); err != nil {
		return nil, err
	}
	if e = s.byID[ask.Question]; e == nil {
		return nil, errUnknown
	}
	return ruled{e, e.hash, e.decision}, nil
}

// ruled is a question after a ruling; what else there is to show of it is asked for when it is shown.
type ruled struct {
	*entry
	Base     string           `json:"base"`
	Decision *review.Decision `json:"decision,omitempty"`
}

// coverage counts which sections the questions ask for.
func (g *Golden) coverage(*http.Request) (any, error) {
	s, err := g.current()
	if err != nil {
		return nil, err
	}
	return review.Cover(g.Sections.corpus, s.data.Golden.Records, slices.Concat(s.data.Proposed.Records, s.data.NextPin.Records)), nil
}

// line is a golden record as JSON, as the files hold it.
func line(g *record.Golden) (jsontext.Value, error) {
	if g == nil {
		return nil, nil
	}
	b, err := review.Line(g)
	return b, err
}

// checker is made once for what the files hold, when the first question is
// looked at. Ranks are not its: they are looked up a question at a time (ranks).
func (g *Golden) checker(data *review.Data) func() *review.Checker {
	all := slices.Concat(data.Golden.Records, data.Proposed.Records, data.NextPin.Records)
	return sync.OnceValue(func() *review.Checker { return review.NewChecker(g.Sections.corpus, all, nil) })
}
