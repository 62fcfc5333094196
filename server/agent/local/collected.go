package local

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// workers is how many checks run at a time.
const workers = 2

// collected has the results of a review: the findings, what was read, and the change.
type collected struct {
	world  *world.World
	seen   *inspect.Coverage
	change *report.Change // nil for a review of everything
}

// found adds findings, except those that another finding already covers.
func (b *collected) found(all []inspect.Finding) {
	for _, f := range distinct(all) {
		b.world.Findings = append(b.world.Findings, *report.Found(&f))
	}
}

// excused adds findings that the repository accepts, so that they do not count.
func (b *collected) excused(all []inspect.Excused) {
	for _, e := range all {
		f := report.Found(&e.Finding)
		f.Withdrawn = "accepted" + world.AcceptedIn + e.Reason
		b.world.Findings = append(b.world.Findings, *f)
	}
}

// runAll calls run for each check, several at a time, and returns the results in the order of the checks.
func runAll(checks []inspect.Check, run func(*inspect.Check) *inspect.Result, progress func(int)) []*inspect.Result {
	results := make([]*inspect.Result, len(checks))
	next := make(chan int)
	var work sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range workers {
		work.Go(func() {
			for i := range next {
				results[i] = run(&checks[i])
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

// distinct returns the findings that no other finding covers (see inspect.Fold), the worst first.
func distinct(all []inspect.Finding) (out []inspect.Finding) {
	slices.SortStableFunc(all, func(a, b inspect.Finding) int {
		return cmp.Or(inspect.Worse(a, b), strings.Compare(a.ID(), b.ID()))
	})
	for i, into := range inspect.Fold(all) {
		if into < 0 {
			out = append(out, all[i])
		}
	}
	return out
}
