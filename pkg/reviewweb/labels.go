package reviewweb

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
)

// Labels is the site on which answers are labelled. A rater sees the question,
// the answer and its passages: no system, no gold, and no other rater's marks.
type Labels struct {
	// Drawn are the answers to label, in the order they are shown.
	Drawn []review.Drawn
	// All are those they were drawn from, to tell stale labels.
	All []*record.Answer
	// Verdicts are judges' readings; with Blind there must be none.
	Verdicts []*record.Verdict
	Blind    bool
	Store    label.Store
	By       string
	Now      func() time.Time

	who     rater
	digests []string // of Drawn
	mu      sync.Mutex
	file    fs.FileInfo
	labels  *label.File
	version int
}

// Handler reads the labels, and serves the site. It fails where the file is damaged.
func (l *Labels) Handler() (http.Handler, error) {
	if l.Blind && len(l.Verdicts) > 0 {
		return nil, errors.New("blind, and given readings of judges: it cannot be both")
	}
	l.who.name = l.By
	for _, d := range l.Drawn {
		l.digests = append(l.digests, d.Answer.Digest())
	}
	if _, _, err := l.current(); err != nil {
		return nil, err
	}
	mux := pages("labels.html", &l.who)
	mux.HandleFunc("GET /api/labels", answering(l.list))
	mux.HandleFunc("GET /api/labels/answer", answering(l.answer))
	mux.HandleFunc("POST /api/labels/mark", answering(l.mark))
	if !l.Blind {
		mux.HandleFunc("POST /api/labels/open", answering(l.open))
	}
	return mux, nil
}

// current is what the file holds now.
func (l *Labels) current() (*label.File, int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := look(l.Store.Path)
	if err != nil {
		return nil, 0, err
	}
	if l.labels == nil || !same(now[0], l.file) {
		f, err := l.Store.Load()
		if err != nil {
			return nil, 0, err
		}
		l.labels, l.file = f, now[0]
		l.version++
	}
	return l.labels, l.version, nil
}

// of is the rater's label of an answer that was drawn, nil where there is none.
func (l *Labels) of(f *label.File, i int, rater string) *label.Label {
	for j := range f.Labels {
		if x := &f.Labels[j]; x.Rater == rater && x.Answer == l.digests[i] && x.Question == l.Drawn[i].Answer.Question.ID {
			return x
		}
	}
	return nil
}

// labelled is an answer of the list, as the page names it: by its place.
type labelled struct {
	Place    int               `json:"place"`
	Question record.QuestionID `json:"question"`
	Text     string            `json:"text"`
	marks
}

// marks are what the rater made of an answer.
type marks struct {
	Faithful label.Choice `json:"faithful,omitempty"`
	Relevant label.Choice `json:"relevant,omitempty"`
	Note     string       `json:"note,omitempty"`
	Opened   []string     `json:"opened,omitempty"`
	Seq      int          `json:"seq,omitzero"`
}

func marksOf(x *label.Label) marks {
	if x == nil {
		return marks{}
	}
	return marks{x.Faithful, x.Relevant, x.Note, x.Opened, x.Seq}
}

// answers is what GET /api/labels tells.
type answers struct {
	Version string     `json:"version"`
	By      string     `json:"by"`
	Blind   bool       `json:"blind"`
	Stale   int        `json:"stale"` // labels of the rater whose answer has changed
	Answers []labelled `json:"answers"`
}

func (l *Labels) list(r *http.Request) (any, error) {
	f, n, err := l.current()
	if err != nil {
		return nil, err
	}
	by := l.who.who()
	version := fmt.Sprint(n, " ", by)
	if r.URL.Query().Get("version") == version {
		return nil, nil
	}
	out := answers{Version: version, By: by, Blind: l.Blind, Answers: []labelled{}}
	_, stale := f.Sort(l.All)
	for _, x := range stale {
		if x.Rater == by {
			out.Stale++
		}
	}
	for i, d := range l.Drawn {
		q := d.Answer.Question
		out.Answers = append(out.Answers, labelled{i, q.ID, q.Text, marksOf(l.of(f, i, by))})
	}
	return out, nil
}

// shown is an answer with all that a rater sees of it.
type shown struct {
	labelled
	Sentences []shownSentence `json:"sentences"`
	Passages  []shownPassage  `json:"passages"`
	// Judges have readings of the answer, to be opened one by one.
	Judges []string `json:"judges,omitempty"`
}

type shownSentence struct {
	HTML   string   `json:"html"`
	Labels []string `json:"labels,omitempty"`
}

type shownPassage struct {
	Label    string           `json:"label"`
	Passage  record.PassageID `json:"passage"`
	Headings []string         `json:"headings,omitempty"`
	HTML     string           `json:"html"`
}

func (l *Labels) answer(r *http.Request) (any, error) {
	i, err := strconv.Atoi(r.URL.Query().Get("place"))
	if err != nil {
		return nil, errUnknown
	}
	return l.show(i)
}

func (l *Labels) show(i int) (*shown, error) {
	if i < 0 || i >= len(l.Drawn) {
		return nil, errUnknown
	}
	f, _, err := l.current()
	if err != nil {
		return nil, err
	}
	a := l.Drawn[i].Answer
	out := &shown{labelled: labelled{i, a.Question.ID, a.Question.Text, marksOf(l.of(f, i, l.who.who()))}, Passages: []shownPassage{}}
	for _, s := range a.Sentences {
		out.Sentences = append(out.Sentences, shownSentence{Markdown(s.Text, "", nil), s.Labels})
	}
	if len(a.Sentences) == 0 {
		out.Sentences = []shownSentence{{HTML: Markdown(a.Text, "", nil)}}
	}
	for _, p := range a.Passages {
		out.Passages = append(out.Passages, shownPassage{p.Label, p.Passage, p.Headings, Markdown(p.Text, p.Path, nil)})
	}
	for _, v := range l.Verdicts {
		if l.reads(v, i) && !slices.Contains(out.Judges, v.Judge) {
			out.Judges = append(out.Judges, v.Judge)
		}
	}
	slices.Sort(out.Judges)
	return out, nil
}

// reads says whether a verdict is on an answer that was drawn, and not on a control.
func (l *Labels) reads(v *record.Verdict, i int) bool {
	return v.Control == "" && v.Answer == l.digests[i] && v.Question.ID == l.Drawn[i].Answer.Question.ID
}

// marking is a label as the page sends it.
type marking struct {
	Place    int               `json:"place"`
	Question record.QuestionID `json:"question"`
	Faithful label.Choice      `json:"faithful"`
	Relevant label.Choice      `json:"relevant"`
	Note     string            `json:"note"`
	// Seen is the number of the label that the page showed, 0 for none.
	Seen int `json:"seen"`
}

// mark keeps a label. It answers once that is on disk.
func (l *Labels) mark(r *http.Request) (any, error) {
	var ask marking
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	if err := l.put(ask, nil); err != nil {
		return nil, err
	}
	return l.show(ask.Place)
}

// put keeps a label, and which readings were opened for it.
func (l *Labels) put(ask marking, opened []string) error {
	if ask.Place < 0 || ask.Place >= len(l.Drawn) || l.Drawn[ask.Place].Answer.Question.ID != ask.Question {
		return errUnknown
	}
	d, by := l.Drawn[ask.Place], l.who.who()
	if by == "" {
		return invalid{errors.New("who are you? A label carries a name")}
	}
	x := label.Label{
		Question: ask.Question, System: d.Answer.System, Answer: l.digests[ask.Place], Rater: by,
		Faithful: ask.Faithful, Relevant: ask.Relevant, Note: ask.Note, Opened: opened, Blind: l.Blind, At: stamp(l.Now),
	}
	if d.Weight != 1 {
		x.Weight = d.Weight
	}
	if err := x.Validate(); err != nil {
		return invalid{err}
	}
	_, err := l.Store.Put(x, ask.Seen)
	var theirs *label.Conflict
	if errors.As(err, &theirs) {
		now, showErr := l.show(ask.Place)
		return conflict{errors.Join(err, showErr), now}
	}
	return err
}

// reading is what a judge made of an answer.
type reading struct {
	Metric record.MetricName `json:"metric"`
	Repeat int               `json:"repeat"`
	Mark   record.Mark       `json:"mark,omitempty"`
	Status record.Status     `json:"status"`
	Reason string            `json:"reason,omitempty"`
	Claims []record.Claim    `json:"claims,omitempty"`
}

// opened is a judge's readings, with the answer they are of.
type opened struct {
	Answer   *shown    `json:"answer"`
	Readings []reading `json:"readings"`
}

// open tells what a judge made of an answer, once it is on disk that it told.
func (l *Labels) open(r *http.Request) (any, error) {
	var ask struct {
		marking
		Judge string `json:"judge"`
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	before, err := l.show(ask.Place)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(before.Judges, ask.Judge) {
		return nil, errUnknown
	}
	if err := l.put(ask.marking, []string{ask.Judge}); err != nil {
		return nil, err
	}
	out := opened{}
	if out.Answer, err = l.show(ask.Place); err != nil {
		return nil, err
	}
	for _, v := range l.Verdicts {
		if v.Judge == ask.Judge && l.reads(v, ask.Place) {
			out.Readings = append(out.Readings, reading{v.Metric, v.Repeat, v.Mark, v.Status, v.Reason, v.Claims})
		}
	}
	slices.SortStableFunc(out.Readings, func(a, b reading) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Repeat, b.Repeat))
	})
	return out, nil
}
