package review

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// where formats the place of a finding for people.
func where(path string, line int) string {
	switch {
	case path == "":
		return "the whole repository"
	case line > 0:
		return fmt.Sprintf("%s:%d", path, line)
	}
	return path
}

// countOf formats a number with its noun: "1 file", "3 files".
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y && !strings.ContainsAny(stem[len(stem)-1:], "aeou") {
		noun = stem + "ie"
	}
	return inspect.Count(n) + " " + noun + "s"
}

// list joins items: "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// plural returns one if n is 1; otherwise it returns many with n in place of %d.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return strings.Replace(many, "%d", inspect.Count(n), 1)
}

// are formats a number with its noun and verb: "1 quest is", "3 quests are".
func are(n int, noun string) string {
	if n == 1 {
		return countOf(n, noun) + " is"
	}
	return countOf(n, noun) + " are"
}

// name returns the name of a role for use in a sentence.
func name(role string) string {
	if role == "" {
		return "somebody"
	}
	return "the " + upper(role)
}

// upper raises the first letter of a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func under(dir string) string {
	if dir == "" {
		return ""
	}
	return " under " + dir
}

// some lists the first n items and counts the others: "a, b and 3 more".
func some(items []string, n int) string {
	if len(items) <= n {
		return list(items)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:n], ", "), len(items)-n)
}

// most is the maximum number of items that a list in an answer names.
const most = 8

// listed lists the first items and counts the others: "a; b; and 3 more".
func listed(items []string) string {
	text := strings.Join(first(items, most), "; ")
	if more := len(items) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// severities formats numbers of findings by severity: "1 critical, 2 medium and 4 low".
func severities(counts map[string]int) string {
	var parts []string
	for _, s := range slices.Backward(world.Severities) {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return list(parts)
}

func first(items []string, n int) []string { return items[:min(n, len(items))] }

func label(dir string) string {
	switch dir {
	case "":
		return "The whole repository"
	case ".":
		return "The root"
	}
	return dir
}

func topOf(p string) string {
	if p == "" {
		return ""
	}
	if top, _, below := strings.Cut(p, "/"); below {
		return top
	}
	return path.Dir(p)
}

func dirOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// weight is a name with the number by which it is ranked.
type weight struct {
	name string
	n    int
}

func (w weight) label() string {
	if w.name == "" {
		return "the root"
	}
	return w.name
}

// heaviestOf returns the n names with the largest numbers, the largest first.
func heaviestOf(m map[string]int, n int) []weight {
	out := make([]weight, 0, len(m))
	for name, k := range m {
		out = append(out, weight{name, k})
	}
	slices.SortFunc(out, func(a, b weight) int { return cmp.Or(b.n-a.n, strings.Compare(a.name, b.name)) })
	return out[:min(n, len(out))]
}

// heaviestNames returns the names of heaviestOf.
func heaviestNames(m map[string]int, n int) []string {
	var out []string
	for _, w := range heaviestOf(m, n) {
		out = append(out, w.name)
	}
	return out
}

// amounts formats weights with a noun: "docs (3 files)", or without one: "docs (3)".
func amounts(weights []weight, noun string) []string {
	var out []string
	for _, w := range weights {
		amount := fmt.Sprint(w.n)
		if noun != "" {
			amount = countOf(w.n, noun)
		}
		out = append(out, fmt.Sprintf("%s (%s)", w.label(), amount))
	}
	return out
}

// short names in a few words what a check finds: "ignored error".
func short(c *inspect.Check) string {
	return inspect.KindOf(c.ID)
}

// lineOf returns the number of the line at an offset.
func lineOf(data []byte, at int) int { return 1 + bytes.Count(data[:at], []byte("\n")) }

// clipWords returns the first n words of a text, with "…" if there are more.
func clipWords(text string, n int) string {
	words := strings.Fields(text)
	if len(words) <= n {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:n], " ") + "…"
}

// ended returns the text with a full stop at its end, unless the text already ends like a sentence.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "…") || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// importedAs returns what an import of a file names: in Go its package, in the other languages the file itself.
func importedAs(f *inspect.File) string {
	if f.Lang == "Go" {
		return "the package of " + f.Path
	}
	return f.Path
}
