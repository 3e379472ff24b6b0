package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"unsafe"

	"github.com/blevesearch/mmap-go"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/scan"
)

// The file of vectors, vectors.f32. All numbers are little-endian.
//
//	0    8   magic "mr-vec\r\n"
//	8    4   version, 1
//	12   4   dimension
//	16   8   number of passages
//	24   8   bytes of the ids
//	32   32  sha256 of the model, zeros where it is not known
//	64   4   CRC-32C of the ids, padded
//	68   4   CRC-32C of the vectors
//	72   4   CRC-32C of bytes 0…71
//	76       zeros up to 128
//	128      ids, each with a zero byte behind it, sorted; then zeros to a multiple of 64
//	…        vectors in the order of the ids, float32
//
// It holds what bleve holds in stored fields, in the form a scan wants. A
// checksum is against damage, not against malice.
//
// Version log: 1, the first.
const (
	vectorsMagic   = "mr-vec\r\n"
	vectorsVersion = 1
	vectorsHeader  = 128
	alignment      = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// vectors is the file, mapped into memory.
type vectors struct {
	header vectorsHead
	file   mmap.MMap
	ids    []byte
	matrix scan.Matrix
}

type vectorsHead struct {
	dim, count, idBytes int
	model               [32]byte
	ids, rows           uint32 // checksums
}

func (h vectorsHead) encode() []byte {
	b := append(make([]byte, 0, vectorsHeader), vectorsMagic...)
	b = binary.LittleEndian.AppendUint32(b, vectorsVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.dim))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.count))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.idBytes))
	b = append(b, h.model[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.ids)
	b = binary.LittleEndian.AppendUint32(b, h.rows)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return b[:vectorsHeader]
}

// size is the length of the whole file, 0 where it would be absurd.
func (h vectorsHead) size() int64 {
	if h.dim < 1 || h.dim > 1<<16 || h.count < 0 || h.count > 1<<32 || h.idBytes < 0 || h.idBytes > 1<<40 {
		return 0
	}
	return int64(h.rowsAt()) + int64(h.dim)*int64(h.count)*4
}

func (h vectorsHead) rowsAt() int { return vectorsHeader + padded(h.idBytes) }

func padded(n int) int { return (n + alignment - 1) / alignment * alignment }

func decodeVectorsHead(b []byte, size int64) (vectorsHead, error) {
	if len(b) < vectorsHeader || string(b[:len(vectorsMagic)]) != vectorsMagic {
		return vectorsHead{}, errors.New("not a file of vectors")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != vectorsVersion {
		return vectorsHead{}, fmt.Errorf("version %d, expected %d", v, vectorsVersion)
	}
	h := vectorsHead{
		dim:     int(binary.LittleEndian.Uint32(b[12:])),
		count:   int(binary.LittleEndian.Uint64(b[16:])),
		idBytes: int(binary.LittleEndian.Uint64(b[24:])),
		model:   [32]byte(b[32:64]),
		ids:     binary.LittleEndian.Uint32(b[64:]),
		rows:    binary.LittleEndian.Uint32(b[68:]),
	}
	if !bytes.Equal(b[:vectorsHeader], h.encode()) {
		return vectorsHead{}, errors.New("damaged: the header fails its checksum")
	}
	if h.size() != size {
		return vectorsHead{}, fmt.Errorf("damaged: %d bytes, expected %d", size, h.size())
	}
	return h, nil
}

// writeVectors writes the file. Row returns the vector of each id in turn.
func writeVectors(path, model string, dim int, ids []record.PassageID, row func(i int) ([]float32, error)) (err error) {
	h := vectorsHead{dim: dim, count: len(ids)}
	if model != "" {
		sum, err := hex.DecodeString(model)
		if err != nil || len(sum) != len(h.model) {
			return fmt.Errorf("expected the sha256 of a model, 64 hexadecimal digits, got %q", model)
		}
		h.model = [32]byte(sum)
	}
	table := joinIDs(ids)
	h.idBytes = len(table)
	table = append(table, make([]byte, padded(len(table))-len(table))...)
	h.ids = crc32.Checksum(table, castagnoli)

	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Seek(int64(h.rowsAt()), io.SeekStart); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	buf := bufio.NewWriterSize(f, 1<<20)
	if err := writeRows(io.MultiWriter(buf, sum), dim, ids, row); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	h.rows = sum.(hash.Hash32).Sum32()
	_, err = f.WriteAt(append(h.encode(), table...), 0)
	return err
}

func writeRows(w io.Writer, dim int, ids []record.PassageID, row func(i int) ([]float32, error)) error {
	for i, id := range ids {
		v, err := row(i)
		if err != nil {
			return err
		}
		if len(v) != dim {
			return fmt.Errorf("vector of passage %s: expected %d numbers, got %d", id, dim, len(v))
		}
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return nil
}

func joinIDs(ids []record.PassageID) []byte {
	var b []byte
	for _, id := range ids {
		b = append(append(b, id...), 0)
	}
	return b
}

// openVectors maps a file for the passages of these ids, and checks it.
func openVectors(path string, ids []record.PassageID) (*vectors, error) {
	v, err := mapVectors(path)
	if err == nil && !bytes.Equal(v.ids, joinIDs(ids)) {
		err = errors.Join(errors.New("its passages are not those of the index"), v.close())
	}
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("vectors %s: %w", path, err), "mr-index derive writes the file again, from what the index holds")
	}
	return v, nil
}

func mapVectors(path string) (_ *vectors, err error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
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
	if !info.Mode().IsRegular() || info.Size() < vectorsHeader {
		return nil, errors.New("not a file of vectors")
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, err
	}
	v := &vectors{file: data}
	if err := v.check(info.Size()); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

func (v *vectors) check(size int64) (err error) {
	if v.header, err = decodeVectorsHead(v.file, size); err != nil {
		return err
	}
	at := v.header.rowsAt()
	table, rows := v.file[vectorsHeader:at], v.file[at:]
	switch {
	case crc32.Checksum(table, castagnoli) != v.header.ids:
		return errors.New("damaged: the ids fail their checksum")
	case crc32.Checksum(rows, castagnoli) != v.header.rows:
		return errors.New("damaged: the vectors fail their checksum")
	}
	v.ids = table[:v.header.idBytes]
	v.matrix.Dim = v.header.dim
	if len(rows) > 0 {
		v.matrix.Data = unsafe.Slice((*float32)(unsafe.Pointer(&rows[0])), len(rows)/4)
	}
	return nil
}

// model is the sha256 of the model, "" where it is not known.
func (v *vectors) model() string {
	if v.header.model == [32]byte{} {
		return ""
	}
	return hex.EncodeToString(v.header.model[:])
}

func (v *vectors) close() error { return v.file.Unmap() }
