package model

import "strings"

// marker is the last line by which a model without tools ends a stage.
const marker = "[DONE]"

// maxHeld limits what a markerFilter holds back, in bytes. A marker with more white space around it
// does not count.
const maxHeld = 256

// markerFilter passes a streamed text on, except a last line that is exactly the marker. It holds
// back what may become that line.
type markerFilter struct {
	held string
	some bool // some text was passed on, so what is held is not the beginning of the answer
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

// end returns the text that was held back, and whether it was followed by the marker.
func (f *markerFilter) end() (text string, done bool) {
	text, f.held = f.held, ""
	if strings.TrimSpace(text) == marker {
		return "", true
	}
	return text, false
}

// markerStart returns the position from which text may end with the marker's line: white space
// with a line break, or the beginning of the answer, then the marker or a prefix of it.
// Trailing white space counts too, because it may become that.
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
