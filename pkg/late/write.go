package late

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
)

// WriteStore writes a file of token vectors of n passages, which next returns
// one by one; the i-th becomes Store.At(i). Model is the sha256 of the model, in
// hexadecimal. The file is there whole or not at all: it is written beside path
// and renamed. All matrices must have one dimension; n may be 0.
func WriteStore(path, model string, n int, next func() (Matrix, error)) (err error) {
	sum, err := parseModel(model)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return fmt.Errorf("token vectors: %w", err)
	}
	defer func() {
		if err != nil {
			// Close fails where it was closed already; Remove's failure leaves a file that is no store.
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := writer{file: f, header: header{dim: 1, count: n, model: sum}}
	if err := w.write(n, next); err != nil {
		return fmt.Errorf("token vectors %s: %w", path, err)
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("token vectors: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("token vectors: %w", err)
	}
	return nil
}

type writer struct {
	file   *os.File
	header header
}

func (w *writer) write(n int, next func() (Matrix, error)) error {
	table := make([]byte, tableEnd(n)-headerBytes)
	if _, err := w.file.Seek(tableEnd(n), 0); err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w.file, 1<<20)
	var block []byte
	for i := range n {
		m, err := next()
		if err == nil {
			err = w.check(i, m)
		}
		if err != nil {
			return fmt.Errorf("passage %d of %d: %w", i+1, n, err)
		}
		binary.LittleEndian.PutUint32(table[4*i:], uint32(m.Len()))
		block = appendBlock(block[:0], m)
		w.header.blocks = crc32.Update(w.header.blocks, castagnoli, block)
		if _, err := buf.Write(block); err != nil {
			return err
		}
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	w.header.table = crc32.Checksum(table, castagnoli)
	_, err := w.file.WriteAt(append(w.header.encode(), table...), 0)
	return err
}

// check refuses what a reader could not use. The first passage sets the dimension.
func (w *writer) check(i int, m Matrix) error {
	if i == 0 {
		w.header.dim = m.Dim
	}
	switch {
	case m.Dim < 1 || m.Dim > maxDim:
		return fmt.Errorf("expected a dimension from 1 to %d, got %d", maxDim, m.Dim)
	case m.Dim != w.header.dim:
		return fmt.Errorf("expected dimension %d as before, got %d", w.header.dim, m.Dim)
	case len(m.Rows) != m.Len()*m.Dim:
		return fmt.Errorf("expected %d × %d numbers, got %d", m.Len(), m.Dim, len(m.Rows))
	}
	for t, s := range m.Scales {
		if !(s >= 0) || math.IsInf(float64(s), 0) {
			return fmt.Errorf("scale of token %d is %v", t, s)
		}
	}
	return nil
}

func appendBlock(b []byte, m Matrix) []byte {
	for _, x := range m.Rows {
		b = append(b, byte(x))
	}
	for int64(len(b)) < scalesAt(m.Len(), m.Dim) {
		b = append(b, 0)
	}
	for _, s := range m.Scales {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s))
	}
	for int64(len(b)) < blockBytes(m.Len(), m.Dim) {
		b = append(b, 0)
	}
	return b
}

// parseBlock is the inverse of appendBlock for a dimension of 60 or more (where
// padding is less than a token), on memory of its own.
func parseBlock(b []byte, dim int) (Matrix, bool) {
	n := len(b) / (dim + 4)
	if blockBytes(n, dim) != int64(len(b)) {
		return Matrix{}, false
	}
	m := Matrix{Dim: dim, Scales: make([]float32, n), Rows: make([]int8, n*dim)}
	for i := range m.Rows {
		m.Rows[i] = int8(b[i])
	}
	scales := b[scalesAt(n, dim):]
	for i := range m.Scales {
		m.Scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(scales[4*i:]))
	}
	return m, true
}
