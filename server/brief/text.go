package brief

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/shared/world"
)

// MaxName is the maximum length of a name in prompts, in bytes.
const MaxName = 120

// Cut replaces invalid UTF-8 in s by U+FFFD and shortens s to at most limit bytes without splitting
// a character. It reports whether it removed anything.
func Cut(s string, limit int) (string, bool) {
	short := false
	if limit = max(limit, 0); len(s) > limit+4 { // a character has at most 4 bytes
		s, short = s[:limit+4], true
	}
	out, more := world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
	return out, short || more
}

// Shares divides room bytes among texts of these sizes. Short texts get their size, long ones equal
// parts of the rest.
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

// lineBreaks replaces all characters that a reader may take for the end of a line by "\n".
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n",
	"\u2029", "\n")

// Quote marks a text as a text of others. Each line begins with "> ", so that no line looks like a
// heading or a sentence of the prompt. Quote replaces control characters, returns at most limit
// bytes, and reports whether it removed anything.
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

// quotedSize returns a lower bound of the size that the quotation of the whole text s has.
func quotedSize(s string) int {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	return len("> ") + len(s) + len("> ")*strings.Count(s, "\n") - strings.Count(s, "\r\n")
}

// cutQuote cuts a quotation to limit bytes and removes an empty line at its end.
func cutQuote(s string, limit int) (string, bool) {
	out, short := Cut(s, limit)
	if short {
		for _, end := range []string{"\n", "\n>", "\n> "} {
			out = strings.TrimSuffix(out, end)
		}
	}
	return out, short
}

// Name returns a name for use outside of quotations: one line of at most MaxName bytes, without *
// and `, and "nameless" for an empty name.
func Name(s string) string { return nameIn(s, MaxName) }

// nameIn does the same as Name with another limit.
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
