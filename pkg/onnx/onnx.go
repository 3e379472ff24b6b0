// Package onnx runs BERT-shaped ONNX models through ONNX Runtime
// (github.com/yalue/onnxruntime_go), one text a run.
//
//	s, err := onnx.Open(library, model, onnx.Options{Output: "last_hidden_state"})
//	out, err := s.Run(ctx, onnx.Input{IDs: ids})
//	cls := out.Row(0)
//
// Shapes: a text of L tokens goes in as int64 input_ids, token_type_ids and
// attention_mask of shape [1, L], and comes out as one float32 tensor, such as
// [1, L, 384] of hidden states or [1, 1] of logits.
//
// Invariants:
//   - The same input gives the same bits, whatever ran before or runs beside
//     it: a run holds one text, never a batch. (int8 models scale their
//     activations over the whole tensor of a run, so that batch mates would
//     change each other's numbers.) Promised for one CPU type and one build of
//     the runtime, which [Build] names.
//   - A session is safe for any number of callers at once. For throughput let
//     as many call as there are cores; a run uses one thread.
//   - The library is loaded once a process and stays.
//
// Departures from the runtime's defaults, measured on int8 BERT models:
//   - No spinning threads: they would take the other callers' cores.
//   - session.x64quantprecision, without which products of int8 saturate on
//     CPUs that have AVX2 but no VNNI. There it costs 20 % with the
//     cross-encoder and the late-interaction model, and nothing with bge-small,
//     whose weights lie within ±64 and cannot saturate: the runtime sees that.
//   - No memory pattern: every length would be planned anew.
//
// The memory arena stays on, with some 35 MB a caller at 512 tokens over 80 MB
// for the model. Off, malloc keeps an arena of its own for every thread that
// happens to run a call: 150 MB a caller, and 5 % of the time in page faults.
package onnx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// Options of a session. The zero value but for Output is what the tools use.
type Options struct {
	// Output is the name of the model's output: last_hidden_state, logits.
	Output string
	// Threads of a single run; 0 is 1. More do not change a bit of the
	// output (tested), and help where one text must be quick and cores idle.
	Threads int
	// Saturating leaves session.x64quantprecision off, to measure its cost.
	Saturating bool
}

// Input is one text as tokens.
type Input struct {
	IDs []int64
	// Types tell the segments apart; nil is all 0.
	Types []int64
	// Mask is 1 where a token counts; nil is all 1.
	Mask []int64
}

// Output is a tensor in row-major order. The caller owns it.
type Output struct {
	Data  []float32
	Shape []int64
}

// Row returns the i-th vector along the last dimension: the i-th token's hidden state.
func (o Output) Row(i int) []float32 {
	width := int(o.Shape[len(o.Shape)-1])
	return o.Data[i*width : (i+1)*width : (i+1)*width]
}

// Session is a loaded model.
type Session struct {
	path    string
	mu      sync.RWMutex // held for reading by runs, for writing by Close
	session *ort.DynamicAdvancedSession
}

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("onnx: the session is closed")

// inputs are what Hugging Face exports of BERT take, in the order Run gives them.
var inputs = []string{"input_ids", "attention_mask", "token_type_ids"}

// Open loads a model, and first the runtime's shared library where no session
// has yet. Paths come from pkg/model, which has checked the files.
func Open(library, path string, opts Options) (*Session, error) {
	if opts.Output == "" {
		panic("onnx: internal error: no output named")
	}
	if err := load(library); err != nil {
		return nil, err
	}
	so, err := options(opts)
	if err != nil {
		return nil, fmt.Errorf("%s: session options: %w", path, err)
	}
	defer so.Destroy() // fails only where it was never made
	if _, err := os.Stat(path); err != nil {
		return nil, hint.Wrap(fmt.Errorf("model file: %w", err), "run scripts/fetch-models")
	}
	s, err := ort.NewDynamicAdvancedSession(path, inputs, []string{opts.Output}, so)
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("%s: not a model that %s can load: %w", path, "ONNX Runtime "+ort.GetVersion(), err), "run scripts/fetch-models")
	}
	return &Session{path: path, session: s}, nil
}

func options(opts Options) (_ *ort.SessionOptions, err error) {
	so, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	precision := "1"
	if opts.Saturating {
		precision = "0"
	}
	err = errors.Join(
		so.SetIntraOpNumThreads(max(1, opts.Threads)),
		so.SetInterOpNumThreads(1),
		so.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		so.SetCpuMemArena(true),
		so.SetMemPattern(false),
		so.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		so.AddSessionConfigEntry("session.inter_op.allow_spinning", "0"),
		so.AddSessionConfigEntry("session.x64quantprecision", precision),
	)
	if err != nil {
		return nil, errors.Join(err, so.Destroy())
	}
	return so, nil
}

var loaded struct {
	sync.Mutex
	library string
}

// load opens the shared library, once.
func load(library string) error {
	loaded.Lock()
	defer loaded.Unlock()
	switch {
	case loaded.library == library:
		return nil
	case loaded.library != "":
		return fmt.Errorf("onnx runtime %s: this process already runs %s", library, loaded.library)
	}
	if _, err := os.Stat(library); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return hint.Wrap(fmt.Errorf("onnx runtime: %w", err), "run scripts/fetch-models")
		}
		return fmt.Errorf("onnx runtime: %w", err)
	}
	ort.SetSharedLibraryPath(library)
	// Its messages would go to stderr beside ours; what matters comes back as an error.
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return hint.Wrap(fmt.Errorf("onnx runtime %s: %w", library, err), "run scripts/fetch-models; the library must fit this system")
	}
	loaded.library = library
	return nil
}

// Run runs the model on one text. It does not start when ctx is done; a run
// that has started (some 40 ms for 250 tokens) is not interrupted.
func (s *Session) Run(ctx context.Context, in Input) (Output, error) {
	n := len(in.IDs)
	switch {
	case n == 0:
		return Output{}, fmt.Errorf("%s: no tokens to run on", s.path)
	case in.Types != nil && len(in.Types) != n, in.Mask != nil && len(in.Mask) != n:
		return Output{}, fmt.Errorf("%s: %d tokens with %d types and a mask of %d", s.path, n, len(in.Types), len(in.Mask))
	}
	if in.Types == nil {
		in.Types = make([]int64, n)
	}
	if in.Mask == nil {
		in.Mask = slices.Repeat([]int64{1}, n)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.session == nil {
		return Output{}, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	out, err := s.run(in)
	if err != nil {
		return Output{}, fmt.Errorf("%s: %d tokens: %w", s.path, n, err)
	}
	return out, nil
}

func (s *Session) run(in Input) (_ Output, err error) {
	shape := ort.NewShape(1, int64(len(in.IDs)))
	var args []ort.Value
	defer func() {
		for _, t := range args {
			err = errors.Join(err, t.Destroy())
		}
	}()
	for _, data := range [][]int64{in.IDs, in.Mask, in.Types} {
		t, err := ort.NewTensor(shape, data)
		if err != nil {
			return Output{}, err
		}
		args = append(args, t)
	}
	outs := []ort.Value{nil} // the runtime knows the shape
	if err := s.session.Run(args, outs); err != nil {
		return Output{}, err
	}
	args = append(args, outs[0])
	t, ok := outs[0].(*ort.Tensor[float32])
	if !ok {
		return Output{}, fmt.Errorf("expected an output of float32, got %T", outs[0])
	}
	return Output{Data: t.GetData(), Shape: t.GetShape()}, nil
}

// Close frees the model once the runs under way are done. A second Close does nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	err := s.session.Destroy()
	s.session = nil
	return err
}
