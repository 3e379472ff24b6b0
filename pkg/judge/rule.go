package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Limit bounds one metric on one answer, all its calls together.
const Limit = 15 * time.Minute

// A Bench is one judge at work.
type Bench struct {
	Judge Judge
	// Store keeps the verdicts; nil keeps none.
	Store *Store
	// Limit bounds one item; 0 is Limit.
	Limit time.Duration
	// Workers is how many items are judged at once; 0 is one.
	Workers int
	// Tick, if set, is called after each item.
	Tick func()
}

// Rule returns the verdicts on items, in their order.
//
//   - Items that are judged alike (Key) are judged once.
//   - A judge that fails gives an unscored verdict with the reason. It is kept
//     where the reply came and was no verdict, and asked for again by the next run
//     where there was none: no server, no time.
//   - An error is that of ctx, or of a verdict that could not be kept.
func (b *Bench) Rule(ctx context.Context, items []*Item) ([]*record.Verdict, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]*record.Verdict, len(items))
	byItem := map[*Item]*record.Verdict{}
	for _, second := range []bool{false, true} { // padding and injection wait for their plain ones
		settled := make([]*Item, len(items))
		for i, it := range items {
			if (it.On != nil) != second {
				continue
			}
			var plain *record.Verdict
			if second {
				if plain = byItem[it.On]; plain == nil {
					return nil, fmt.Errorf("judge: internal error: the plain item of %s is not among those to be judged", it.Question.ID)
				}
			}
			settled[i] = it.settled(plain)
		}
		if err := b.round(ctx, cancel, settled, out); err != nil {
			return nil, err
		}
		for i, it := range items {
			byItem[it] = out[i]
		}
	}
	return out, nil
}

// Missing is how many items are still to be asked about, those that wait for the
// mark of another among them, and how many calls that takes of a model, repair
// tries aside.
func (b *Bench) Missing(items []*Item) (missing, calls int) {
	for _, it := range items {
		if it.On != nil {
			if plain := b.Store.Load(Key(it.On, b.Judge)); plain != nil {
				it = it.settled(plain)
			}
		}
		if it.Skip == "" && b.Store.Load(Key(it, b.Judge)) == nil {
			missing++
			calls += Calls(it)
		}
	}
	return missing, calls
}

// round judges the items that are not nil, one of each key, and fills out.
func (b *Bench) round(ctx context.Context, cancel context.CancelCauseFunc, items []*Item, out []*record.Verdict) error {
	var order []string
	alike := map[string][]int{}
	for i, it := range items {
		if it == nil {
			continue
		}
		key := Key(it, b.Judge) + it.Skip
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], i)
	}
	// One metric after the other: a server keeps the start of its last prompt, which
	// is the same for all of a metric.
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Compare(items[alike[a][0]].Metric, items[alike[b][0]].Metric)
	})
	work := make(chan []int)
	var wg sync.WaitGroup
	for range max(1, b.Workers) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for same := range work {
				if ctx.Err() != nil { // both were ready, and the work was taken
					continue
				}
				key := Key(items[same[0]], b.Judge)
				v, err := b.one(ctx, items[same[0]], key)
				if err != nil {
					cancel(err)
					continue
				}
				for _, i := range same {
					out[i] = fill(items[i].verdict(key, b.Judge), v)
					if b.Tick != nil {
						b.Tick()
					}
				}
			}
		}()
	}
	for _, key := range order {
		select {
		case work <- alike[key]:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// fill takes what the judge said into the record of an item.
func fill(into, from *record.Verdict) *record.Verdict {
	into.Claims, into.Mark, into.Status, into.Reason = from.Claims, from.Mark, from.Status, from.Reason
	return into
}

// one returns the verdict on an item: the one that was kept, or a new one.
func (b *Bench) one(ctx context.Context, it *Item, key string) (*record.Verdict, error) {
	v := it.verdict(key, b.Judge)
	if it.Skip != "" {
		v.Status, v.Reason = record.Unscored, it.Skip
		return v, nil
	}
	if kept := b.Store.Load(key); kept != nil {
		return kept, nil
	}
	reading, err := b.ask(ctx, it)
	var reply *ReplyError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil:
		v.Status, v.Mark, v.Claims = record.Scored, reading.Mark, reading.Claims
	case errors.As(err, &reply):
		v.Status, v.Reason = record.Unscored, err.Error()
	default:
		v.Status, v.Reason = record.Unscored, err.Error()
		return v, nil
	}
	return v, b.Store.Keep(v)
}

// ask asks within the limit.
func (b *Bench) ask(ctx context.Context, it *Item) (Reading, error) {
	limit := b.Limit
	if limit == 0 {
		limit = Limit
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	rule := b.Judge.Faithful
	if it.Metric == record.Relevance {
		rule = b.Judge.Relevant
	}
	reading, err := rule(within, it.Case)
	switch {
	case err != nil && within.Err() != nil && ctx.Err() == nil:
		return reading, fmt.Errorf("no verdict within %v: %w", limit, err)
	case err == nil && reading.Mark != record.Yes && reading.Mark != record.No:
		return reading, &ReplyError{fmt.Errorf("the judge gave mark %q", reading.Mark)}
	}
	return reading, err
}
