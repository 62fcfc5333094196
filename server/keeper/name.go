package keeper

import (
	"strings"

	"agentdungeon/shared/wire"
)

// nameOf makes a realm's name from text, which is the name of a folder or a problem. The name is the first line of
// text; a space replaces each character that a name must not contain. A line that is too long is cut, after a word if
// its second half has one, and ends with an ellipsis.
func nameOf(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
	name := []rune{}
	for _, r := range text {
		if len(name) == wire.MaxName {
			name = shortened(name)
			break
		}
		if !wire.ValidName("a" + string(r)) {
			r = ' '
		}
		name = append(name, r)
	}
	if !wire.ValidName(string(name)) {
		return "realm"
	}
	return string(name)
}

// shortened cuts a name of the maximum length, after a word if its second half has one, and adds an ellipsis.
func shortened(name []rune) []rune {
	name = name[:len(name)-1]
	for i := len(name) - 1; i > len(name)/2; i-- {
		if name[i] == ' ' {
			name = name[:i]
			break
		}
	}
	return append(name, '…')
}
