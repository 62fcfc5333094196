package skill

import (
	"strings"

	"agentdungeon/shared/world"
)

// Told is what an agent is told of a skill in at most limit bytes: its instructions, and
// the texts that they name, because who is told it has no folder to open them in. Of a
// file for which there is no room it is told so.
func Told(body string, files map[string]string, limit int) string {
	out, cut := world.Cut(body, limit)
	if cut {
		return out
	}
	for _, p := range Named(body) {
		text := strings.TrimSpace(files[p])
		if text == "" {
			continue
		}
		if strings.HasPrefix(p, "scripts/") {
			text = Fenced(text)
		}
		head := "\n\n## " + p + "\n\n"
		if len(out)+len(head)+len(text) > limit {
			text = "(There is no room for it here.)"
		}
		if len(out)+len(head)+len(text) <= limit {
			out += head + text
		}
	}
	return out
}

// Fenced is a block of code whose fence is longer than any in the text.
func Fenced(s string) string {
	longest, run := 2, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	mark := strings.Repeat("`", longest+1)
	return mark + "\n" + s + "\n" + mark
}
