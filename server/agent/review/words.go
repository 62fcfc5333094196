package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
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
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins items: "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return countOf(n, noun) + " are"
}

func was(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

func mineAre(n int) string {
	if n == 1 {
		return "1 finding of mine is"
	}
	return fmt.Sprintf("%d findings of mine are", n)
}

func people(n int) string {
	if n == 1 {
		return "one person"
	}
	return fmt.Sprintf("%d people", n)
}

// name returns the name of a member in sentences.
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

// some lists the shown ones of n things.
func some(shown []string, n int) string {
	if n <= len(shown) {
		return list(shown)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), n-len(shown))
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

// weight is a name with a number.
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

func heaviestOf(m map[string]int, n int) []weight {
	out := make([]weight, 0, len(m))
	for name, k := range m {
		out = append(out, weight{name, k})
	}
	slices.SortFunc(out, func(a, b weight) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	return out[:min(n, len(out))]
}

// short returns a check's name as a word or two: "dropped error".
func short(c *inspect.Check) string {
	return strings.ReplaceAll(strings.TrimPrefix(c.ID, c.Hero+"/"), "-", " ")
}

// standing counts the findings that are not withdrawn.
func standing(n int) string {
	if n == 1 {
		return "1 finding stands"
	}
	return fmt.Sprintf("%d findings stand", n)
}
