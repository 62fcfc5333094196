package script

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/server/driver"
)

// maxPlaceholders is how many placeholders one text may hold: with problems of
// 16 KiB and words of 32 KiB an expanded text stays under 5 MB.
const maxPlaceholders = 100

// maxChunk is how many bytes of a "say" go out at once, whatever a word is.
const maxChunk = 4 << 10

var placeholder = regexp.MustCompile(`\{\{\s*[A-Za-z]+\s*\}\}`)

var placeholders = []string{"{{problem}}", "{{role}}", "{{stage}}", "{{n}}", "{{words}}"}

// expand fills the placeholders in one pass: what they stand for is not looked
// at again.
func expand(text string, turn driver.Turn) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	name := turn.Role.Name
	if name == "" {
		name = turn.Role.ID
	}
	return strings.NewReplacer(
		placeholders[0], turn.Problem,
		placeholders[1], name,
		placeholders[2], turn.StageID,
		placeholders[3], strconv.Itoa(turn.N),
		placeholders[4], turn.Words,
	).Replace(text)
}

// nextChunk cuts the first n words off text, with the white space around them.
// It is cut earlier, between two characters, at maxChunk bytes. The chunks of a
// text put together are the text.
func nextChunk(text string, n int) (chunk, rest string) {
	words, inWord := 0, false
	for i, r := range text {
		if i+utf8.RuneLen(r) > maxChunk {
			return text[:i], text[i:]
		}
		space := unicode.IsSpace(r)
		if !space && !inWord {
			if words == n {
				return text[:i], text[i:]
			}
			words++
		}
		inWord = !space
	}
	return text, ""
}

// clip cuts text to at most limit bytes, between two characters.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
