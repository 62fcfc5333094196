package keeper

import (
	"strings"

	"agentdungeon/shared/wire"
)

// nameOf makes a realm's name from text, which is the name of a folder or a problem. The name is the first line of
// text, cut to the maximum length; a space replaces each character that a name must not contain.
func nameOf(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
	name := []rune{}
	for _, r := range text {
		if len(name) == wire.MaxName {
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
