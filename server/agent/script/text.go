package script

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/server/driver"
	"agentdungeon/shared/pattern"
)

// maxPlaceholders is the maximum number of placeholders in one text. It limits an expanded text to 5 MB, because
// the longest value, a person's words, has at most 32 KiB.
const maxPlaceholders = 100

// maxChunk is the maximum number of bytes that a "say" emits at once.
const maxChunk = 4 << 10

var placeholder = pattern.New(`\{\{\s*[A-Za-z]+\s*\}\}`)

var placeholders = []string{"{{problem}}", "{{role}}", "{{stage}}", "{{n}}", "{{words}}"}

// expand replaces the placeholders in one pass. It does not look at the inserted text again.
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

// nextChunk cuts the first n words, with the white space around them, off text. A chunk has at most maxChunk bytes and
// ends between two characters. Joined, the chunks of a text are the text.
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
