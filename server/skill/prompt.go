package skill

import (
	"strings"

	"agentdungeon/shared/world"
)

// ForPrompt returns the text about a skill for an agent's prompt, at most limit bytes: its instructions and the
// files that they name, because the agent has no folder in which to open them. A sentence replaces a file
// that does not fit.
func ForPrompt(body string, files map[string]string, limit int) string {
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

// Fenced returns a code block whose fence is longer than any fence in the text.
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
