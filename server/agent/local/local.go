// Package local reviews a folder without a server and without a staged process. It runs all checks once and returns
// their findings in the form that server/report needs. It keeps no state, posts nothing to a realm, and decides
// nothing about exit codes. The command "agentdungeon review" calls it.
package local

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// Outcome is the result of a review.
type Outcome struct {
	Source   report.Source
	Coverage *world.Coverage
	// Whole is set if no check has stopped before it had examined everything, for example at a time limit.
	Whole bool
}

// From returns the number of findings of the given severity or a higher one. It does not count findings that are
// withdrawn or only suspected and, in a review of a change, those that are not new.
func (o *Outcome) From(severity string) (n int) {
	for _, f := range o.Source.World.Findings {
		if f.Stands() && o.Source.Change.Counts(f.ID) &&
			slices.Index(world.Severities, f.Severity) >= slices.Index(world.Severities, severity) {
			n++
		}
	}
	return n
}

// Review runs the checks over a repository. If the repository has a Base, the checks run over the base too, and the
// result is about the change since the base. Each time that a check has run, Review calls progress, unless it is
// nil, with the number of runs so far; two calls never overlap. The function Runs returns the number of all runs.
// version is the program's version.
func Review(ctx context.Context, r *inspect.Repo, checks []inspect.Check, version string, progress func(done int)) (
	*Outcome, error,
) {
	b := &collected{world: world.New(world.Realm{ID: "review", Name: r.Name})}
	var err error
	if r.Base != nil {
		err = b.since(ctx, r, checks, progress)
	} else {
		err = b.whole(ctx, r, checks, progress)
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	b.seen.Limits = append(b.seen.Limits, unread(r.Unread())...)
	b.world.Artifacts = []world.Artifact{{Name: report.CoverageArtifact, Coverage: &b.seen.Coverage}}
	return &Outcome{
		Source: report.Source{
			World: b.world, Land: landOf(r), Checks: checks, Version: version, Now: time.Now(), Change: b.change,
		},
		Coverage: &b.seen.Coverage, Whole: b.seen.Whole(),
	}, nil
}

// Runs returns the number of runs of checks in a review of r: each check runs once for the repository and, if there
// is a base, once for the base, unless it compares the two itself (inspect.Check.Since).
func Runs(r *inspect.Repo, checks []inspect.Check) (n int) {
	for i := range checks {
		if n++; r.Base != nil && !checks[i].Since {
			n++
		}
	}
	return n
}

// whole reviews the whole repository.
func (b *collected) whole(ctx context.Context, r *inspect.Repo, checks []inspect.Check, progress func(int)) error {
	results := runAll(checks, func(c *inspect.Check) *inspect.Result { return inspect.Run(ctx, r, c) }, progress)
	seen, err := r.Coverage(ctx, checks)
	if err != nil {
		return err
	}
	b.seen = seen
	var found []inspect.Finding
	for _, res := range results {
		b.seen.Limited(res)
		found = append(found, res.Findings...)
		b.excused(res.Excused)
	}
	b.found(found)
	return nil
}

// unread returns a sentence that names the files that were not read, with the reasons.
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

// landOf returns a world.Land (the map of a realm) that has only the numbers of files and folders of the
// repository.
func landOf(r *inspect.Repo) *world.Land {
	l := world.NewLand()
	dirs := map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		l.Map.Files, l.Map.Bytes = l.Map.Files+1, l.Map.Bytes+f.Size
		for _, d := range inspect.Upward(f.Dir()) {
			if d == "" || dirs[d] {
				break
			}
			dirs[d] = true
		}
	}
	l.Map.Folders = len(dirs)
	return l
}
