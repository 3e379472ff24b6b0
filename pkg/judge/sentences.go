package judge

import (
	"regexp"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// Sentences splits an answer into the claims a judge rules on: its sentences,
// table rows and code blocks. Nothing an answer says may escape the judge, so
// that what a Markdown reader would not show counts too: headings and comments
// are paragraphs, and a line that is in no sentence (a heading in a quotation, the
// definition of a link) is one of its own, at the end.
func Sentences(answer string) []string {
	var out []string
	for _, s := range sentence.Split(plain(answer)) {
		out = append(out, s.Text)
	}
	said := spoken(strings.Join(out, "\n"))
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if words := spoken(marker.ReplaceAllString(line, "")); words != " " && !strings.Contains(said, words) {
			out = append(out, line)
			said += words[1:]
		}
	}
	return out
}

var (
	// marker opens a line without saying anything: of a list, or of a fence with
	// the name of its language.
	marker = regexp.MustCompile("^(?:\\d{1,9}[.)](?:\\s|$)|(?:```+|~~~+)\\s*\\S*)")
	said   = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// spoken is the words of a text, with a space before, between and behind them.
func spoken(text string) string {
	return " " + strings.Join(append(said.FindAllString(text, -1), ""), " ")
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
