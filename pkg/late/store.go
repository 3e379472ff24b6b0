package late

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/blevesearch/mmap-go"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// Store is a file of token vectors, mapped into memory. It is safe for
// concurrent use until Close.
type Store struct {
	header header
	file   mmap.MMap
	tokens []byte  // the table: uint32 a passage
	starts []int64 // of each passage's block
}

// OpenStore maps a file that WriteStore wrote. It reads the file once to compare
// its checksums; a damaged file is an error.
func OpenStore(path string) (*Store, error) {
	s, err := openStore(path)
	if err != nil {
		err = fmt.Errorf("token vectors %s: %w", path, err)
		return nil, hint.Wrap(err, "build the index again")
	}
	return s, nil
}

func openStore(path string) (_ *Store, err error) {
	if !littleEndian() {
		return nil, errors.New("this machine is not little-endian, as the file is")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping outlives it
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size < headerBytes || !info.Mode().IsRegular() {
		return nil, errors.New("not a file of token vectors")
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, err
	}
	s := &Store{file: data}
	if err := s.check(size); err != nil {
		return nil, errors.Join(err, data.Unmap())
	}
	return s, nil
}

func (s *Store) check(size int64) (err error) {
	if s.header, err = decodeHeader(s.file, size); err != nil {
		return err
	}
	first := tableEnd(s.header.count)
	if first > size {
		return fmt.Errorf("damaged: the table ends beyond the file's %d bytes", size)
	}
	table := s.file[headerBytes:first]
	if crc32.Checksum(table, castagnoli) != s.header.table {
		return errors.New("damaged: the table fails its checksum")
	}
	s.tokens = table[:4*s.header.count]
	if s.starts, err = layout(s.tokens, s.header.dim, size); err != nil {
		return err
	}
	if crc32.Checksum(s.file[first:], castagnoli) != s.header.blocks {
		return errors.New("damaged: the vectors fail their checksum")
	}
	return nil
}

// Len is the number of passages.
func (s *Store) Len() int { return s.header.count }

// Model is the sha256 of the model, in hexadecimal.
func (s *Store) Model() string { return hex.EncodeToString(s.header.model[:]) }

// At is the i-th passage. It lies in the mapped file: not to be changed, and
// not to be used after Close.
func (s *Store) At(i int) Matrix {
	n, dim := int(binary.LittleEndian.Uint32(s.tokens[4*i:])), s.header.dim
	m := Matrix{Dim: dim}
	if n > 0 {
		block := s.file[s.starts[i]:]
		m.Rows = unsafe.Slice((*int8)(unsafe.Pointer(&block[0])), n*dim)
		m.Scales = unsafe.Slice((*float32)(unsafe.Pointer(&block[scalesAt(n, dim)])), n)
	}
	return m
}

// Search returns the MaxSim of the query with each candidate, in the order of
// candidates; nil stands for all passages. It uses all cores; the bits do not
// depend on their number. The query must have the store's dimension.
func (s *Store) Search(query Matrix, candidates []int) []float32 {
	n := len(candidates)
	if candidates == nil {
		n = s.Len()
	}
	scores := make([]float32, n)
	q := prepare(query)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			scratch := make([]float32, len(q.wide)/max(1, q.dim))
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				at := i
				if candidates != nil {
					at = candidates[i]
				}
				scores[i] = q.maxSim(s.At(at), kernel(), scratch)
			}
		})
	}
	wg.Wait()
	return scores
}

// Close unmaps the file.
func (s *Store) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Unmap()
	s.file = nil
	return err
}
