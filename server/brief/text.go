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

// Cut keeps at most limit bytes of s, never half a character, and says whether
// something is missing. Bytes that are not UTF-8 are replaced first, as JSON would.
func Cut(s string, limit int) (string, bool) {
	short := false
	if limit = max(limit, 0); len(s) > limit+4 { // a character has 4 bytes at most: half of one lies past the limit
		s, short = s[:limit+4], true
	}
	out, more := world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
	return out, short || more
}

// Shares divides room among texts of these sizes: the short ones whole, the long
// ones equally.
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

// lineBreaks are all that some reader takes for the end of a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Quote sets a text apart from what is said about it: each of its lines begins with
// "> ", so that nothing in it, whatever it takes for a line's end, can look like a
// heading or a sentence of the prompt. Control characters are replaced. It gives at
// most limit bytes and says whether something is missing.
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

// quotedSize is how many bytes the whole Quote of s has at least, without making it.
func quotedSize(s string) int {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	return len("> ") + len(s) + len("> ")*strings.Count(s, "\n") - strings.Count(s, "\r\n")
}

// cutQuote cuts a quote and leaves no bare beginning of a line at its end.
func cutQuote(s string, limit int) (string, bool) {
	out, short := Cut(s, limit)
	if short {
		for _, end := range []string{"\n", "\n>", "\n> "} {
			out = strings.TrimSuffix(out, end)
		}
	}
	return out, short
}

// Name writes a name for use outside a quote: on one line, without the marks that a
// prompt sets names apart with, at most MaxName bytes. It is never empty.
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
