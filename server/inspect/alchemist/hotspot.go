package alchemist

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"

	"agentdungeon/server/inspect"
)

// Limits of a hot spot: at least hotCommits commits, at least hotLines lines, and a product of these two numbers that
// is at least hotTimes times the product which nine in ten files do not exceed. The constant hottest is the maximum
// number of hot spots that the check reports.
const (
	hotCommits = 15
	hotLines   = 400
	hotTimes   = 4
	leastFiles = 20
	hottest    = 3
)

func hotSpots() inspect.Check {
	return inspect.Check{
		ID: "alchemist/hot-spot", Hero: hero,
		Looks: "long source files that many commits change, by commits times lines",
		Rule:  "Medium if it has over 1,000 lines and a tenth of all commits change it, else low.",
		Run:   runHotSpots,
	}
}

// made matches the names of generated files.
var made = inspect.Pattern(`(?i)([._-](gen|generated|pb|min|bundle)\.|generated|\.d\.ts$)`)

// sourceLangs lists languages in which a long file that changes often is a burden.
var sourceLangs = []string{
	"Go", "TypeScript", "TSX", "JavaScript", "JSX", "Vue", "Svelte", "Python", "Java", "Kotlin", "Scala", "C", "C++", "C#", "Objective-C", "Swift",
	"Rust", "Zig", "Ruby", "PHP", "Perl", "Lua", "Dart", "Elixir", "Erlang", "Haskell", "Shell", "CSS", "SCSS",
}

func runHotSpots(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	if r.History == nil {
		return nil
	}
	type spot struct {
		f              *inspect.File
		commits, lines int
		weight         int
	}
	var spots []spot
	for f, data := range r.All(ctx, sourceLangs...) {
		if f.Test || made.MatchString(f.Path) {
			continue
		}
		past, ok := r.History.Past(f.Path)
		if !ok {
			continue
		}
		lines := bytes.Count(data, []byte("\n"))
		spots = append(spots, spot{f, past.Commits, lines, past.Commits * lines})
	}
	if len(spots) < leastFiles {
		return ctx.Err()
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return b.weight - a.weight })
	usual := max(1, spots[len(spots)/10].weight)
	all, whole := r.History.Commits()
	read := "all " + count(all) + " commits"
	if !whole {
		read = "the newest " + count(all) + " commits, that were read"
	}
	for _, s := range spots[:hottest] {
		if s.commits < hotCommits || s.lines < hotLines || s.weight < hotTimes*usual {
			continue
		}
		severity := inspect.Low
		if s.lines > 1000 && s.commits*10 >= all {
			severity = inspect.Medium
		}
		report(inspect.Finding{
			Severity: severity, Title: short(path.Base(s.f.Path)) + " is long and changes often", Path: s.f.Path,
			Evidence: fmt.Sprintf("%s lines, changed under this name by %d of %s; commits times lines are %s, of nine in ten of the %s source files with commits %s or less",
				count(s.lines), s.commits, read, count(s.weight), count(len(spots)), count(usual)),
			Why:    "Everybody who changes it or reads a change has to search all of its lines each time.",
			Advice: "Find what the last changes had in common and move that part into a file of its own.",
			Same:   "hot",
		})
	}
	return ctx.Err()
}
