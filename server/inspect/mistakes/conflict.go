package mistakes

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func conflicts() inspect.Check {
	return inspect.Check{
		ID: "cartographer/conflict-marker", Hero: "cartographer", Local: true,
		Looks: "the marks of a merge that nobody finished",
		Rule:  "High in code and in what programs read, medium in prose.",
		Run:   runConflicts,
	}
}

// readByPrograms has languages of data, which a program reads.
var readByPrograms = []string{
	"JSON", "YAML", "TOML", "XML", "HTML", "CSS", "SCSS", "SQL", "Dockerfile", "Makefile", "INI",
}

var (
	ours   = []byte("<<<<<<< ")
	theirs = []byte(">>>>>>> ")
)

func runConflicts(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	for f, data := range r.All(ctx) {
		if f.Test || !bytes.Contains(data, ours) || !bytes.Contains(data, theirs) || path.Ext(f.Path) == ".rej" ||
			isPatch(f) {
			continue
		}
		if f.Lang == "Go" && r.Go(ctx).Broken[f.Path] == nil {
			continue // the file parses, so the marks are in a string or a comment
		}
		lines, n := marks(f, data)
		if n == 0 {
			continue
		}
		severity, why := inspect.Medium, "Both sides of the conflict are in the text, and every reader must guess which "+
			"one holds."
		if inspect.IsCode(f.Lang) || slices.Contains(readByPrograms, f.Lang) {
			severity, why = inspect.High, "Both sides of the conflict are in the file, and no program can read it."
		}
		conflicts := "one conflict"
		if n > 1 {
			conflicts = inspect.Count(n) + " conflicts, the first"
		}
		report(inspect.Finding{
			Severity: severity, Title: inspect.Clip(f.Base(), 48) + " holds the marks of an unfinished merge", Path: f.Path,
			Line: lines[0],
			Evidence: conflicts + " from line " + inspect.Count(lines[0]) + " to " + inspect.Count(lines[1]) + ": " +
				inspect.Line(data, lines[0]),
			Why:    why,
			Advice: "Choose one side of each conflict and delete the marks.",
			Same:   "conflict",
		})
	}
	return ctx.Err()
}

func isPatch(f *inspect.File) bool {
	ext := path.Ext(f.Path)
	return ext == ".patch" || ext == ".diff"
}

// marks returns the first and the last line of the first merge conflict in a file, and the number of conflicts. All
// three marks of a conflict must be at the beginning of lines, in order, and outside quotations such as a fence in
// Markdown or a string over several lines.
func marks(f *inspect.File, data []byte) (first [2]int, n int) {
	var fenced, middle bool
	from := 0
	quotes := 0
	for i, line := range inspect.Lines(data) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		switch {
		case strings.HasPrefix(line, string(ours)) && len(strings.TrimSpace(line)) > len(ours)-1 && !fenced && quotes%2 == 0:
			from, middle = i, false
		case line == "=======" && from > 0:
			middle = true
		case strings.HasPrefix(line, string(theirs)) && from > 0 && middle:
			if n == 0 {
				first = [2]int{from, i}
			}
			n++
			from = 0
		}
		switch f.Lang {
		case "Python":
			quotes += strings.Count(line, `"""`) + strings.Count(line, `'''`)
		case "JavaScript", "TypeScript", "TSX", "Vue", "Svelte":
			quotes += strings.Count(line, "`")
		case "Shell", "Perl", "Ruby", "PHP":
			if strings.Contains(line, "<<") && !strings.HasPrefix(line, "<<<<") {
				return first, n // a here-document can quote conflict marks in the rest of the file
			}
		}
	}
	return first, n
}
