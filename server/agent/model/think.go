package model

import "strings"

// Tags that some models write around their thoughts. Some servers leave these tags in the answer. Only a tag at the
// beginning of an answer begins a thought; a later tag may be a quotation.
const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// thoughtSplitter separates the thoughts at the beginning of an answer from the words after them. It holds back text
// that may become a tag.
type thoughtSplitter struct {
	at   splitterState
	held string
}

type splitterState int

const (
	beforeThought splitterState = iota // only white space has come
	inThought
	afterThought // the closing tag has come; white space after it is dropped
	inWords
)

func (k *thoughtSplitter) push(text string) (words, thought string) {
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

// rest returns the text that the splitter still held back when the answer ended.
func (k *thoughtSplitter) rest() (words, thought string) {
	text := k.held
	k.held = ""
	if k.at == inThought {
		return "", text
	}
	return text, ""
}
