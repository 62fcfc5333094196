package model

import "strings"

// marker is the last line of an answer by which a model without tools ends the stage.
const marker = "[DONE]"

// maxHeld is the maximum number of bytes that a markerFilter holds back. If the marker and the white space around it
// are longer, the marker is not recognised.
const maxHeld = 256

// markerFilter passes on a streamed text without its last line if that line is exactly the marker. It does not pass
// on the end of the text as long as that end may become the line of the marker.
type markerFilter struct {
	held string
	some bool // some text was passed on, so the held text is not the beginning of the answer
}

func (f *markerFilter) push(text string) string {
	text = f.held + text
	at := markerStart(text, f.some)
	if len(text)-at > maxHeld {
		at = len(text)
	}
	f.held, f.some = text[at:], f.some || at > 0
	return text[:at]
}

// end returns the text that was held back. If that text is the marker, end returns "" and true.
func (f *markerFilter) end() (text string, done bool) {
	text, f.held = f.held, ""
	if strings.TrimSpace(text) == marker {
		return "", true
	}
	return text, false
}

// markerStart looks in text for a last line that has only the marker, or that can still become such a line: so far it
// has nothing, or the beginning of the marker. It returns the position at which the white space before that line
// begins. This white space must have a line break, unless the answer begins with it (after is false).
func markerStart(text string, after bool) int {
	const blank = " \t\r\n"
	body, word := strings.TrimRight(text, blank), ""
	switch {
	case strings.HasSuffix(body, marker):
		word = marker
	case body == text:
		for n := len(marker) - 1; n > 0 && word == ""; n-- {
			if strings.HasSuffix(body, marker[:n]) {
				word = marker[:n]
			}
		}
	}
	before := body[:len(body)-len(word)]
	start := len(strings.TrimRight(before, blank))
	if word != "" && (after || start > 0) && !strings.Contains(before[start:], "\n") {
		return len(body) // the marker is only part of a line
	}
	return start
}
