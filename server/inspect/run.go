package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of a check.
const (
	// SafetyTime ends a check that hangs. Counts limit the work of a check (maxRead, lex.MaxCalls and the like), so that
	// a slow machine has the same findings: a check takes a small part of this time. If one reaches it, Result.Late is
	// set, and the whole review is incomplete. It is shorter than a turn of a review.
	SafetyTime = time.Minute
	// MaxPerCheck is the maximum number of findings of one check that are kept, the first ones in the order of Worse.
	// Result.Left counts the further findings.
	MaxPerCheck = 12
)

// Result is the result of a check.
type Result struct {
	Check    *Check
	Findings []Finding // sorted by severity, path and line
	Left     int       // findings beyond MaxPerCheck
	// Excused has the findings that the repository itself excuses (see Excuses).
	Excused []Excused
	// Err is the reason why the check could not examine everything, or nil.
	Err error
	// Late is set if the check was ended by SafetyTime. Its findings then depend on the machine.
	Late bool
}

// Excused is a finding that a line of the repository's ExcusesFile excuses, with that line's reason.
type Excused struct {
	Finding Finding
	Reason  string
}

// Run runs one check. It never panics, and it returns soon after ctx ends or SafetyTime is over. The result does not
// depend on the order in which the check reports its findings.
func Run(ctx context.Context, r *Repo, c *Check) *Result {
	ctx, cancel := context.WithTimeout(ctx, SafetyTime)
	defer cancel()
	res := &Result{Check: c}
	all := []Finding{}
	report := func(f Finding) {
		f.Check, f.Hero = c.ID, c.Hero
		f.Title, f.Evidence = Clip(f.Title, 100), Clip(f.Evidence, 600)
		f.Why, f.Advice = Clip(f.Why, 400), Clip(f.Advice, 400)
		all = append(all, f)
	}
	res.Err = guarded(ctx, r, c, report)
	if res.Late = errors.Is(ctx.Err(), context.DeadlineExceeded); res.Late {
		res.Err = fmt.Errorf("the check took longer than %s", SafetyTime)
	}
	res.sort(r.Excuses(), all)
	return res
}

// sort orders the findings and divides them: excused findings go to res.Excused, the first MaxPerCheck others to
// res.Findings; res.Left counts the findings beyond the limit. Of the findings with one ID it keeps the worst.
func (res *Result) sort(excuses Excuses, all []Finding) {
	slices.SortFunc(all, total)
	seen := map[string]bool{}
	for _, f := range all {
		id := f.ID()
		if seen[id] {
			continue
		}
		seen[id] = true
		if why, ok := excuses.For(&f); ok {
			res.Excused = append(res.Excused, Excused{f, why})
		} else {
			res.Findings = append(res.Findings, f)
		}
	}
	if over := len(res.Findings) - MaxPerCheck; over > 0 {
		res.Findings, res.Left = res.Findings[:MaxPerCheck], over
	}
}

// RunAgain runs a check only over the files that changed since its last run; before has the findings of the last run,
// which RunAgain keeps for all other files. It runs the check over everything if the check is not Local, if the last
// run had MaxPerCheck findings, or if the excuses changed.
func RunAgain(ctx context.Context, r *Repo, c *Check, changed []string, before []Finding) *Result {
	if !c.Local || len(before) >= MaxPerCheck || slices.Contains(changed, ExcusesFile) {
		return Run(ctx, r, c)
	}
	part := Run(ctx, r.Only(changed), c)
	all := part.Findings
	for _, f := range before {
		if r.File(f.Path) != nil && !slices.Contains(changed, f.Path) {
			all = append(all, f)
		}
	}
	part.Findings = nil
	part.sort(r.Excuses(), all)
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

var order = []string{Critical, High, Medium, Low, Info}

// Worse orders findings: the most severe first, then by path and line.
func Worse(a, b Finding) int {
	if d := slices.Index(order, a.Severity) - slices.Index(order, b.Severity); d != 0 {
		return d
	}
	if d := strings.Compare(a.Path, b.Path); d != 0 {
		return d
	}
	return a.Line - b.Line
}

// total is Worse, with an order for findings that are equally bad at one place.
func total(a, b Finding) int {
	return cmp.Or(Worse(a, b), strings.Compare(a.Title, b.Title), strings.Compare(a.Evidence, b.Evidence),
		strings.Compare(a.Same, b.Same))
}
