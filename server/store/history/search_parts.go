package history

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"agentdungeon/shared/world"
)

// span is a range of bytes in a text.
type span struct{ from, to int }

// parts returns the passage of a row's text that a hit shows, cut at the matches: the first passage that has the
// greatest number of different words of the query. The parts are valid UTF-8, never empty, and together about
// shownBytes long.
//
// It does not use FTS5's highlight() and snippet(): their time grows with the square of the number of matches in a
// row, to seconds for a row of 64 KB. If this code finds no match, because FTS5 counts other characters as letters,
// the hit shows the beginning of the row.
func (s searchQuery) parts(text string, prefix bool) []world.SearchPart {
	phrases := make([][]string, len(s.phrases))
	for i, words := range s.phrases {
		for _, w := range words {
			phrases[i] = append(phrases[i], fold(w))
		}
	}
	var found []span
	var recent []token // the last tokens read, at most as many as a phrase can have words
	for t := range tokens(text) {
		if recent = append(recent, t); len(recent) > maxSearchWords {
			recent = recent[1:]
		}
		longest := 0
		for i, phrase := range phrases {
			n, last := len(phrase), i == len(phrases)-1
			if n > longest && n <= len(recent) && endsWith(recent, phrase, prefix && last) {
				longest = n
			}
		}
		if longest > 0 {
			found = append(found, span{recent[len(recent)-longest].from, t.to})
		}
		if len(found) == maxSpans {
			break
		}
	}
	return partsAround(text, found)
}

// endsWith reports whether the last tokens of recent are the words of a phrase. If prefix is set, the last word of
// the phrase need only be a prefix of its token.
func endsWith(recent []token, phrase []string, prefix bool) bool {
	recent = recent[len(recent)-len(phrase):]
	for i, want := range phrase {
		if prefix && i == len(phrase)-1 {
			return strings.HasPrefix(recent[i].word, want)
		}
		if recent[i].word != want {
			return false
		}
	}
	return true
}

// token is a word of a text, without case and accents (see fold), and its position.
type token struct {
	span
	word string
}

// tokens yields the words of a text in order.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		from := -1
		for i, r := range text {
			switch word := inWord(r); {
			case word && from < 0:
				from = i
			case !word && from >= 0:
				if !yield(token{span{from, i}, fold(text[from:i])}) {
					return
				}
				from = -1
			}
		}
		if from >= 0 {
			yield(token{span{from, len(text)}, fold(text[from:])})
		}
	}
}

// inWord reports whether FTS5's unicode61 tokenizer counts a rune as part of a word: letters, digits, characters of
// Unicode's private use area, and marks behind a letter.
func inWord(r rune) bool { return isLetter(r) || unicode.IsMark(r) }

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// fold removes case and accents, as the index does.
func fold(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return strings.Map(func(r rune) rune {
				if unicode.IsMark(r) {
					return -1
				}
				return unicode.ToLower(r)
			}, norm.NFD.String(word))
		}
	}
	return strings.ToLower(word)
}

// partsAround returns the passage of a text that has the greatest number of different words among the matches in the
// parameter spans. It cuts the passage at the spans.
func partsAround(text string, spans []span) []world.SearchPart {
	from := 0
	if len(spans) > 0 {
		from = densest(text, spans).from - leadBytes
	}
	if from <= 0 {
		from = 0
	} else if space := strings.IndexByte(text[from:from+leadBytes], ' '); space >= 0 {
		from += space + 1
	} else {
		for !utf8.RuneStart(text[from]) {
			from++
		}
	}
	to := from + shownBytes
	if to >= len(text) {
		to = len(text)
	} else {
		for to > from && !utf8.RuneStart(text[to]) {
			to--
		}
	}
	parts := []world.SearchPart{}
	add := func(piece string, hit bool) {
		if piece = strings.ToValidUTF8(piece, "\ufffd"); piece != "" {
			parts = append(parts, world.SearchPart{Text: piece, Hit: hit})
		}
	}
	at := from
	if from > 0 {
		add("…", false)
	}
	for _, s := range spans {
		if s.from < at || s.from >= to { // this match begins inside the last one, or outside the passage
			continue
		}
		add(text[at:s.from], false)
		at = min(s.to, to)
		add(text[s.from:at], true)
	}
	add(text[at:to], false)
	if to < len(text) {
		add("…", false)
	}
	return parts
}

// densest returns the span at which the shown passage should begin, so that it contains the greatest number of
// different words.
func densest(text string, spans []span) span {
	word := func(s span) string {
		w, _ := world.Cut(text[s.from:s.to], leadBytes)
		return strings.ToLower(w)
	}
	best, most := spans[0], 0
	within := map[string]int{} // at most as many entries as spans
	last := 0
	for i, s := range spans {
		for last < len(spans) && spans[last].to <= s.from+shownBytes-leadBytes {
			within[word(spans[last])]++
			last++
		}
		if len(within) > most {
			best, most = s, len(within)
		}
		if last <= i { // the span is longer than the shown part
			last = i + 1
			continue
		}
		if w := word(s); within[w] > 1 {
			within[w]--
		} else {
			delete(within, w)
		}
	}
	return best
}
