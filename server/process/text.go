package process

import (
	"strings"

	"agentdungeon/server/brief"
)

// cut cuts artifacts and words as the prompt builder does.
func cut(s string, limit int) (string, bool) { return brief.Cut(s, limit) }
func shares(sizes []int, room int) []int     { return brief.Shares(sizes, room) }

// firstSentence returns s up to the first full stop before a space or the end of a line.
func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
		if strings.ContainsRune(".!?", r) && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') {
			return s[:i+1]
		}
	}
	return s
}
