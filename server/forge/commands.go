package forge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/server/skill"
)

// code formats a text of the repository or a person as inline code: on one line, without
// backticks. It returns "" for an empty text.
func code(s string) string {
	if s = line(strings.ReplaceAll(s, "`", ""), 120); s == "" {
		return ""
	}
	return "`" + s + "`"
}

// offered returns the repository's commands that a question may offer.
func offered(h hints.Hints) []hints.Command {
	var out []hints.Command
	for _, c := range h.Commands {
		if c.Run = line(c.Run, 120); c.Run != "" && len(out) < hints.MaxCommands {
			out = append(out, c)
		}
	}
	return out
}

// from returns where a command is defined.
func from(c hints.Command) string {
	if f := code(c.From); f != "" {
		return fmt.Sprintf("%s, from %s", code(c.Run), f)
	}
	return code(c.Run)
}

var program = regexp.MustCompile(`^[A-Za-z0-9._/-]*[A-Za-z0-9]$`)

var (
	word    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:_-]*$`)
	runners = []string{"run", "exec", "-m"}
)

// toolOf returns the permission to run a command: its program and first word, or what that runs,
// with any arguments.
func toolOf(run string) string {
	f := strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("()`'\"$;&|<>\\", r) {
			return ' '
		}
		return r
	}, run))
	if len(f) == 0 || !program.MatchString(f[0]) {
		return ""
	}
	tool := f[0]
	for _, w := range f[1:] {
		if sub := w == "-m"; !sub && (strings.HasPrefix(w, "-") || !word.MatchString(w)) {
			break
		}
		tool += " " + w
		if !slices.Contains(runners, w) { // "npm run" and "python -m" would allow everything
			break
		}
	}
	tool = "Bash(" + tool + ":*)"
	if !skill.ValidTool(tool) {
		return ""
	}
	return tool
}
