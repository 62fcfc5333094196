package local

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/change"
	"agentdungeon/server/report"
)

// maxMended is how many of the findings that the change has removed a report lists. It only counts the others.
const maxMended = 50

// since reviews what has changed since r.Base. It runs the checks over the base first and then removes the base
// from memory, so that the two are never in memory together.
func (b *collected) since(ctx context.Context, r *inspect.Repo, checks []inspect.Check, progress func(int)) error {
	done := 0
	var step func(int)
	if progress != nil {
		step = func(n int) { progress(done + n) }
	}
	old := slices.Clone(checks)
	old = slices.DeleteFunc(old, func(c inspect.Check) bool { return c.Since })
	before := map[string]*inspect.Result{}
	for _, res := range runAll(old, look(ctx, r.Base.Tree(), paths(r.Base, true)), step) {
		before[res.Check.ID] = res
	}
	done = len(old)
	results := runAll(checks, look(ctx, r, paths(r.Base, false)), step)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	seen, err := r.Only(r.Base.Changed).Coverage(ctx, checks)
	if err != nil {
		return err
	}
	seen.Limits = append(seen.Limits, r.Left...)
	b.seen = seen
	b.sort(change.Of(ctx, r), r.Base, results, before, func(f *inspect.Finding) string { return r.Patch(ctx, f) })
	return nil
}

// paths returns the paths of the files that differ between the base and the folder: their paths in the base if was
// is set, else their present paths. If the file of accepted findings differs, it returns nil, which means all
// files, because a finding in any file may have been accepted or not accepted any more.
func paths(b *inspect.Base, was bool) []string {
	switch {
	case slices.Contains(b.Changed, inspect.ExcusesFile) || slices.Contains(b.Gone, inspect.ExcusesFile):
		return nil
	case was:
		return slices.Concat(slices.Collect(maps.Values(b.Was)), b.Gone)
	}
	return b.Changed
}

// look returns a function that runs a check. If paths is not nil, a local check (inspect.Check.Local) runs only over
// the files with these paths.
func look(ctx context.Context, r *inspect.Repo, paths []string) func(*inspect.Check) *inspect.Result {
	part := r
	if paths != nil {
		part = r.Only(paths)
	}
	return func(c *inspect.Check) *inspect.Result {
		if c.Local {
			return inspect.Look(ctx, part, c)
		}
		return inspect.Look(ctx, r, c)
	}
}

// sort divides the findings of the checks into new, old, mended (they are in the base only) and excused ones, and
// adds them to the results. The new and the old ones get their patches.
func (b *collected) sort(code *change.Code, base *inspect.Base, results []*inspect.Result,
	before map[string]*inspect.Result, patch func(*inspect.Finding) string,
) {
	marks := map[string]inspect.Mark{}
	var fresh, old, mended []inspect.Finding
	for _, res := range results {
		was := before[res.Check.ID]
		found := code.Sort(res, was, marks)
		fresh, old = append(fresh, found.New...), append(old, found.Old...)
		mended = append(mended, found.Mended...)
		b.excused(found.Excused)
		b.seen.Limited(&inspect.Result{Check: res.Check, Left: found.Left, Err: res.Err})
		if was != nil && was.Err != nil && (res.Err == nil || was.Err.Error() != res.Err.Error()) {
			b.seen.Limits = append(b.seen.Limits, fmt.Sprintf("%s: the base was not looked at to the end, so a finding "+
				"may be older than the change: %v.", inspect.KindOf(res.Check.ID), was.Err))
		}
	}
	for _, list := range [][]inspect.Finding{fresh, old} {
		for i := range list {
			list[i].Patch = patch(&list[i])
		}
		b.found(list)
	}
	c := &report.Change{
		Rev: base.Rev, Commit: base.Commit, Files: len(base.Changed) + len(base.Gone), Marks: marks,
	}
	mended = distinct(mended)
	c.Mended = len(mended)
	for _, f := range mended[:min(len(mended), maxMended)] {
		c.Shown = append(c.Shown, *report.Found(&f))
	}
	b.change = c
}
