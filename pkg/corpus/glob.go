package corpus

import (
	"regexp"
	"strings"
)

// glob compiles a glob as Config documents it.
func glob(pattern string) *regexp.Regexp {
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	var b strings.Builder
	b.WriteString(`(?is)\A`)
	for pattern != "" {
		switch {
		case strings.HasPrefix(pattern, "**/"):
			b.WriteString(`(?:.*/)?`)
			pattern = pattern[3:]
		case strings.HasPrefix(pattern, "**"):
			b.WriteString(`.*`)
			pattern = pattern[2:]
		case pattern[0] == '*':
			b.WriteString(`[^/]*`)
			pattern = pattern[1:]
		case pattern[0] == '?':
			b.WriteString(`[^/]`)
			pattern = pattern[1:]
		default:
			n := strings.IndexAny(pattern, "*?")
			if n < 0 {
				n = len(pattern)
			}
			b.WriteString(regexp.QuoteMeta(pattern[:n]))
			pattern = pattern[n:]
		}
	}
	return regexp.MustCompile(b.String() + `\z`)
}

// selects says whether the globs leave a path in.
func (c *Cutter) selects(path string) bool {
	in := len(c.include) == 0
	for _, g := range c.include {
		in = in || g.MatchString(path)
	}
	for _, g := range c.exclude {
		in = in && !g.MatchString(path)
	}
	return in
}

// isPage says whether a file of a repository is a page by its name.
func (c *Cutter) isPage(path string) bool {
	for _, ext := range c.config.Extensions {
		if len(path) > len(ext) && strings.EqualFold(path[len(path)-len(ext):], ext) {
			return true
		}
	}
	return false
}
