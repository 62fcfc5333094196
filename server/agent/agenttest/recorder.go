package agenttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// recorder acts as the realm in a turn: it receives the turn's chunks, takes a set time for each chunk, and records
// violations of the contract.
type recorder struct {
	ctx    context.Context
	takes  time.Duration // the time that emit takes for each chunk
	refuse int           // the number, from 1, of the chunk for which emit fails; 0 for none
	cancel func()        // called when emit fails

	mu       sync.Mutex
	inside   int
	over     bool // Run has returned
	failed   bool // emit has failed
	failedAt time.Time
	taken    int
	words    []string
	tools    map[string]bool // by callId: whether the call has ended
	problems []string        // at most maxProblems; further ones are dropped
}

const maxProblems = 20

func newRecorder(ctx context.Context) *recorder {
	return &recorder{ctx: ctx, takes: time.Millisecond, tools: map[string]bool{}}
}

func (r *recorder) emit(c driver.Chunk) error {
	r.mu.Lock()
	r.inside++
	if r.inside > 1 {
		r.note("emit is called by two goroutines at once")
	}
	if r.over {
		r.note("emit is called after Run has returned")
	}
	if r.failed {
		r.note("emit is called again after it has failed")
	}
	for _, p := range flaws(c) {
		r.note(p)
	}
	r.mu.Unlock()

	var err error
	if r.takes > 0 {
		timer := time.NewTimer(r.takes)
		select {
		case <-timer.C:
		case <-r.ctx.Done():
		}
		timer.Stop()
	}
	err = r.ctx.Err()

	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside--
	if err == nil && r.refuse > 0 && r.taken+1 == r.refuse {
		err = errRefused
		if r.cancel != nil {
			r.cancel()
		}
	}
	if err != nil {
		if !r.failed {
			r.failed, r.failedAt = true, time.Now()
		}
		return err
	}
	r.taken++
	r.tool(c)
	if c.Text != "" {
		r.words = append(r.words, c.Text)
	}
	return nil
}

// tool records violations in the chunks of a tool: each tool must have its own callId, begin once and end once, and its
// output must come between its begin and its end.
func (r *recorder) tool(c driver.Chunk) {
	running := func(id, what string) {
		if ended, ok := r.tools[id]; !ok || ended {
			r.note(fmt.Sprintf("%s of a tool that is not running: %q", what, id))
		}
	}
	switch {
	case c.Tool != nil:
		if _, ok := r.tools[c.Tool.CallID]; ok {
			r.note(fmt.Sprintf("two tools have the callId %q", c.Tool.CallID))
		}
		r.tools[c.Tool.CallID] = false
	case c.ToolOutput != nil:
		running(c.ToolOutput.CallID, "output")
	case c.ToolEnd != nil:
		running(c.ToolEnd.CallID, "the end")
		r.tools[c.ToolEnd.CallID] = true
	}
}

// toolsEnded records tools that still run at the end of the turn.
func (r *recorder) toolsEnded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, ended := range r.tools {
		if !ended {
			r.note(fmt.Sprintf("tool %q has no end", id))
		}
	}
}

// end records that Run has returned.
func (r *recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// ended checks the end of a turn that was stopped: Run must have returned an error without taking further time. The
// parameter began is the time at which the turn was stopped.
func (r *recorder) ended(began time.Time, err error) {
	if err == nil {
		r.problem("the stopped turn counts as done")
	}
	if d := time.Since(began); d > 0 {
		r.problem("the stopped turn took another %v to end", d)
	}
}

func (r *recorder) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(fmt.Sprintf(format, args...))
}

func (r *recorder) note(p string) {
	if len(r.problems) < maxProblems && !slices.Contains(r.problems, p) {
		r.problems = append(r.problems, p)
	}
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.words, "")
}

func (r *recorder) texts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.words)
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

func (r *recorder) refusedAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.failed {
		return time.Now()
	}
	return r.failedAt
}

// verdict waits for everything that may still run and returns the recorded violations as an error, nil if there are
// none.
func (r *recorder) verdict(before int) error {
	left := leftover(before)
	if left != nil {
		time.Sleep(time.Hour) // whatever still runs may emit in that time, and is then recorded
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := []error{left}
	for _, p := range r.problems {
		errs = append(errs, errors.New(p))
	}
	return errors.Join(errs...)
}

// flaws returns the faults that a chunk has regardless of the chunks before and after it.
func flaws(c driver.Chunk) []string {
	var out []string
	set := 0
	for _, is := range []bool{
		c.Text != "", c.Thought != "", c.Progress != nil, c.Activity != nil, c.Read != nil, c.Finding != nil,
		c.Withdraw != nil, c.Quest != nil, c.Artifact != nil, c.Insight != nil, c.Seal != nil, c.Pass,
		c.Tool != nil, c.ToolOutput != nil, c.ToolEnd != nil,
	} {
		if is {
			set++
		}
	}
	if set != 1 {
		out = append(out, fmt.Sprintf("a chunk has %d fields set, not one", set))
	}
	if f := c.Finding; f != nil {
		if !slices.Contains(world.Severities, f.Severity) {
			out = append(out, fmt.Sprintf("a finding has the invalid severity %q", f.Severity))
		}
		if strings.TrimSpace(f.Title) == "" || len(f.Title) > world.MaxTitle || len(f.Text) > world.MaxFindingText {
			out = append(out, "a finding has no title, or is too long")
		}
	}
	if a := c.Artifact; a != nil && strings.TrimSpace(a.Name) == "" {
		out = append(out, "an artifact has no name")
	}
	if t := c.Tool; t != nil && (t.CallID == "" || strings.TrimSpace(t.Name) == "" || len(t.Input) > world.MaxToolInput) {
		out = append(out, "a tool has no callId, no name, or too long an input")
	}
	return out
}
