// Package local reviews a folder without a server and without a process: it runs all checks once and returns what they
// found in the form from which server/report makes reports. It keeps no state, posts nothing to a realm, and decides
// nothing about exit codes; the command "agentdungeon review" calls it.
package local

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// workers is how many checks run at a time.
const workers = 2

// Outcome is what a review has found.
type Outcome struct {
	Source   report.Source
	Coverage *inspect.Coverage
}

// From returns the number of findings of a severity and of higher ones that stand.
func (o *Outcome) From(severity string) (n int) {
	for _, f := range o.Source.World.Findings {
		if f.Stands() &&
			slices.Index(world.Severities, f.Severity) >= slices.Index(world.Severities, severity) {
			n++
		}
	}
	return n
}

// Review runs the checks over a repository. It calls progress, unless that is nil, with the number of checks that are
// done, one call at a time. version is the program's version.
func Review(ctx context.Context, r *inspect.Repo, checks []inspect.Check, version string, progress func(done int)) (
	*Outcome, error,
) {
	results := runAll(ctx, r, checks, progress)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen, err := r.Coverage(ctx, checks)
	if err != nil {
		return nil, err
	}
	var found []inspect.Finding
	w := world.New(world.Realm{ID: "review", Name: r.Name})
	for _, res := range results {
		seen.Limited(res)
		found = append(found, res.Findings...)
		for _, e := range res.Excused {
			f := report.Found(&e.Finding)
			f.Withdrawn = "accepted in " + inspect.ExcusesFile + ": " + e.Reason
			w.Findings = append(w.Findings, *f)
		}
	}
	for _, f := range distinct(found) {
		w.Findings = append(w.Findings, *report.Found(&f))
	}
	seen.Limits = append(seen.Limits, unread(r.Unread())...)
	data, err := json.Marshal(seen)
	if err != nil {
		return nil, err
	}
	w.Artifacts = []world.Artifact{{Name: report.CoverageArtifact, Text: string(data)}}
	return &Outcome{
		Source:   report.Source{World: w, Land: landOf(r), Checks: checks, Version: version, Now: time.Now()},
		Coverage: seen,
	}, nil
}

// unread returns a sentence that names files that were not read, with the reasons.
func unread(files map[string]string) []string {
	const named = 10
	var names []string
	for _, p := range slices.Sorted(maps.Keys(files)) {
		names = append(names, fmt.Sprintf("%s (%s)", p, files[p]))
	}
	switch more := len(names) - named; {
	case len(names) == 0:
		return nil
	case more > 0:
		names = append(names[:named], fmt.Sprintf("and %d more", more))
	}
	return []string{"Not read: " + strings.Join(names, ", ") + "."}
}

// runAll returns the results of the checks in the order of the checks.
func runAll(ctx context.Context, r *inspect.Repo, checks []inspect.Check, progress func(int)) []*inspect.Result {
	results := make([]*inspect.Result, len(checks))
	next := make(chan int)
	var work sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range workers {
		work.Go(func() {
			for i := range next {
				results[i] = inspect.Run(ctx, r, &checks[i])
				mu.Lock()
				if done++; progress != nil {
					progress(done)
				}
				mu.Unlock()
			}
		})
	}
	for i := range checks {
		next <- i
	}
	close(next)
	work.Wait()
	return results
}

// distinct returns the findings, the worst first, without those that have the cause or the line of a worse one, as the
// heroes of a review fold theirs.
func distinct(all []inspect.Finding) (out []inspect.Finding) {
	slices.SortStableFunc(all, func(a, b inspect.Finding) int {
		return cmp.Or(inspect.Worse(a, b), strings.Compare(a.ID(), b.ID()))
	})
	type place struct {
		path      string
		line      int
		candidate bool
	}
	causes, lines := map[string]bool{}, map[place]string{} // lines: the hero of the worst finding there
	for _, f := range all {
		at := place{f.Path, f.Line, f.Confidence == inspect.Doubtful}
		switch hero, taken := lines[at]; {
		case f.Cause.Key != "" && causes[f.Cause.Key]:
			continue
		case f.Cause.Key == "" && f.Line > 0 && taken && hero != f.Hero:
			continue
		}
		causes[f.Cause.Key] = f.Cause.Key != ""
		if _, taken := lines[at]; !taken {
			lines[at] = f.Hero
		}
		out = append(out, f)
	}
	return out
}

// parent returns the folder above a folder, "" for the root.
func parent(dir string) string { return dir[:max(0, strings.LastIndexByte(dir, '/'))] }

// landOf counts the files of a repository.
func landOf(r *inspect.Repo) *world.Land {
	l := world.NewLand()
	dirs := map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		l.Map.Files, l.Map.Bytes = l.Map.Files+1, l.Map.Bytes+f.Size
		for d := f.Dir(); d != "" && !dirs[d]; d = parent(d) {
			dirs[d] = true
		}
	}
	l.Map.Folders = len(dirs)
	return l
}
