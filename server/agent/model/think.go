package model

import "strings"

// What some models write around their thoughts where their server leaves them in the
// answer. Only an answer's beginning counts: later the words may be what is talked about.
const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// thinker tells the thoughts at an answer's beginning from its words. It holds back what
// may become one of the two marks, at most the mark's length beside white space.
type thinker struct {
	at   thinkerState
	held string
}

type thinkerState int

const (
	beforeThought thinkerState = iota // nothing but white space has come
	inThought
	afterThought // the mark has ended; white space does not count yet
	inWords
)

func (k *thinker) push(text string) (words, thought string) {
	if k.at == inWords {
		return text, ""
	}
	text = k.held + text
	k.held = ""
	if k.at == beforeThought {
		body := strings.TrimLeft(text, " \t\r\n")
		switch {
		case strings.HasPrefix(body, thinkBegin):
			k.at, text = inThought, body[len(thinkBegin):]
		case strings.HasPrefix(thinkBegin, body) && len(text) <= maxHeld:
			k.held = text
			return "", ""
		default:
			k.at = inWords
			return text, ""
		}
	}
	if k.at == inThought {
		before, after, ended := strings.Cut(text, thinkEnd)
		if !ended {
			keep := min(len(text), len(thinkEnd)-1)
			for keep > 0 && !strings.HasPrefix(thinkEnd, text[len(text)-keep:]) {
				keep--
			}
			k.held = text[len(text)-keep:]
			return "", text[:len(text)-keep]
		}
		k.at, thought, text = afterThought, before, after
	}
	if words = strings.TrimLeft(text, " \t\r\n"); words != "" {
		k.at = inWords
	}
	return words, thought
}

// rest gives what was held back, at the end.
func (k *thinker) rest() (words, thought string) {
	text := k.held
	k.held = ""
	if k.at == inThought {
		return "", text
	}
	return text, ""
}
