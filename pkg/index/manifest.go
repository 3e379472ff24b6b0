package index

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Format is the version of the layout of a generation. Version log: 1, the first.
const Format = 1

// Manifest says what an index holds: manifest.json of its generation.
type Manifest struct {
	Format   int           `json:"format"`
	Commit   record.Commit `json:"commit,omitempty"`
	Passages int           `json:"passages"`
	// Analysis and Context are how text is searched.
	Analysis Analysis      `json:"analysis"`
	Context  embed.Context `json:"context"`
	Totals   Totals        `json:"totals"`
	// Vectors and Late are nil where the index has none.
	Vectors *Vectors `json:"vectors,omitempty"`
	Late    *Late    `json:"late,omitempty"`
	// Files are those of bleve; the others carry their own checksums.
	Files []File `json:"files"`
	// Run is the run that built it.
	Run *record.Run `json:"run,omitempty"`
}

// Vectors is what made the vectors of the passages.
type Vectors struct {
	Model record.Model `json:"model"`
	Dim   int          `json:"dim"`
}

// Late is what made the token vectors of the passages.
type Late struct {
	Model   record.Model  `json:"model"`
	Context embed.Context `json:"context"`
}

// File is a file of the generation as it was built.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	CRC32C uint32 `json:"crc32c"`
}

const manifestName = "manifest.json"

func (m *Manifest) write(dir string) error {
	if m.Run != nil {
		m.Run.Type, m.Run.Version = record.KindRun, record.Version
	}
	text, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("\t"))
	if err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	return os.WriteFile(filepath.Join(dir, manifestName), append(text, '\n'), 0o644)
}

// CheckCommit refuses an index of another commit than want, which is a commit or
// the first 7 digits of one, or more.
func (m *Manifest) CheckCommit(want record.Commit) error {
	if m.Commit == want || len(want) >= 7 && strings.HasPrefix(string(m.Commit), string(want)) {
		return nil
	}
	return hint.Wrap(fmt.Errorf("the index is of commit %q, expected %q", m.Commit, want),
		"cut, embed and build again at that commit, or search without -commit")
}

// readManifest reads the manifest and compares the files with it.
func readManifest(dir string) (*Manifest, error) {
	m := new(Manifest)
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, m, json.RejectUnknownMembers(true))
	switch {
	case err != nil:
	case m.Format != Format:
		err = fmt.Errorf("format %d, expected %d", m.Format, Format)
	case m.Passages < 1:
		err = errors.New("no passages")
	default:
		err = m.Analysis.Validate()
	}
	for _, field := range searched {
		if _, ok := m.Totals[field]; !ok && err == nil {
			err = fmt.Errorf("no total of the field %s", field)
		}
	}
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("%s: %w", path, err), "build the index again")
	}
	for _, want := range m.Files {
		got, err := sumFile(dir, want.Name)
		if err == nil && got.Bytes != want.Bytes {
			err = fmt.Errorf("damaged: %d bytes, expected %d", got.Bytes, want.Bytes)
		}
		if err == nil && got != want {
			err = errors.New("damaged: it fails its checksum")
		}
		if err != nil {
			return nil, hint.Wrap(fmt.Errorf("%s: %w", filepath.Join(dir, want.Name), err), "build the index again")
		}
	}
	return m, nil
}

// sumFiles are the files below dir/below, in the order of their names.
func sumFiles(dir, below string) (files []File, err error) {
	err = filepath.WalkDir(filepath.Join(dir, below), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f, err := sumFile(dir, filepath.ToSlash(name))
		files = append(files, f)
		return err
	})
	return files, err
}

func sumFile(dir, name string) (_ File, err error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return File{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := crc32.New(castagnoli)
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, f, make([]byte, 1<<20))
	return File{name, n, sum.Sum32()}, err
}
