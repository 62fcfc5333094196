package report

import (
	"fmt"
	"strings"
)

// Escape returns text on one line, with all Markdown escaped.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|!&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Code returns text as Markdown code. The text may contain backticks.
func Code(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
	ticks := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fence returns lines as a Markdown code block in a language, "" for none.
func fence(lang, s string) string {
	if s == "" {
		return ""
	}
	ticks := strings.Repeat("`", max(3, longest(s)+1))
	return ticks + lang + "\n" + strings.TrimRight(s, "\n") + "\n" + ticks + "\n\n"
}

// longest returns the length of the longest run of backticks.
func longest(s string) int {
	most, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}

// uri returns a path in wire form as a URI. The wire form already escapes "%" and invalid UTF-8.
func uri(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/%", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
