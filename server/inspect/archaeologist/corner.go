package archaeologist

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/server/inspect"
)

func stillCorners() inspect.Check {
	return inspect.Check{
		ID: hero + "/still-corner", Hero: hero,
		Looks: "source files that nobody has touched for two years in a folder where everything else moves",
		Rule:  "Always info.",
		Run:   findCorners,
	}
}

const (
	still   = 2 * year
	lately  = 120 * 24 * time.Hour
	minBusy = 5 // files of the folder that changed recently
)

func findCorners(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	if r.History == nil {
		return nil
	}
	type corner struct {
		quiet []*inspect.File
		busy  int
		all   int
	}
	dirs := map[string]*corner{}
	for i := range r.Files {
		f := &r.Files[i]
		past, ok := r.History.Past(f.Path)
		if !ok || f.Test || f.Vendored || !source[f.Lang] || f.Base() == "doc.go" || r.Generated(f) || ctx.Err() != nil {
			continue
		}
		c := dirs[f.Dir()]
		if c == nil {
			c = &corner{}
			dirs[f.Dir()] = c
		}
		c.all++
		switch age := r.Now.Sub(past.Last); {
		case age > still:
			c.quiet = append(c.quiet, f)
		case age < lately:
			c.busy++
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		c := dirs[dir]
		// Skip a folder without unchanged files, and a folder that is not busy: fewer than minBusy or less than half of
		// its files changed lately, or more than a third of them are unchanged.
		if c.busy < minBusy || len(c.quiet) == 0 || len(c.quiet)*3 > c.all || c.busy*2 < c.all {
			continue
		}
		var list []string
		for _, f := range c.quiet {
			past, _ := r.History.Past(f.Path)
			list = append(list, fmt.Sprintf("%s, %d commits, the last on %s", f.Path, past.Commits, past.Last.UTC().Format(time.DateOnly)))
		}
		name := dir
		if name == "" {
			name = "the root"
		}
		tell(inspect.Finding{
			Severity: inspect.Info, Path: c.quiet[0].Path, Evidence: some(list, 4),
			Title:  inspect.Clip(fmt.Sprintf("%s of %s unchanged for two years while %d changed lately", plural(len(c.quiet), "file", "files"), name, c.busy), 100),
			Why:    "Code that nobody has changed for so long is finished or forgotten, and perhaps nobody knows it any more.",
			Advice: "Look through it once before the next change depends on it.",
			Same:   dir,
		})
	}
	return ctx.Err()
}

var source = map[string]bool{"Go": true, "JavaScript": true, "TypeScript": true, "TSX": true, "JSX": true, "Python": true, "Java": true, "C": true, "C++": true, "C#": true, "Rust": true, "Ruby": true, "PHP": true, "Kotlin": true, "Swift": true}
