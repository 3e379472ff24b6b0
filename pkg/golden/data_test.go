package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestMobiumSet reads the committed golden set. It was imported from the draft by
//
//	jq -c '{type:"golden"} + . + {review:"draft"}' mobium-draft.jsonl > data/golden.jsonl
func TestMobiumSet(t *testing.T) {
	set := readSet(t, "../../data/golden.jsonl")
	got := map[record.QuestionKind]int{}
	half := map[golden.Half]int{}
	for _, q := range set.Questions {
		got[q.Kind]++
		if q.Answerable() {
			half[golden.HalfOf(q.ID)]++
		}
		if q.Record.Review == "" {
			t.Errorf("%v: %s does not say by whom it was reviewed", q.Pos, q.ID)
		}
	}
	if diff := cmp.Diff(map[record.QuestionKind]int{record.Fact: 46, record.Multi: 9, record.Unanswerable: 6}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[golden.Half]int{golden.Tune: 28, golden.Headline: 27}, half); diff != "" {
		t.Errorf("answerable questions by half: %s", diff)
	}
}

func TestMobiumLedger(t *testing.T) {
	f, err := os.Open("../../data/headline-ledger.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := golden.ReadLedger("headline-ledger.jsonl", f); err != nil {
		t.Error(err)
	}
}

// TestCollections reads the qrels of the public collections.
func TestCollections(t *testing.T) {
	shared := os.Getenv("MR_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	for name, want := range map[string][2]int{"nfcorpus": {323, 12334}, "cranfield": {225, 1837}, "fastapi_docs": {63, 88}} {
		path := filepath.Join(shared, "ir", name, "qrels.tsv")
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			t.Skipf("SKIP needs %s (MR_SHARED names another place)", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		set, err := golden.ReadQrels(path, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		judged := 0
		for _, q := range set.Questions {
			judged += q.NJudged()
		}
		if got := [2]int{len(set.Questions), judged}; got != want {
			t.Errorf("%s: %d questions and judgements, want %d", name, got, want)
		}
	}
}

func readSet(t *testing.T, path string) *golden.Set {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := golden.Read(record.NewReader(record.Source{Name: path, Reader: f}))
	if err != nil {
		t.Fatal(err)
	}
	return set
}
