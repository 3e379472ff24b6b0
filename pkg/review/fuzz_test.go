package review

import (
	"bytes"
	"testing"
)

// FuzzReadSet: a set is written as it was read; to approve one question changes
// its review alone, and applying twice is applying once.
func FuzzReadSet(f *testing.F) {
	f.Add([]byte(three))
	f.Add([]byte(`{"type":"golden","id":"q1","question":"one?","kind":"fact","gold":["a"],"found":"","key_facts":null,"why":1,"x":{"y":[1.50]}}`))
	f.Add([]byte("\n\n" + `{"review":"draft","gold":[],"kind":"unanswerable","question":"\u0061?","id":"q","type":"golden"}` + "\r\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSet("g", text)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Bytes(), text) && len(bytes.TrimSpace(text)) > 0 {
			t.Fatalf("written as %q", s.Bytes())
		}
		d := &Data{Golden: s, Proposed: &Set{}, NextPin: &Set{}}
		for _, g := range s.Records {
			one, err := Rule(g, Decision{Question: g.ID, Action: Approve, By: "Mara", At: at})
			if err != nil {
				t.Fatalf("%s: %v", g.ID, err)
			}
			a, err := Apply(d, []Decision{one}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Refused) > 0 {
				continue // gold that no list can meet
			}
			again, err := ReadSet("g", a.Golden.Bytes())
			if err != nil {
				t.Fatalf("%s: %v: %s", g.ID, err, a.Golden.Bytes())
			}
			for i, other := range again.Records {
				if other.ID != g.ID && Hash(other) != Hash(s.Records[i]) {
					t.Fatalf("approving %q changed %q", g.ID, other.ID)
				}
			}
			if got := again.Of(g.ID); Hash(got) != one.Result || Content(got) != Content(g) {
				t.Fatalf("%q was written as %s", g.ID, a.Golden.Bytes())
			}
			b, err := Apply(&Data{again, &Set{}, &Set{}}, []Decision{one}, nil)
			if err != nil || len(b.Done)+len(b.Refused) > 0 {
				t.Fatalf("twice: %v, %+v", err, b)
			}
		}
	})
}
