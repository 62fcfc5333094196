package model

import "strings"

// marker is the last line with which a model that has no tools says that a stage is
// done.
const marker = "[DONE]"

// maxHeld bounds what a finisher holds back: a marker with more white space about it is
// none.
const maxHeld = 256

// finisher lets a streamed text through but for a last line that is exactly the marker.
// It holds back what may become that line.
type finisher struct {
	held string
	some bool // text has gone out: what is held is no begin of a text
}

func (f *finisher) push(text string) string {
	text = f.held + text
	at := markerStart(text, f.some)
	if len(text)-at > maxHeld {
		at = len(text)
	}
	f.held, f.some = text[at:], f.some || at > 0
	return text[:at]
}

// end gives what was held back and is text, and whether the marker stood there.
func (f *finisher) end() (text string, done bool) {
	text, f.held = f.held, ""
	if strings.TrimSpace(text) == marker {
		return "", true
	}
	return text, false
}

// markerStart is where the end of text begins that may be the marker's line: white
// space with a line break in it, or the answer's begin (not after other text), then the marker or a beginning of
// it. White space at the end alone may become that too.
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
		return len(body) // the word stands in a line with others
	}
	return start
}
