package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var (
	asksHow = inspect.Pattern(`(?i)\bhow\b.*\b(run|start|launch|build|compile|install|set ?up|deploy|execute)\b.*\b` +
		`(it|this|that|here|the (project|program|code|app|application|server|tool|repo|repository|thing))\b|` +
		`\bhow (do|can|should|could|would|to)\b.*\b(run|build|install|compile|deploy) ?\W*$`)
	// howTo matches the heading of a section that says how to install, build or run a program.
	howTo = inspect.Pattern(`(?i)\b(install(ing|ation)?|set(ting)?[ -]?up|build(ing)?|compil(e|ing)|run(ning)?|usage|` +
		`quick ?start|getting started|start(ing)?|deploy(ing|ment)?|develop(ing|ment))\b`)
	heading   = inspect.Pattern(`^#{1,4}\s+(.+?)\s*#*$`)
	underline = inspect.Pattern(`^(=+|-+|~+)$`)
	prompt    = inspect.Pattern(`^(\$|>|%)\s+`)
)

// A section is a part of a document. at is its place, and command the first line of its first code block, "" for none.
type section struct{ title, at, command string }

// usage says which sections of the documents say how to install, build and run the program. Without one it says where
// its programs begin.
func (t guide) usage() (string, bool, error) {
	repo := t.review.repo
	c := count(repo)
	var found []section
	for _, p := range slices.Compact([]string{c.readme, guideOf(repo)}) {
		if data, ok := repo.Text(p); p != "" && ok {
			found = append(found, sections(p, data)...)
		}
	}
	if len(found) == 0 {
		text := "No README here has a section that says how to run it."
		if e := entries(repo, c); len(e) > 0 {
			text += " Programs begin at " + list(first(e, 2)) + "."
		}
		return text, true, t.ctx.Err()
	}
	found = found[:min(len(found), 3)]
	var names []string
	command := ""
	for _, s := range found {
		names = append(names, fmt.Sprintf("%s (%s)", s.title, s.at))
		if command == "" && s.command != "" {
			command = fmt.Sprintf(" The first command there is `%s`.", s.command)
		}
	}
	p, _, _ := strings.Cut(found[0].at, ":")
	t.walk(p)
	return "Read " + list(names) + "." + command, true, t.ctx.Err()
}

// sections returns the sections of a document that say how to install, build or run a program.
func sections(p string, data []byte) (out []section) {
	inside, fenced, before := false, false, ""
	for n, line := range inspect.Lines(data) {
		text := strings.TrimSpace(line)
		fence := strings.HasPrefix(text, "```")
		title, at := "", n
		if m := heading.FindStringSubmatch(line); m != nil && !fenced {
			title = m[1]
		} else if before != "" && underline.MatchString(text) && path.Ext(p) != ".md" {
			title, at = before, n-1
		}
		switch {
		case title != "":
			if inside = howTo.MatchString(title); inside {
				out = append(out, section{title: clipWords(title, 8), at: where(p, at)})
			}
		case inside && out[len(out)-1].command == "" && text != "" && !fence && (fenced || isIndented(line)):
			out[len(out)-1].command = inspect.Clip(prompt.ReplaceAllString(text, ""), 80)
		}
		if fence {
			fenced = !fenced
		}
		before = text
	}
	return out
}

// isIndented reports whether a line of a document is code because of its indentation.
func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}
