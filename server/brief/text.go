package brief

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/shared/world"
)

// MaxName is how many bytes of a name a prompt shows.
const MaxName = 120

// Cut returns at most limit bytes of s without splitting a character, and whether anything is
// missing. Bytes that are not UTF-8 are replaced first, as JSON does.
func Cut(s string, limit int) (string, bool) {
	short := false
	if limit = max(limit, 0); len(s) > limit+4 { // a character has at most 4 bytes
		s, short = s[:limit+4], true
	}
	out, more := world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
	return out, short || more
}

// Shares divides room among texts of these sizes: short ones get what they need, long ones equal
// parts.
func Shares(sizes []int, room int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	out := make([]int, len(sizes))
	for k, i := range order {
		out[i] = max(min(sizes[i], room/(len(order)-k)), 0)
		room -= out[i]
	}
	return out
}

// lineBreaks are all characters that some reader takes for the end of a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n",
	"\u2029", "\n")

// Quote marks a text as somebody else's: each line begins with "> ", so that nothing in it can
// look like a heading or a sentence of the prompt, whatever ends its lines. Control characters
// are replaced. It returns at most limit bytes, and whether anything is missing.
func Quote(s string, limit int) (string, bool) {
	out, short := Cut(strings.TrimRightFunc(s, unicode.IsSpace), limit)
	out = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, lineBreaks.Replace(out))
	out, more := cutQuote("> "+strings.ReplaceAll(out, "\n", "\n> "), limit)
	return out, short || more
}

// quotedSize returns a lower bound of the size of Quote(s), without making it.
func quotedSize(s string) int {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	return len("> ") + len(s) + len("> ")*strings.Count(s, "\n") - strings.Count(s, "\r\n")
}

// cutQuote cuts a quote without leaving an empty line prefix at its end.
func cutQuote(s string, limit int) (string, bool) {
	out, short := Cut(s, limit)
	if short {
		for _, end := range []string{"\n", "\n>", "\n> "} {
			out = strings.TrimSuffix(out, end)
		}
	}
	return out, short
}

// Name returns a name for use outside a quote: on one line, without Markdown that the prompt
// uses around names, at most MaxName bytes, never empty.
func Name(s string) string { return nameIn(s, MaxName) }

func nameIn(s string, limit int) string {
	if len(s) > 4*limit {
		s = s[:4*limit]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case r == '*' || r == '`':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s, _ = Cut(strings.Join(strings.Fields(s), " "), limit)
	if s = strings.TrimSpace(s); s == "" {
		return "nameless"
	}
	return s
}
