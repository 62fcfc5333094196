package history

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"agentdungeon/shared/world"
)

// span is a place in a text, in bytes.
type span struct{ from, to int }

// parts is what a hit shows of a row's text: where most different ones of the words stand
// together, and of such places the first. They are valid UTF-8, never empty, and together
// about shownBytes long.
//
// The places are found here and not by FTS5: the time of its highlight() and snippet()
// grows with the square of how often the words occur in a row, to seconds for a row of
// 64 KB. Where the two disagree on what a letter is, a hit shows the row's beginning.
func (s sought) parts(text string, beginning bool) []world.SearchPart {
	phrases := make([][]string, len(s.phrases))
	for i, pieces := range s.phrases {
		for _, p := range pieces {
			phrases[i] = append(phrases[i], fold(p))
		}
	}
	var found []span
	var recent []token // as many as the longest phrase has
	for t := range tokens(text) {
		if recent = append(recent, t); len(recent) > maxSearchWords {
			recent = recent[1:]
		}
		longest := 0
		for i, phrase := range phrases {
			prefix := beginning && i == len(phrases)-1
			if n := len(phrase); n > longest && n <= len(recent) && endsWith(recent, phrase, prefix) {
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

// endsWith says whether the newest tokens are those of a phrase.
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

// token is a word of a text, folded, and its place.
type token struct {
	span
	word string
}

// tokens are the words of a text in order.
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

// fold takes case and accents away, as the index does.
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
		if s.from < at || s.from >= to { // a phrase may begin within another
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

// densest returns the hit at which an excerpt should begin, so that it shows the largest number of
// distinct words.
func densest(text string, spans []span) span {
	word := func(s span) string {
		w, _ := world.Cut(text[s.from:s.to], leadBytes)
		return strings.ToLower(w)
	}
	best, most := spans[0], 0
	within := map[string]int{} // at most as many as spans
	last := 0
	for i, s := range spans {
		for last < len(spans) && spans[last].to <= s.from+shownBytes-leadBytes {
			within[word(spans[last])]++
			last++
		}
		if len(within) > most {
			best, most = s, len(within)
		}
		if last <= i { // longer than what is shown
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
