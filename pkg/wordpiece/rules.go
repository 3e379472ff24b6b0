package wordpiece

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed unicode.txt
var unicodeText string

// loadRules reads unicode.txt once; that it parses is tested.
var loadRules = sync.OnceValue(func() *rules {
	r, err := parseRules(unicodeText)
	if err != nil {
		panic("wordpiece: " + err.Error())
	}
	return r
})

type kind uint8

// The kinds of unicode.txt, whose head explains them.
const (
	keep kind = iota
	drop
	border
	space
	punct
	alone
	to
	list
	mark
)

var kinds = map[string]kind{
	"drop": drop, "border": border, "space": space, "punct": punct,
	"alone": alone, "to": to, "list": list, "mark": mark,
}

// rule is what becomes of a code point; the zero rule keeps it.
type rule struct {
	kind kind
	arg  rune   // alone, to: distance to the result; mark: rank
	list []rune // list: the results
}

// rules holds the rule of every code point: all[leaf[c>>8][c&0xff]]. Blocks of
// 256 code points that no line touches share one empty leaf.
type rules struct {
	leaf [(utf8.MaxRune + 1) >> 8]*[256]uint16
	all  []rule
}

func (r *rules) of(c rune) *rule { return &r.all[r.leaf[c>>8][c&0xff]] }

func parseRules(text string) (*rules, error) {
	empty := new([256]uint16)
	r := &rules{all: make([]rule, 1)}
	for i := range r.leaf {
		r.leaf[i] = empty
	}
	seen := map[string]uint16{}
	for i, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 4 {
			return nil, fmt.Errorf("unicode.txt:%d: want LO HI STEP KIND, got %q", i+1, line)
		}
		lo, errLo := strconv.ParseUint(f[0], 16, 32)
		hi, errHi := strconv.ParseUint(f[1], 16, 32)
		step, errStep := strconv.ParseUint(f[2], 10, 8)
		if errLo != nil || errHi != nil || errStep != nil || lo > hi || hi > utf8.MaxRune || step == 0 {
			return nil, fmt.Errorf("unicode.txt:%d: %q is no range of code points", i+1, strings.Join(f[:3], " "))
		}
		key := strings.Join(f[3:], " ")
		n, ok := seen[key]
		if !ok {
			one, err := parseRule(f[3], f[4:])
			if err != nil {
				return nil, fmt.Errorf("unicode.txt:%d: %w", i+1, err)
			}
			n = uint16(len(r.all))
			r.all = append(r.all, one)
			seen[key] = n
		}
		for c := lo; c <= hi; c += step {
			leaf := &r.leaf[c>>8]
			if *leaf == empty {
				*leaf = new([256]uint16)
			}
			(*leaf)[c&0xff] = n
		}
	}
	return r, nil
}

func parseRule(name string, args []string) (rule, error) {
	k, ok := kinds[name]
	if !ok {
		return rule{}, fmt.Errorf("unknown kind %q", name)
	}
	one := rule{kind: k}
	base, want := 10, 0
	switch k {
	case alone, to, mark:
		want = 1
	case list:
		base, want = 16, len(args)
	}
	if len(args) != want {
		return rule{}, fmt.Errorf("%s takes %d values, got %d", name, want, len(args))
	}
	for _, a := range args {
		v, err := strconv.ParseInt(a, base, 32)
		if err != nil {
			return rule{}, fmt.Errorf("%s: %w", name, err)
		}
		if k == list {
			one.list = append(one.list, rune(v))
		} else {
			one.arg = rune(v)
		}
	}
	return one, nil
}
