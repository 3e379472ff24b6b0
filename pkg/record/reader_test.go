package record

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// read returns the kinds read with their places, and the lines of the error.
func read(files ...string) (got, errs []string) {
	var sources []Source
	for i, text := range files {
		sources = append(sources, Source{fmt.Sprintf("f%d", i+1), strings.NewReader(text)})
	}
	r := NewReader(sources...)
	for r.Scan() {
		got = append(got, fmt.Sprintf("%v %s", r.Pos(), r.Record().Kind()))
	}
	if err := r.Err(); err != nil {
		errs = strings.Split(err.Error(), "\n")
	}
	return got, errs
}

const (
	run  = `{"type":"run","tool":"mr-cut","version":"1"}` + "\n"
	doc  = `{"type":"document","path":"p","text":""}` + "\n"
	end1 = `{"type":"end","counts":{"document":1}}` + "\n"
	end2 = `{"type":"end","counts":{"document":2}}` + "\n"
)

func TestStreams(t *testing.T) {
	cut := func(at, pos string) string {
		return fmt.Sprintf("%s: the stream of mr-cut that starts at %s has no end record: the stage before died, or the stream was cut", at, pos)
	}
	tests := []struct {
		name, reason string
		files        []string
		got, errs    []string
	}{
		{
			name: "a stream", reason: "run, records, end",
			files: []string{run + doc + end1},
			got:   []string{"f1:1 run", "f1:2 document", "f1:3 end"},
		},
		{
			name: "cat a b", reason: "streams may follow one another",
			files: []string{run + doc + end1 + run + doc + doc + end2},
			got:   []string{"f1:1 run", "f1:2 document", "f1:3 end", "f1:4 run", "f1:5 document", "f1:6 document", "f1:7 end"},
		},
		{
			name: "two files", reason: "the lines count from 1 in each",
			files: []string{run + doc + end1, doc},
			got:   []string{"f1:1 run", "f1:2 document", "f1:3 end", "f2:1 document"},
		},
		{
			name: "filtered", reason: "jq -c select needs no end",
			files: []string{doc + doc}, got: []string{"f1:1 document", "f1:2 document"},
		},
		{
			name: "loose records about a stream", reason: "they are in nobody's count",
			files: []string{doc + run + doc + end1 + doc},
			got:   []string{"f1:1 document", "f1:2 run", "f1:3 document", "f1:4 end", "f1:5 document"},
		},
		{
			name: "blank lines, CRLF, no last newline", reason: "editors make them",
			files: []string{"\n" + strings.ReplaceAll(run+doc, "\n", "\r\n") + " \t\r\n" + strings.TrimSpace(end1)},
			got:   []string{"f1:2 run", "f1:3 document", "f1:5 end"},
		},
		{
			name: "head -3", reason: "a stage that died looks just so",
			files: []string{run + doc + doc}, got: []string{"f1:1 run", "f1:2 document", "f1:3 document"},
			errs: []string{cut("f1:3", "f1:1")},
		},
		{
			name: "head -1", reason: "and so does one that died before its first record",
			files: []string{run}, got: []string{"f1:1 run"}, errs: []string{cut("f1:1", "f1:1")},
		},
		{
			name: "tail -2", reason: "the head is missing: n would shrink in silence",
			files: []string{doc + end2}, got: []string{"f1:1 document"},
			errs: []string{"f1:2: an end record without its run: the head of the stream is missing"},
		},
		{
			name: "records lost", reason: "as by grep -v",
			files: []string{run + doc + end2}, got: []string{"f1:1 run", "f1:2 document"},
			errs: []string{"f1:3: the end record of mr-cut counts 2 document records where 1 came: records were lost or added on the way"},
		},
		{
			name: "records added and of another type", reason: "both are said, in the order of the types",
			files: []string{run + doc + doc + `{"type":"end","counts":{"document":1,"answer":3}}` + "\n"},
			got:   []string{"f1:1 run", "f1:2 document", "f1:3 document"},
			errs:  []string{"f1:4: the end record of mr-cut counts 3 answer records where 0 came, 1 document records where 2 came: records were lost or added on the way"},
		},
		{
			name: "run inside a run", reason: "the first was cut, the second is read on",
			files: []string{run + doc + run + doc + end1},
			got:   []string{"f1:1 run", "f1:2 document", "f1:4 document", "f1:5 end"},
			errs:  []string{cut("f1:3", "f1:1")},
		},
		{
			name: "a stream over two files", reason: "a stream never spans two files",
			files: []string{run + doc, doc + end2},
			got:   []string{"f1:1 run", "f1:2 document", "f2:1 document"},
			errs:  []string{cut("f1:2", "f1:1"), "f2:2: an end record without its run: the head of the stream is missing"},
		},
		{
			name: "bad line in a stream", reason: "it is named once: that the counts then differ follows from it",
			files: []string{run + doc + "{\n" + end2},
			got:   []string{"f1:1 run", "f1:2 document", "f1:4 end"},
			errs:  []string{"f1:3: not JSON: jsontext: unexpected EOF after offset 1"},
		},
		{
			name: "the next stream's counts after a bad line", reason: "one stream's damage excuses no other",
			files: []string{run + "{\n" + end1 + run + doc + end2},
			got:   []string{"f1:1 run", "f1:3 end", "f1:4 run", "f1:5 document"},
			errs: []string{"f1:2: not JSON: jsontext: unexpected EOF after offset 1",
				"f1:6: the end record of mr-cut counts 2 document records where 1 came: records were lost or added on the way"},
		},
		{
			name: "empty file among others", reason: "a stage that could not start leaves one",
			files: []string{doc, "", doc}, got: []string{"f1:1 document", "f3:1 document"},
			errs: []string{"f2:0: the input is empty: expected records"},
		},
		{
			name: "blank file", reason: "as good as empty", files: []string{"\n \n"},
			errs: []string{"f1:2: the input is empty: expected records"},
		},
		{
			name: "another version", reason: "what it means is not known here",
			files: []string{`{"type":"run","tool":"mr-cut","version":"2"}` + "\n" + doc + end1},
			got:   []string{"f1:2 document", "f1:3 end"},
			errs:  []string{`f1:1: mr-cut wrote version "2" of the format, this program reads version "1"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := read(tt.files...)
			if d := cmp.Diff(tt.got, got); d != "" {
				t.Errorf("%s: records (-want +got):\n%s", tt.reason, d)
			}
			if d := cmp.Diff(tt.errs, errs); d != "" {
				t.Errorf("%s: errors (-want +got):\n%s", tt.reason, d)
			}
		})
	}
}

func TestBadLines(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"not JSON", `hello`, "expected a JSON object, one record a line"},
		{"an array", `[]`, "expected a JSON object, one record a line"},
		{"cut off", `{"type":"document","path":"p`, "bad document record: jsontext: unexpected EOF"},
		{"two records", strings.TrimSpace(doc) + strings.TrimSpace(doc), "bad document record: jsontext: invalid character '{' after top-level value"},
		{"no type", `{"path":"p"}`, `record has no "type"`},
		{"null type", `{"type":null}`, `record has no "type"`},
		{"type is a number", `{"type":1}`, "unmarshal JSON number into Go record.Kind"},
		{"unknown type", `{"type":"passages"}`, `unknown record type "passages"`},
		{"no path", `{"type":"document","text":""}`, `bad document record: "path" is missing or empty`},
		{"two troubles", `{"type":"passage","lines":[1,2]}`, `bad passage record: "id" is missing or empty; "section" is missing or empty; "text" is missing or empty`},
		{"text that is not its digest's", `{"type":"passage","id":"p","section":"p","path":"p","heading":"","lines":[1,1],"text":"the texts","sha256":"41a1f654dc79a9ac645afa553c31d51fd115eca8dd1cb9e6c67ae03e52718e8b"}`,
			`bad passage record: "sha256" is not of "text": the text was changed on the way`},
		{"duplicate member", `{"type":"document","path":"p","path":"q","text":""}`, `bad document record: jsontext: duplicate object member name "path"`},
		{"duplicate type", `{"type":"document","type":"end","path":"p","text":""}`, `bad document record: jsontext: duplicate object member name "type"`},
		{"duplicate type, late", `{"path":"p","text":"","type":"document","type":"end"}`, `not JSON: jsontext: duplicate object member name "type"`},
		{"duplicate in an unknown member", `{"type":"document","path":"p","text":"","x":{"a":1,"a":2}}`, `bad document record: jsontext: duplicate object member name "a" within "/x"`},
		{"invalid UTF-8", "{\"type\":\"document\",\"path\":\"p\xff\",\"text\":\"\"}", `bad document record: jsontext: invalid UTF-8 within "/path"`},
		{"half a surrogate pair", `{"type":"document","path":"p","text":"\ud83d"}`, "bad document record: jsontext: invalid surrogate pair"},
		{"array vector too large", `{"type":"question","id":"q","text":"t","vector":[1e39]}`, "unmarshal JSON number 1e39 into Go float32 within \"/vector/0\": value out of range"},
		{"null in a vector", `{"type":"question","id":"q","text":"t","vector":[null]}`, "null where a number was promised"},
		{"null vector", `{"type":"question","id":"q","text":"t","vector":null}`, "null where numbers were promised"},
		{"vector is an object", `{"type":"question","id":"q","text":"t","vector":{}}`, "vector: expected base64 or an array of numbers"},
		{"vector not base64", `{"type":"question","id":"q","text":"t","vector":"@"}`, "vector: illegal base64 data"},
		{"vector of 5 bytes", `{"type":"question","id":"q","text":"t","vector":"AACAPwA="}`, "vector: 5 bytes are not a whole number of float32"},
		// 0x7fc00000, little-endian: 00 00 c0 7f = AADAfw==; 0x7f800000: AACAfw==.
		{"NaN in a vector", `{"type":"question","id":"q","text":"t","vector":"AADAfw=="}`, "vector: element 0 is not finite"},
		{"infinity in a vector", `{"type":"question","id":"q","text":"t","vector":"AACAPwAAgH8="}`, "vector: element 1 is not finite"},
		{"number too large", `{"type":"timing","tool":"t","step":"s","n":1,"seconds":1e999}`, "value out of range"},
		{"null number", `{"type":"timing","tool":"t","step":"s","n":1,"seconds":null}`, "null where a number was promised"},
		{"null count", `{"type":"end","counts":{"document":null}}`, "null where a number was promised"},
		{"null value", `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","value":null,"status":"scored"}`, "null where a number was promised"},
		{"NaN by name", `{"type":"timing","tool":"t","step":"s","n":1,"seconds":NaN}`, "jsontext: invalid character 'N'"},
		{"question without text", `{"type":"question","id":"q","text":" \n"}`, `bad question record: "text" is missing or blank: a question without text cannot be asked`},
		{"golden without text", `{"type":"golden","id":"q","question":"","kind":"fact","gold":["a#"]}`, `"question" is missing or blank`},
		{"golden without gold", `{"type":"golden","id":"q","question":"?","kind":"fact","gold":[]}`, "kind fact needs gold: list at least one need, or make it unanswerable"},
		{"unanswerable with gold", `{"type":"golden","id":"q","question":"?","kind":"unanswerable","gold":["a#"]}`, "an unanswerable question has gold: empty it, or change the kind"},
		{"golden of no kind", `{"type":"golden","id":"q","question":"?","gold":["a#"]}`, `expected kind fact, multi or unanswerable, got ""`},
		{"a need no list can meet", `{"type":"golden","id":"q","question":"?","kind":"multi","gold":["a#",[]]}`, "need 2 lists no section: nothing can meet it"},
		{"a need with an empty id", `{"type":"golden","id":"q","question":"?","kind":"fact","gold":[["a#",""]]}`, "need 1 lists an empty section id"},
		{"ranks with a gap", `{"type":"hits","question":{"id":"q"},"system":"s","hits":[{"passage":"p","section":"s","rank":2,"score":1}]}`, "expected rank 1, got 2: hits are in rank order"},
		{"a passage twice", `{"type":"hits","question":{"id":"q"},"system":"s","hits":[{"passage":"p","section":"s","rank":1,"score":1},{"passage":"p","section":"s","rank":2,"score":1}]}`, `passage "p" is ranked twice`},
		{"a hit without passage", `{"type":"hits","question":{"id":"q"},"system":"s","hits":[{"section":"s","rank":1,"score":1}]}`, "hit 1 lacks its passage or section"},
		{"a refusal that answers", `{"type":"answer","question":{"id":"q"},"system":"s","model":"m","passages":[],"text":"yes","refused":true,"citations":[],"status":"scored"}`, "a refusal carries an answer text"},
		{"unscored without a reason", `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","status":"unscored"}`, "status unscored needs a reason"},
		{"unscored with a value", `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","value":0,"status":"unscored","reason":"timeout"}`, "a value stands just when status is scored"},
		{"scored without a value", `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","status":"scored"}`, "a value stands just when status is scored"},
		{"another status", `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","status":"ok"}`, `expected status scored, unscored or error, got "ok"`},
		{"verdict with an expectation and no control", `{"type":"verdict","key":"k","question":{"id":"q"},"system":"s","judge":"j","metric":"m","answer":"a","expect":"yes","repeat":0,"mark":"yes","status":"scored"}`, "a control, and only a control, has a mark it must get"},
		{"verdict without a mark", `{"type":"verdict","key":"k","question":{"id":"q"},"system":"s","judge":"j","metric":"m","answer":"a","repeat":0,"status":"scored"}`, "a mark, yes or no, stands just when status is scored"},
		{"a mark of maybe", `{"type":"pair","question":{"id":"q"},"metric":"m","rater_a":"a","rater_b":"b","mark_a":"maybe","mark_b":"no","independent":true}`, `expected mark yes or no, got "maybe"`},
		{"control of no outcome", `{"type":"control","metric":"m","control":"oracle","expect":"1","got":"1","n":1,"ok":"true"}`, `expected ok yes, no or not established, got "true"`},
		{"a value that is not trusted", `{"type":"interval","metric":"m","system":"s","n":1,"n_unscored":0,"n_error":0,"value":1,"level":0.95,"trusted":false,"reason":"no controls seen"}`, "a value stands just when the interval is trusted"},
		{"not trusted, no reason", `{"type":"interval","metric":"m","system":"s","n":1,"n_unscored":0,"n_error":0,"level":0.95,"trusted":false}`, "an interval that is not trusted needs a reason"},
		{"negative time", `{"type":"timing","tool":"t","step":"s","n":1,"seconds":-1}`, `"seconds" is negative`},
		{"run without a tool", `{"type":"run","version":"1"}`, `bad run record: "tool" is missing or empty`},
	}
	all, want := "", []string(nil)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := read(tt.line + "\n")
			if len(got) != 0 || len(errs) != 1 || !strings.HasPrefix(errs[0], "f1:1: ") || !strings.Contains(errs[0], tt.want) {
				t.Errorf("expected the one error f1:1: … %s …, got %q and records %q", tt.want, errs, got)
			}
		})
		all += tt.line + "\n"
		want = append(want, fmt.Sprintf("f1:%d", i+1))
	}

	t.Run("every one of them", func(t *testing.T) {
		_, errs := read(all)
		var got []string
		for _, e := range errs {
			pos, _, _ := strings.Cut(e, ": ")
			got = append(got, pos)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("bad lines named (-want +got):\n%s", d)
		}
	})
}

// TestNullElsewhere: only a number must not be null.
func TestNullElsewhere(t *testing.T) {
	line := `{"type":"score","question":{"id":"q","text":null},"system":"s","metric":"m","value":0.5,"status":"scored","wanted":null,"mine":null}`
	rec, err := decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if got := *rec.(*Score).Value; got != 0.5 {
		t.Errorf("the value came as %v", got)
	}
}

// TestTypeNeedNotBeFirst: jq may sort the members.
func TestTypeNeedNotBeFirst(t *testing.T) {
	for _, line := range []string{
		`{"id":"q","text":"t","type":"question"}`,
		`{ "type" : "question", "id":"q","text":"t"}`,
		`{"\u0074ype":"question","id":"q","text":"t"}`,
		`{"type":"que\u0073tion","id":"q","text":"t"}`,
	} {
		if got, errs := read(line); len(got) != 1 || errs != nil {
			t.Errorf("%s: %q %q", line, got, errs)
		}
	}
}

func TestManyBadLines(t *testing.T) {
	const n = maxReported
	_, errs := read(strings.Repeat("x\n", n+3)+doc+"x\n", "x\n")
	if len(errs) != n+1 {
		t.Fatalf("expected %d lines of errors, got %d", n+1, len(errs))
	}
	// 103 bad lines, then a good one: the lines 101 to 103, 105, and 1 of the next file are left.
	if want := "and 5 more bad lines: f1:101-103, f1:105, f2:1"; errs[n] != want {
		t.Errorf("expected %q, got %q", want, errs[n])
	}
}

func TestLongLines(t *testing.T) {
	line := func(n int) string { // n bytes long, without the newline
		frame := len(doc) - 1
		return strings.Replace(doc, `"text":""`, `"text":"`+strings.Repeat("x", n-frame)+`"`, 1)
	}
	tests := []struct {
		name      string
		in        string
		got, errs []string
	}{
		{"100 KB", line(100<<10) + doc, []string{"f1:1 document", "f1:2 document"}, nil},
		{"the limit", line(MaxLine) + doc, []string{"f1:1 document", "f1:2 document"}, nil},
		{"the limit without a newline", strings.TrimSpace(line(MaxLine)), []string{"f1:1 document"}, nil},
		{"one byte more", doc + line(MaxLine+1) + doc + "x\n", []string{"f1:1 document", "f1:3 document"},
			[]string{"f1:2: line is longer than 32 MiB, the limit of one record", "f1:4: expected a JSON object, one record a line"}},
		{"twice as long, at the end", strings.TrimSpace(line(2 * MaxLine)), nil,
			[]string{"f1:1: line is longer than 32 MiB, the limit of one record"}},
		{"within a stream", run + line(MaxLine+1) + end1, []string{"f1:1 run", "f1:3 end"},
			[]string{"f1:2: line is longer than 32 MiB, the limit of one record"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := read(tt.in)
			if d := cmp.Diff(tt.got, got); d != "" {
				t.Errorf("records (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.errs, errs); d != "" {
				t.Errorf("errors (-want +got):\n%s", d)
			}
		})
	}
}

// TestFailingInput: an input that cannot be read ends the reading, with its place, whatever went before.
func TestFailingInput(t *testing.T) {
	broken := errors.New("disk on fire")
	in := io.MultiReader(strings.NewReader("x\n"+doc), iotest.ErrReader(broken))
	r := NewReader(Source{"a", in}, Source{"b", strings.NewReader(doc)})
	n := 0
	for r.Scan() {
		n++
	}
	if n != 1 || r.Scan() {
		t.Errorf("%d records, and Scan goes on", n)
	}
	if err := r.Err(); !errors.Is(err, broken) || !r.Damaged() ||
		err.Error() != "a:1: expected a JSON object, one record a line\na:3: disk on fire" {
		t.Errorf("got %v", err)
	}
}

// TestSmallReads: where the pieces of a read end makes no difference.
func TestSmallReads(t *testing.T) {
	r := NewReader(Source{"a", iotest.OneByteReader(strings.NewReader(run + doc + end1))})
	n := 0
	for r.Scan() {
		n++
	}
	if n != 3 || r.Err() != nil || r.Damaged() {
		t.Errorf("%d records, %v", n, r.Err())
	}
}

// TestRunOfRecord: the reader knows which run a record belongs to.
func TestRunOfRecord(t *testing.T) {
	two := strings.Replace(run, "mr-cut", "mr-two", 1)
	r := NewReader(Source{"a", strings.NewReader(doc + run + doc + end1 + two + doc + end1 + doc)})
	var got []string
	for r.Scan() {
		if r.Record().Kind() != KindDocument {
			continue
		}
		tool := "none"
		if r.Run() != nil {
			tool = r.Run().Tool
		}
		got = append(got, tool)
	}
	if d := cmp.Diff([]string{"none", "mr-cut", "mr-two", "none"}, got); d != "" || r.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", r.Err(), d)
	}
}

// TestReject: a consumer's complaint has the place of its record, and its hint.
func TestReject(t *testing.T) {
	r := NewReader(Source{"a", strings.NewReader(doc + doc)})
	r.Scan()
	r.Scan()
	r.Reject(hint.Wrap(errors.New("page is known already"), "drop one"))
	if r.Scan() {
		t.Error("a third record")
	}
	err := r.Err()
	if err == nil || err.Error() != "a:2: page is known already" {
		t.Errorf("got %v", err)
	}
	if h := hint.Of(err); h != "drop one" {
		t.Errorf("the hint is %q", h)
	}
}

// TestHints: a cut stream tells how a part of a stream is passed on.
func TestHints(t *testing.T) {
	timing := `{"type":"timing","tool":"t","step":"s","n":1,"seconds":1}` + "\n"
	for _, tt := range []struct{ name, in, want string }{
		{"cut", run + doc, `jq -c 'select(.type=="document")'`},
		{"two kinds", run + timing + doc + doc, `jq -c 'select(.type=="document" or .type=="timing")'`},
		{"no record", run, `jq -c 'select(.type=="…")'`},
		{"no head", doc + end1, `jq -c 'select(.type=="document")'`},
	} {
		r := NewReader(Source{"a", strings.NewReader(tt.in)})
		for r.Scan() {
		}
		if h := hint.Of(r.Err()); !strings.HasSuffix(h, tt.want) {
			t.Errorf("%s: the hint %q does not end in %q", tt.name, h, tt.want)
		}
	}
}
