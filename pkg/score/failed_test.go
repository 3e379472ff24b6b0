package score

import (
	"fmt"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func TestFailedControlsAreRefusals(t *testing.T) {
	got := failed([]*record.Control{
		{Metric: "MRR", Control: "oracle", OK: record.ControlOK},
		{Metric: "MRR", Control: "random", OK: record.ControlFailed, Expect: "0.01", Got: "0.5", Reason: "random is off its expectation"},
		{Metric: "P@5", Control: "random", OK: record.ControlNotEstablished},
	})
	want := "[MRR: control random failed: expected 0.01, got 0.5 (random is off its expectation)]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
