package forge

import (
	"fmt"
	"strings"
	"unicode/utf8"

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

// quote returns the beginning of a text in quotation marks.
func quote(s string) string { return "“" + short(s) + "”" }

// short returns a text for the middle of a sentence: on one line, without the full stop at its end, and cut to about 80
// characters.
func short(s string) string {
	s = strings.TrimRight(line(s, 1000), ".!? ")
	if utf8.RuneCountInString(s) <= 80 {
		return s
	}
	words := []rune(s)[:80]
	cut := string(words)
	if i := strings.LastIndex(cut, " "); i > 40 {
		cut = cut[:i]
	}
	return cut + " ..."
}

// The function inline formats a text for one line of Markdown, so that it creates no link, no HTML and no unclosed
// code.
func inline(s string) string {
	s = strings.NewReplacer("](", "]\\(", "<", "\\<").Replace(line(s, 2*maxStep))
	if strings.Count(s, "`")%2 == 1 {
		s = strings.ReplaceAll(s, "`", "'")
	}
	return s
}

// mild formats a text of several lines so that it makes no heading, quote, link or code block.
func mild(s string) string {
	lines := strings.Split(tidy(s, maxPurpose), "\n")
	for i, l := range lines {
		l = strings.NewReplacer("](", "]\\(", "<", "\\<", "```", "'''", "~~~", "'''").Replace(strings.TrimSpace(l))
		if l != "" && (l[0] == '#' || l[0] == '>' || strings.HasPrefix(l, "---") || strings.HasPrefix(l, "===")) {
			l = "\\" + l
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

// fencedList returns a code block for each text.
func fencedList(texts []string) string { return strings.Join(mapped(texts, skill.Fenced), "\n\n") }

func bulletList(items []string) string { return bullets(mapped(items, inline)) }

// bullets returns lines, which are Markdown already, as a list.
func bullets(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "- " + strings.Join(lines, "\n- ")
}

func numberedList(items []string) string {
	var out []string
	for i, item := range items {
		out = append(out, fmt.Sprintf("%d. %s", i+1, inline(item)))
	}
	return strings.Join(out, "\n")
}
