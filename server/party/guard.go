package party

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file finds the code and the quotations of a text, in which markers do not count. It follows
// CommonMark as far as people see the difference; in doubt it treats more text as code.

type blockKind int

const (
	blockText blockKind = iota
	blockBlank
	blockCode // fenced or indented code, or a quoted line
)

// block is a line of the text, without its line break.
type block struct {
	start, end int
	kind       blockKind
}

// blocks classifies every line.
func blocks(text string) []block {
	var out []block
	fence, last := "", blockBlank
	for at := 0; at <= len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		s := text[at:end]
		b := block{start: at, end: end}
		switch trimmed := strings.TrimLeft(s, " \t"); {
		case fence != "":
			b.kind = blockCode
			rest := strings.TrimLeft(trimmed, fence[:1])
			if len(trimmed)-len(rest) >= len(fence) && strings.TrimSpace(rest) == "" {
				fence = ""
			}
		case strings.TrimSpace(s) == "":
			b.kind = blockBlank
		case opens(trimmed) != "":
			fence, b.kind = opens(trimmed), blockCode
		case strings.HasPrefix(trimmed, ">"), last != blockText && indented(s):
			b.kind = blockCode
		}
		out = append(out, b)
		last, at = b.kind, end+1
	}
	return out
}

// opens returns the fence of backticks or tildes that a line opens, "" for none. The fence may follow bullets or the
// numbers of a list.
func opens(s string) string {
	for {
		rest := strings.TrimLeft(s, "0123456789")
		if len(rest) < 2 || !strings.ContainsRune("-*+.)", rune(rest[0])) || rest[1] != ' ' && rest[1] != '\t' {
			break
		}
		s = strings.TrimLeft(rest[1:], " \t")
	}
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(s, mark)
		if n := len(s) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return s[:n]
		}
	}
	return ""
}

// indented reports whether a line is indented like code, by four columns.
func indented(s string) bool {
	columns := 0
	for i := 0; i < len(s) && columns < 4; i++ {
		switch s[i] {
		case ' ':
			columns++
		case '\t':
			columns = 4
		default:
			return false
		}
	}
	return columns >= 4
}

// Guards are flags of a byte of the text. A marker such as [NEXT: a] that begins at a byte with a guard has no
// effect.
const (
	inCode   = 1 << iota // in an inline code span, including its backticks
	inQuotes             // between double quotation marks, including the marks
	escaped              // after a backslash
)

// inline returns the guards of each byte of p, a paragraph of text. lines has the lines of the paragraph.
func inline(p, text string, lines []block) []byte {
	guards := make([]byte, len(p))
	spans(p, guards)
	for _, l := range lines {
		quotes(text[l.start:l.end], guards[l.start-lines[0].start:])
	}
	return guards
}

// spans sets the guards of inline code and of escaped characters.
func spans(p string, guards []byte) {
	runs := map[int][]int{} // the starts of runs of backticks, by the length of the run
	for i := 0; i < len(p); i++ {
		if p[i] == '`' {
			n := backticks(p[i:])
			runs[n] = append(runs[n], i)
			i += n - 1
		}
	}
	for i := 0; i < len(p); {
		switch {
		case p[i] == '\\' && i+1 < len(p) && p[i+1] < utf8.RuneSelf && p[i+1] != '\n':
			guards[i+1] |= escaped
			i += 2
		case p[i] == '`':
			n := backticks(p[i:])
			later := runs[n]
			for len(later) > 0 && later[0] < i+n {
				later = later[1:]
			}
			runs[n] = later
			if len(later) == 0 {
				i += n
				continue
			}
			for end := later[0] + n; i < end; i++ {
				guards[i] |= inCode
			}
		default:
			i++
		}
	}
}

// backticks returns the number of backticks at the start of s.
func backticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closers has the closing quotation marks by opening mark.
var closers = map[rune]string{
	'"': `"`, '“': "”", '„': "“”", '«': "»", '「': "」", '『': "』", '‹': "›",
}

// quotes sets the guards of text between double quotation marks on a line. A mark without a closing one
// (5" of space) begins nothing.
func quotes(s string, guards []byte) {
	type quote struct {
		at   int
		mark rune
	}
	var all []quote
	for i, c := range s {
		if guards[i] == 0 && strings.ContainsRune(`"“”„«»「」『』‹›`, c) {
			all = append(all, quote{i, c})
		}
	}
	last := map[rune]int{} // by mark, its last index in all: it shows whether a closing mark follows
	for i, q := range all {
		last[q.mark] = i
	}
	for i := 0; i < len(all); i++ {
		ends := closers[all[i].mark]
		if !slices.ContainsFunc([]rune(ends), func(c rune) bool { return last[c] > i }) {
			continue
		}
		j := i + 1
		for !strings.ContainsRune(ends, all[j].mark) {
			j++
		}
		for k := all[i].at; k < all[j].at+utf8.RuneLen(all[j].mark); k++ {
			guards[k] |= inQuotes
		}
		i = j
	}
}

// marksIn finds the markers of a line: pairs of brackets that are neither quoted nor escaped nor nested and contain
// no code. guards has the guards of text from the offset base on.
func marksIn(text string, start, end int, guards []byte, base int) []mark {
	var open []int // unclosed brackets
	var out []mark
	for i := start; i < end; i++ {
		if guards[i-base] != 0 {
			continue
		}
		switch text[i] {
		case '[':
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			for len(out) > 0 && out[len(out)-1].start > from {
				out = out[:len(out)-1]
			}
			// Append the pair even if it is no marker: the pairs inside of it are no markers either.
			out = append(out, mark{start: from, end: i + 1})
		}
	}
	kept := out[:0]
	for _, k := range out {
		inside := text[k.start+1 : k.end-1]
		code := slices.ContainsFunc(guards[k.start-base:k.end-base], func(g byte) bool { return g&inCode != 0 })
		if code || quoted(text[:k.start], text[k.end:]) {
			continue
		}
		if k.kind, k.value = keyword(inside); k.kind != "" {
			kept = append(kept, k)
		}
	}
	return kept
}

// quoted reports whether a marker stands directly between single quotation marks: at the end of before and the
// beginning of after. Single quotation marks in other places can be apostrophes, so they have no effect.
func quoted(before, after string) bool {
	open, _ := utf8.DecodeLastRuneInString(before)
	end, _ := utf8.DecodeRuneInString(after)
	return strings.ContainsRune("'‘‚‛’", open) && strings.ContainsRune("'’‘", end)
}

// keyword splits the text of a marker, such as "next: a, b", into its kind and value. kind is "" if the text
// is no marker.
func keyword(s string) (kind, value string) {
	at := strings.IndexAny(s, ":：")
	if at < 0 {
		return "", ""
	}
	word := strings.ToUpper(strings.TrimSpace(s[:at]))
	switch word {
	case markNext, markFrom, markTask, markDrop:
		_, size := utf8.DecodeRuneInString(s[at:])
		return word, s[at+size:]
	}
	return "", ""
}
