package alchemist

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"

	"agentdungeon/server/inspect"
)

// What makes a hot spot: so many commits and lines at least, and so many times what
// nine of ten files stay below. At most hottest are told.
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
		Looks: "the long source files that far more commits change than the others",
		Rule:  "Medium if it has over 1,000 lines and a tenth of all commits change it, else low.",
		Run:   runHotSpots,
	}
}

// made are names of files that programs write again and again.
var made = inspect.Pattern(`(?i)([._-](gen|generated|pb|min|bundle)\.|generated|\.d\.ts$)`)

// sourceLangs are languages in which a long file that changes often is a burden.
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
	read := "all"
	if !whole {
		read = "the last"
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
			Severity: severity, Title: fmt.Sprintf("%s is long and changes more than the others", short(path.Base(s.f.Path))), Path: s.f.Path,
			Evidence: fmt.Sprintf("%s lines, changed by %d of %s %s commits; commits times lines are %s, nine of ten files have %s or less",
				count(s.lines), s.commits, read, count(all), count(s.weight), count(usual)),
			Why:    "Most work on the project goes through this file, and its length makes every such change slow to read and easy to get wrong.",
			Advice: "Find what the last changes had in common and move that part into a file of its own.",
			Same:   "hot",
		})
	}
	return ctx.Err()
}
