package judge

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// An edit is one change that a rule can make to a sentence.
type edit struct {
	from, to int // of what is replaced
	now      string
}

// A finder finds the edits of its kind in a sentence. Known tells what the answer
// and its passages hold: what is put in must be new to both.
type finder func(r *rand.Rand, n *names, s string, known func(string) bool) []edit

// rules are the kinds of alteration.
var rules = []finder{numbers, otherNames, negations}

// alter changes one number, name or negation in one sentence of an answer. The
// kinds take turns at random, so that each is seen; a kind that finds nothing
// leaves it to the next. The plant is nil where no kind finds anything.
func (n *names) alter(r *rand.Rand, answer string, known func(string) bool) (string, *record.Plant) {
	var sentences []string
	for _, s := range Sentences(answer) {
		if !strings.ContainsAny(s, "?\n|") && strings.Count(answer, s) == 1 {
			sentences = append(sentences, s)
		}
	}
	kinds := r.Perm(len(rules))
	for _, k := range kinds {
		for _, i := range r.Perm(len(sentences)) {
			s := sentences[i]
			edits := rules[k](r, n, s, known)
			if len(edits) == 0 {
				continue
			}
			e := edits[r.IntN(len(edits))]
			now := s[:e.from] + e.now + s[e.to:]
			text := strings.Replace(answer, s, now, 1)
			if known(now) || !slices.Contains(Sentences(text), now) {
				continue
			}
			was, is := inContext(s, e)
			return text, &record.Plant{Sentence: now, Was: was, Now: is}
		}
	}
	return answer, nil
}

// inContext is what was replaced and what by, with the word on either side: "is"
// alone would be found in any claim.
func inContext(s string, e edit) (was, now string) {
	before := strings.TrimRight(s[:e.from], " ")
	before = s[strings.LastIndexByte(before, ' ')+1 : e.from]
	after := s[e.to:]
	if rest := strings.TrimLeft(after, " "); rest != "" {
		skipped := len(after) - len(rest)
		if i := strings.IndexByte(rest, ' '); i >= 0 {
			after = after[:skipped+i]
		}
	}
	return before + s[e.from:e.to] + after, before + e.now + after
}

var (
	digits  = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)
	unit    = regexp.MustCompile(`^(?:%|[- ]?(?:[a-zµ]{2,}|[smhdx])\b)`)
	spelled = regexp.MustCompile(`\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty) [a-z]`)
	words   = []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty", "thirty"}
)

// numbers changes a number that counts or measures something: one with a unit or
// a noun behind it, that no name or reference stands before.
func numbers(r *rand.Rand, _ *names, s string, known func(string) bool) []edit {
	var out []edit
	for _, at := range digits.FindAllStringIndex(s, -1) {
		from, to := at[0], at[1]
		if !unit.MatchString(s[to:]) || !measures(s[:from]) || inCode(s, from) {
			continue
		}
		if now := otherNumber(r, s[from:to], func(n string) bool { return known(n) }); now != "" {
			out = append(out, edit{from, to, now})
		}
	}
	for _, at := range spelled.FindAllStringIndex(s, -1) {
		from, to := at[0], at[1]-2
		if inCode(s, from) {
			continue
		}
		for _, i := range r.Perm(len(words)) {
			if !known(words[i]) {
				out = append(out, edit{from, to, words[i]})
				break
			}
		}
	}
	return out
}

// measures tells whether a number may stand behind such a beginning: after a
// space or bracket, and not as a part of a name (Pixel 8) or reference (defect 61).
func measures(before string) bool {
	if before == "" {
		return true
	}
	if !strings.ContainsRune(" (~≈<>", rune(before[len(before)-1])) {
		return false
	}
	fields := strings.Fields(before)
	if len(fields) == 0 || before[len(before)-1] == '(' {
		return true
	}
	last := strings.Trim(fields[len(fields)-1], "*_([")
	if slices.Contains([]string{"defect", "defects", "issue", "section", "step", "version", "chapter", "part", "challenge"}, strings.ToLower(last)) {
		return false
	}
	return slices.Contains(beginnings, last) || !strings.ContainsFunc(last, unicode.IsUpper)
}

// beginnings may open a sentence before a number without being a name.
var beginnings = []string{"About", "After", "All", "At", "Before", "Every", "For", "In", "Its", "Only", "Over", "Some", "The", "Under", "Until", "Wait", "Within"}

// otherNumber is a number of the same form that is not known, "" if none is found.
func otherNumber(r *rand.Rand, was string, known func(string) bool) string {
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(was, ",", ""), ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n > 1<<40 {
		return ""
	}
	others := []int{2*n + 1, 3*n + 2, n + 4, 5*n + 3, n/2 + n + 7}
	for _, i := range r.Perm(len(others)) {
		now := strconv.Itoa(others[i])
		if strings.Contains(was, ",") {
			now = thousands(others[i])
		}
		if fraction != "" {
			now += "." + fraction
		}
		if !known(now) {
			return now
		}
	}
	return ""
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// inCode tells whether a place lies in a code span or the target of a link.
func inCode(s string, at int) bool {
	open := strings.LastIndex(s[:at], "](")
	return strings.Count(s[:at], "`")%2 == 1 || open >= 0 && !strings.Contains(s[open:at], ")")
}

// otherNames puts another name of the corpus for one: a code span for a code
// span of the same shape, a proper noun for a proper noun.
func otherNames(r *rand.Rand, n *names, s string, known func(string) bool) []edit {
	var out []edit
	for _, at := range codeSpan.FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2], at[3]
		if now := n.other(r, s[from:to], known); now != "" {
			out = append(out, edit{from, to, now})
		}
	}
	for _, at := range properNoun.FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2], at[3]
		if !n.proper[s[from:to]] || inCode(s, from) {
			continue
		}
		if now := n.other(r, s[from:to], known); now != "" {
			out = append(out, edit{from, to, now})
		}
	}
	return out
}

// swaps turn a sentence into its opposite, or make it say what is not said.
var swaps = []struct {
	find *regexp.Regexp
	now  string
}{
	{regexp.MustCompile(`\b(is|are|was|were|does|do|did|has|have|could|will|would|should|must|need) not\b`), "$1"},
	{regexp.MustCompile(`\b(is|are|was|were|does|do|did|has|have|could|would|should|must|need)n't\b`), "$1"},
	{regexp.MustCompile(`\b(?:cannot|can not|can't)\b`), "can"},
	{regexp.MustCompile(`\bwon't\b`), "will"},
	{regexp.MustCompile(`\bnever\b`), "always"},
	{regexp.MustCompile(`\balways\b`), "never"},
	{regexp.MustCompile(`\bno longer\b`), "still"},
	{regexp.MustCompile(`\bwithout\b`), "with"},
	{regexp.MustCompile(`\bnothing\b`), "everything"},
	{regexp.MustCompile(`\bcan\b`), "cannot"},
	{regexp.MustCompile(`\b(is|are|was|were|will|must|should)\b`), "$1 not"},
}

// clause is a word that makes what follows no statement of its own.
var clause = regexp.MustCompile(`(?i)\b(?:if|when|where|whether|what|which|that|who|whose|as|how|why|until|while|because|since|unless|than|so)\s+(?:\w+\s+){0,3}$`)

// negations takes a "not" away or puts one in, in the main clause.
func negations(_ *rand.Rand, _ *names, s string, _ func(string) bool) []edit {
	var out []edit
	taken := map[int]bool{}
	for _, swap := range swaps {
		for _, at := range swap.find.FindAllStringSubmatchIndex(s, -1) {
			from, to := at[0], at[1]
			if taken[from] || inCode(s, from) || clause.MatchString(s[:from]) {
				continue
			}
			taken[from] = true
			if rest := s[to:]; strings.HasPrefix(rest, " not") || strings.HasPrefix(rest, "n't") || strings.HasPrefix(rest, "-") {
				continue
			}
			out = append(out, edit{from, to, string(swap.find.ExpandString(nil, swap.now, s, at))})
		}
	}
	slices.SortFunc(out, func(a, b edit) int { return a.from - b.from })
	return out
}
