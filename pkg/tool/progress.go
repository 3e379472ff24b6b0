package tool

import (
	"fmt"
	"sync"
	"time"
)

// Progress returns a function to call after every item; it shows the count on
// stderr where that is a terminal, a few times a second, and nothing elsewhere.
// Done wipes the line.
func (t *Tool) Progress(what string) (tick func(), done func()) {
	if !t.terminal {
		return func() {}, func() {}
	}
	var mu sync.Mutex
	n, start, last := 0, time.Now(), time.Time{}
	tick = func() {
		mu.Lock()
		defer mu.Unlock()
		n++
		if now := time.Now(); now.Sub(last) > 200*time.Millisecond {
			last = now
			fmt.Fprintf(t.Stderr, "\r%s: %s %d (%.0f/s)\x1b[K", t.Name, what, n, float64(n)/now.Sub(start).Seconds())
		}
	}
	return tick, func() { fmt.Fprint(t.Stderr, "\r\x1b[K") }
}
