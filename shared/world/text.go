package world

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens s to at most limit bytes without splitting a character. It reports whether it
// removed anything.
func Cut(s string, limit int) (out string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit]), true
}

// Clip returns s, or, if s is longer than limit bytes, the result of Cut and "...".
func Clip(s string, limit int) string {
	s, cut := Cut(s, limit)
	if cut {
		s += "..."
	}
	return s
}
