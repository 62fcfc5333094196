package process

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// cut keeps at most limit bytes of s, never half a character, and says whether
// something is missing. Bytes that are not UTF-8 are replaced first, as JSON would.
func cut(s string, limit int) (string, bool) {
	return world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
}

// shares divides room among texts of these sizes: the short ones whole, the long
// ones equally.
func shares(sizes []int, room int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	out := make([]int, len(sizes))
	for k, i := range order {
		out[i] = max(min(sizes[i], room/(len(order)-k)), 0)
		room -= out[i]
	}
	return out
}

// quote sets a text apart from what is said about it: each line begins with "> ",
// so nothing in it can look like a heading of the prompt.
func quote(s string) string {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n ")
	return "> " + strings.ReplaceAll(s, "\n", "\n> ")
}

// firstSentence is the beginning of s up to the first full stop before a space or
// a line's end, and what follows it.
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
