package record

import "errors"

// Run is the first record of a stream: how all that follows came to be.
type Run struct {
	Base
	// Tool and Version name the program and the format it writes.
	Tool    string `json:"tool"`
	Version string `json:"version"`
	// Flags are those that change the output, defaults included.
	Flags map[string]string `json:"flags,omitempty"`
	// Commit is the commit of the corpus, where the tool knows it.
	Commit Commit `json:"commit,omitempty"`
	// Models are the models used, with the sha256 of their files.
	Models []Model `json:"models,omitempty"`
	// Prompts holds the sha256 of each prompt file used, by name.
	Prompts map[string]string `json:"prompts,omitempty"`
	// Seed is the seed of whatever was drawn.
	Seed *uint64 `json:"seed,omitzero"`
	// Notes are what a reader of the results must know of the input as a whole:
	// how much took no part, and why.
	Notes []string `json:"notes,omitempty"`
	// Inputs are the runs of the streams read, so that a result carries its whole provenance.
	Inputs []*Run `json:"inputs,omitempty"`
}

// Model is a model's name with the digest of its file.
type Model struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"`
}

// Kind is KindRun.
func (*Run) Kind() Kind { return KindRun }

// Validate checks that the tool is named.
func (r *Run) Validate() error { return missing("tool", r.Tool) }

// End is the last record of a stream that starts with a run.
type End struct {
	Base
	// Counts is the number of records between run and end, by type.
	Counts map[Kind]int `json:"counts"`
}

// Kind is KindEnd.
func (*End) Kind() Kind { return KindEnd }

// Validate accepts any counts; the reader compares them.
func (e *End) Validate() error { return nil }

// Timing is how long a step took. Nothing hashed, cached or committed includes it.
type Timing struct {
	Base
	Tool string `json:"tool"`
	// Step names what was timed: load, embed, search…
	Step string `json:"step"`
	// System is the one that the step was done for, where it was done for one.
	System SystemName `json:"system,omitempty"`
	// N is the number of items the seconds were spent on.
	N       int     `json:"n"`
	Seconds float64 `json:"seconds"`
	// Each are the seconds of the single items in order, where they are known (latency of each question).
	Each []float64 `json:"each,omitempty"`
}

// Kind is KindTiming.
func (*Timing) Kind() Kind { return KindTiming }

// Validate checks that tool and step are named.
func (t *Timing) Validate() error {
	if t.Seconds < 0 {
		return errors.New("\"seconds\" is negative")
	}
	return missing("tool", t.Tool, "step", t.Step)
}
