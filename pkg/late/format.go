package late

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
)

// The file of token vectors, tokens.i8. All numbers are little-endian.
//
//	0    8   magic "mr-late\n"
//	8    4   version, 1
//	12   4   dimension
//	16   8   number of passages
//	24   32  sha256 of the model
//	56   4   CRC-32C of the table
//	60   4   CRC-32C of the blocks
//	64   4   CRC-32C of bytes 0…63
//	68       zeros up to 128
//	128      table: tokens of each passage (uint32), then zeros to a multiple of 64
//	…        a block for each passage: its rows (tokens × dimension int8), its scales
//	         (tokens float32), then zeros to a multiple of 64
//
// A checksum is against damage, not against malice.
//
// Version log: 1, the first.
const (
	magic       = "mr-late\n"
	fileVersion = 1
	headerBytes = 128
	alignment   = 64
	// maxDim keeps the dot products exact in int32, see kernel.h.
	maxDim = 1040
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type header struct {
	dim    int
	count  int
	model  [32]byte
	table  uint32 // checksums
	blocks uint32
}

func (h header) encode() []byte {
	b := append(make([]byte, 0, headerBytes), magic...)
	b = binary.LittleEndian.AppendUint32(b, fileVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.dim))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.count))
	b = append(b, h.model[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.table)
	b = binary.LittleEndian.AppendUint32(b, h.blocks)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return b[:headerBytes]
}

// decodeHeader checks all that can be checked without the rest of the file of size bytes.
func decodeHeader(b []byte, size int64) (header, error) {
	if len(b) < headerBytes || string(b[:len(magic)]) != magic {
		return header{}, errors.New("not a file of token vectors")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != fileVersion {
		return header{}, fmt.Errorf("version %d, expected %d", v, fileVersion)
	}
	count, dim := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint32(b[12:])
	if dim < 1 || dim > maxDim || count > uint64(size)/4 {
		return header{}, fmt.Errorf("damaged: %d passages of dimension %d do not fit into %d bytes", count, dim, size)
	}
	h := header{int(dim), int(count), [32]byte(b[24:56]), binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint32(b[60:])}
	if !bytes.Equal(b[:headerBytes], h.encode()) {
		return header{}, errors.New("damaged: the header fails its checksum")
	}
	return h, nil
}

// blockBytes is the room a passage of n tokens takes.
func blockBytes(n, dim int) int64 {
	return padded(scalesAt(n, dim) + 4*int64(n))
}

// scalesAt is where a passage's scales start in its block: behind the rows, at a multiple of 4.
func scalesAt(n, dim int) int64 { return (int64(n)*int64(dim) + 3) / 4 * 4 }

func padded(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

func parseModel(s string) (sum [32]byte, err error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != len(sum) {
		return sum, fmt.Errorf("expected the sha256 of a model, 64 hexadecimal digits, got %q", s)
	}
	return [32]byte(raw), nil
}

// layout returns where each passage's block starts; none may end beyond size.
func layout(tokens []byte, dim int, size int64) ([]int64, error) {
	n := len(tokens) / 4
	starts := make([]int64, n)
	end := tableEnd(n)
	for i := range n {
		starts[i] = end
		end += blockBytes(int(binary.LittleEndian.Uint32(tokens[4*i:])), dim)
		if end > size {
			return nil, fmt.Errorf("damaged: passage %d ends beyond the file's %d bytes", i, size)
		}
	}
	return starts, nil
}

func tableEnd(count int) int64 { return padded(headerBytes + 4*int64(count)) }

// littleEndian says whether this machine can use the file as it lies in memory.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }
