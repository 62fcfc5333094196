package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of a check.
const (
	// CheckTime is the time limit of one run of a check.
	CheckTime = 20 * time.Second
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
	Err  error
	Took time.Duration
}

// Excused is a finding that a line of the repository's ExcusesFile excuses, with that line's reason.
type Excused struct {
	Finding Finding
	Reason  string
}

// Run runs one check. It never panics, and it returns soon after ctx ends or CheckTime is over.
func Run(ctx context.Context, r *Repo, c *Check) *Result {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, CheckTime)
	defer cancel()
	res := &Result{Check: c}
	seen := map[string]bool{}
	all := []Finding{}
	report := func(f Finding) {
		f.Check, f.Hero = c.ID, c.Hero
		f.Title, f.Evidence = Clip(f.Title, 100), Clip(f.Evidence, 600)
		f.Why, f.Advice = Clip(f.Why, 400), Clip(f.Advice, 400)
		if id := f.ID(); !seen[id] {
			seen[id] = true
			all = append(all, f)
		}
	}
	res.Err = guarded(ctx, r, c, report)
	if res.Err == nil && ctx.Err() != nil {
		res.Err = fmt.Errorf("the check took longer than %s", CheckTime)
	}
	res.sort(r.Excuses(), all)
	res.Took = time.Since(began)
	return res
}

// sort orders the findings and divides them: excused findings go to res.Excused, the first MaxPerCheck others to
// res.Findings; res.Left counts the findings beyond the limit.
func (res *Result) sort(excuses Excuses, all []Finding) {
	for _, f := range all {
		if why, ok := excuses.For(&f); ok {
			res.Excused = append(res.Excused, Excused{f, why})
		} else {
			res.Findings = append(res.Findings, f)
		}
	}
	slices.SortStableFunc(res.Findings, Worse)
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
	err = c.Run(ctx, r, report)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the check took longer than %s", CheckTime)
	}
	return err
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
