package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Limits of a check.
const (
	// SafetyTime ends a check that hangs. Counts limit the work of a check (maxRead, syntax.MaxNodes and the like), so
	// that a slow machine has the same findings: a check takes a small part of this time. If one reaches it, Result.Late
	// is set, and the whole review is incomplete. It is shorter than a turn of a review.
	SafetyTime = time.Minute
	// MaxPerCheck is the maximum number of findings of one check that are kept, the first ones in the order of Worse:
	// what costs most. Result.Left counts the further findings.
	MaxPerCheck = 12
)

// Result is the result of a check.
type Result struct {
	Check    *Check
	Findings []Finding // one for each cause, in the order of Worse
	Left     int       // findings beyond MaxPerCheck
	// Again has further findings whose IDs are in Findings, at other places. They count as further places of the same
	// causes.
	Again []Finding
	// Excused has the findings that the repository itself excuses (see Excuses).
	Excused []Excused
	// Err is the reason why the check could not examine everything, or nil.
	Err error
	// Late is set if the check was ended by SafetyTime. Its findings then depend on the machine.
	Late bool
}

// Told divides the findings into those that reports list and the candidates: findings of confidence Doubtful, which
// are only suspected until they are proved.
func (res *Result) Told() (stand, candidates []Finding) {
	// Candidates are last in the order of Worse.
	n := slices.IndexFunc(res.Findings, func(f Finding) bool { return f.Confidence == Doubtful })
	if n < 0 {
		return res.Findings, nil
	}
	return res.Findings[:n:n], res.Findings[n:]
}

// Excused is a finding that a line of the repository's ExcusesFile excuses, with that line's reason.
type Excused struct {
	Finding Finding
	Reason  string
}

// Run runs one check. It never panics, and it returns soon after ctx ends or SafetyTime is over. The result does not
// depend on the order in which the check reports its findings.
func Run(ctx context.Context, r *Repo, c *Check) *Result {
	res := Look(ctx, r, c)
	res.Fold()
	return res
}

// Look runs a check like Run, but its result has all findings: one for each ID, in the order of Worse.
func Look(ctx context.Context, r *Repo, c *Check) *Result {
	res := &Result{Check: c}
	var all []Finding
	all, res.Late, res.Err = Collect(ctx, r, c)
	res.sort(r, all)
	for i := range res.Findings {
		res.Findings[i].Patch = r.Patch(ctx, &res.Findings[i])
	}
	return res
}

// Collect runs a check like Run and returns everything that it reports, including findings with the same cause,
// excused findings, and those beyond MaxPerCheck. late and err are the fields of Result.
func Collect(ctx context.Context, r *Repo, c *Check) (all []Finding, late bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, SafetyTime)
	defer cancel()
	report := func(f Finding) {
		f.Check, f.Hero, f.CWE = c.ID, c.Hero, c.CWE
		f.Title, f.Evidence = Clip(f.Title, 100), Clip(f.Evidence, maxEvidence)
		f.Why, f.Advice = Clip(f.Why, 400), Clip(f.Advice, 400)
		f.Steps = shorten(f.Steps)
		f.Confidence = cmp.Or(f.Confidence, c.Confidence)
		r.doubt(&f)
		all = append(all, f)
	}
	err = guarded(ctx, r, c, report)
	if late = errors.Is(ctx.Err(), context.DeadlineExceeded); late {
		err = fmt.Errorf("the check took longer than %s", SafetyTime)
	}
	return all, late, err
}

// sort ranks the findings and divides them: excused findings go to res.Excused, the others to res.Findings. Of the
// findings with one ID it keeps the worst; the others go to res.Again.
func (res *Result) sort(r *Repo, all []Finding) {
	for i := range all {
		r.Rank(&all[i])
	}
	slices.SortFunc(all, total)
	excuses, vague := r.Excuses().Among(all)
	seen := map[string]bool{}
	for _, f := range all {
		id := f.ID()
		why, excused := excuses.For(&f)
		switch {
		case seen[id] && !excused:
			res.Again = append(res.Again, f)
		case seen[id]:
		case excused:
			res.Excused = append(res.Excused, Excused{f, why})
		default:
			if _, ok := vague.For(&f); ok {
				f.Why = Clip(f.Why, 400-len(unclear)) + unclear
			}
			res.Findings = append(res.Findings, f)
		}
		seen[id] = true
	}
}

// Fold merges the findings of each cause into the worst of them, and keeps the first MaxPerCheck of the merged
// findings. res.Left counts the others.
func (res *Result) Fold() {
	res.Findings = merge(res.Findings, res.Again)
	if over := len(res.Findings) - MaxPerCheck; over > 0 {
		res.Findings, res.Left = res.Findings[:MaxPerCheck], over
	}
}

// RunAgain runs a check only over the files that changed since the check ran last; before has the findings of that
// time, which RunAgain keeps for all other files. It runs the check over everything if the check is not Local, if
// before has MaxPerCheck findings or one that lists several places, or if the excuses changed.
func RunAgain(ctx context.Context, r *Repo, c *Check, changed []string, before []Finding) *Result {
	if !c.Local || len(before) >= MaxPerCheck || slices.ContainsFunc(before, merged) ||
		slices.Contains(changed, ExcusesFile) {
		return Run(ctx, r, c)
	}
	part := Look(ctx, r.Only(changed), c)
	all := part.Findings
	for _, f := range before {
		if r.File(f.Path) != nil && !slices.Contains(changed, f.Path) {
			all = append(all, f)
		}
	}
	part.Findings = nil
	part.sort(r, all)
	part.Fold()
	return part
}

func guarded(ctx context.Context, r *Repo, c *Check, report func(Finding)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the check failed: %v", p)
		}
	}()
	return c.Run(ctx, r, report)
}
