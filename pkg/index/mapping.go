package index

import (
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The fields of a document in bleve.
const (
	fieldText     = "text"     // searched: the passage's text, its trail in front where so configured
	fieldHeadings = "headings" // searched: the trail alone
	fieldPath     = "path"     // searched: the words of the page's path
	fieldPassage  = "passage"  // stored: the record, without its vector
	fieldVector   = "vector"   // stored: little-endian float32
)

// searched are the fields that BM25 can search.
var searched = []string{fieldText, fieldHeadings, fieldPath}

// newMapping is the schema. The scoring model is in it for whoever opens the
// index with bleve alone.
func newMapping(a Analysis) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	m.DefaultAnalyzer = string(a)
	doc := bleve.NewDocumentStaticMapping()
	doc.AddSubDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	for _, name := range []string{fieldText, fieldHeadings, fieldPath, fieldPassage, fieldVector} {
		f := bleve.NewTextFieldMapping()
		f.Index = slices.Contains(searched, name)
		f.Store = !f.Index
		f.IncludeInAll, f.IncludeTermVectors, f.DocValues = false, false, false
		doc.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = doc
	return m
}

// document is what is indexed of p.
func document(p *record.Passage, context embed.Context) (map[string]any, error) {
	bare := *p
	bare.Type, bare.Vector = record.KindPassage, nil
	raw, err := json.Marshal(&bare, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("passage %s: %w", p.ID, err)
	}
	doc := map[string]any{
		fieldText:     embed.Text(p, context),
		fieldHeadings: p.Trail(),
		fieldPath:     p.Path,
		fieldPassage:  string(raw),
	}
	if len(p.Vector) > 0 {
		doc[fieldVector] = string(cache.Floats(p.Vector))
	}
	return doc, nil
}

// stored returns a stored field of a document.
func stored(r index.IndexReader, id record.PassageID, field string) ([]byte, error) {
	doc, err := r.Document(string(id))
	if err != nil {
		return nil, fmt.Errorf("passage %s: %w", id, err)
	}
	if doc == nil {
		return nil, fmt.Errorf("passage %s is not in the index", id)
	}
	var value []byte
	doc.VisitFields(func(f index.Field) {
		if f.Name() == field {
			value = f.Value()
		}
	})
	if value == nil {
		return nil, fmt.Errorf("passage %s: the index does not hold its %s", id, field)
	}
	return value, nil
}

func storedPassage(r index.IndexReader, id record.PassageID) (*record.Passage, error) {
	raw, err := stored(r, id, fieldPassage)
	if err != nil {
		return nil, err
	}
	p := new(record.Passage)
	if err := json.Unmarshal(raw, p); err != nil {
		return nil, fmt.Errorf("passage %s in the index: %w", id, err)
	}
	return p, nil
}

func storedVector(r index.IndexReader, id record.PassageID) ([]float32, error) {
	raw, err := stored(r, id, fieldVector)
	if err != nil {
		return nil, err
	}
	v, err := cache.ParseFloats(raw, len(raw)/4)
	if err != nil {
		return nil, fmt.Errorf("vector of passage %s in the index: %w", id, err)
	}
	return v, nil
}
