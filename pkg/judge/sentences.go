package judge

import (
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// Sentences splits an answer into the claims a judge rules on: its sentences,
// table rows and code blocks. Unlike those of a passage, headings and comments
// count: nothing an answer says may escape the judge.
func Sentences(answer string) []string {
	var out []string
	for _, s := range sentence.Split(plain(answer)) {
		out = append(out, s.Text)
	}
	return out
}

var comments = strings.NewReplacer("<!--", "", "-->", "")

// plain makes paragraphs of what pkg/sentence leaves out: headings, with # or
// underlined, and comments. Fenced code stays as it is.
func plain(answer string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(answer) {
		bare := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]) == "" {
				fence = ""
			}
			b.WriteString(line)
			continue
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			fence = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
			b.WriteString(line)
			continue
		case strings.HasPrefix(bare, "#"):
			line = "\n" + strings.TrimSpace(strings.Trim(bare, "#")) + "\n\n"
		case bare != "" && (strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == ""):
			line = "\n"
		}
		b.WriteString(comments.Replace(line))
	}
	return b.String()
}
