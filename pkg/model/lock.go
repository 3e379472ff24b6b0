package model

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strconv"
	"strings"
)

//go:embed models.lock
var lockText string

// embedded is models.lock for this platform; that it parses is tested.
var embedded = mustParse(lockText, runtime.GOOS+"/"+runtime.GOARCH)

// lock maps local names (folder/name, with slashes) to what must be there.
type lock map[string]locked

type locked struct {
	sha256 string // hex, lower case
	size   int64
}

func mustParse(text, platform string) lock {
	l, err := parseLock(text, platform)
	if err != nil {
		panic("model: " + err.Error())
	}
	return l
}

// parseLock reads the file lines of a lock that hold for platform (GOOS/GOARCH).
// The format is described in the head of models.lock.
func parseLock(text, platform string) (lock, error) {
	l := lock{}
	for i, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) != 7 || (f[0] != "file" && f[0] != "wheel") {
			return nil, fmt.Errorf("models.lock:%d: want wheel or file and six columns, got %q", i+1, line)
		}
		if f[0] == "wheel" || (f[1] != "any" && f[1] != platform) {
			continue // wheels are for scripts/fetch-models alone
		}
		size, err := strconv.ParseInt(f[4], 10, 64)
		if err != nil || size <= 0 {
			return nil, fmt.Errorf("models.lock:%d: size %q is not a positive number of bytes", i+1, f[4])
		}
		sum, local := f[3], f[6]
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != 32 || sum != strings.ToLower(sum) {
			return nil, fmt.Errorf("models.lock:%d: %q is not a sha256 in lower-case hex", i+1, sum)
		}
		if path.Clean(local) != local || path.IsAbs(local) || strings.Count(local, "/") != 1 || strings.HasPrefix(local, "..") {
			return nil, fmt.Errorf("models.lock:%d: local name %q is not folder/name", i+1, local)
		}
		if _, ok := magic[path.Ext(local)]; !ok {
			return nil, fmt.Errorf("models.lock:%d: %q is not an .onnx, .json, .so, .dylib or .dll file; pickles are refused", i+1, local)
		}
		if _, ok := l[local]; ok {
			return nil, fmt.Errorf("models.lock:%d: %q is named twice", i+1, local)
		}
		l[local] = locked{sha256: sum, size: size}
	}
	return l, nil
}

// magic holds the first bytes by which each accepted kind of file is known: an
// ONNX file is a protobuf whose first field is ir_version (field 1, varint).
var magic = map[string][]string{
	".onnx":  {"\x08"},
	".json":  {"{"},
	".so":    {"\x7fELF"},
	".dylib": {"\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"},
	".dll":   {"MZ"},
}

const headBytes = 8 // as many as accept looks at, or more

// accept refuses a file whose first bytes are not those of its extension.
// Pickles (0x80 and the protocol number, or a zip of them) are named as such.
func accept(local string, head []byte) error {
	for _, m := range magic[path.Ext(local)] {
		if bytes.HasPrefix(head, []byte(m)) {
			return nil
		}
	}
	if (len(head) > 1 && head[0] == 0x80 && head[1] <= 5) || bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return errors.New("looks like a pickle, which is refused: loading one runs its code")
	}
	return fmt.Errorf("does not start as a %s file does", path.Ext(local))
}
