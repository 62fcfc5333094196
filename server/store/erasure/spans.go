package erasure

import (
	"context"
	"database/sql"
	"slices"

	"agentdungeon/server/kinds"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// An erasure recognizes the insights and findings of an erased run or process by the time at which they were made. If
// the clock was set back during the run or process, its time has several spans: from its beginning to the moment at
// which the clock was set back, and from then on (P4.1).

// setBacks adds the spans of runs and processes during which the clock was set back, and removes
// spans that end before they begin.
func setBacks(ctx context.Context, q sqlite.Queryer, floor int64, s *world.Scope) error {
	back := func(v world.Span) bool { return v.To != 0 && v.To < v.From }
	for member := range s.Runs {
		s.Runs[member] = slices.DeleteFunc(s.Runs[member], back)
	}
	processes := slices.ContainsFunc(s.Processes, back)
	s.Processes = slices.DeleteFunc(s.Processes, back)
	// If a run began before the first stored event, it is unknown when the clock was set back during the run. If such a
	// run ended, by the clock, before it began, the span is the whole time from its end to its beginning.
	if err := runSpans(ctx, q, s, `SELECT member_id, ended_at, started_at FROM runs
		WHERE conversation_id IN (SELECT value FROM json_each(?))
		AND start_seq < ? AND ended_at > 0 AND ended_at < started_at`, sqlite.List(s.Conversations), floor); err != nil {
		return err
	}
	w := spanWalk{scope: s, runs: map[string]*spanOpen{}}
	if err := tables.EachEvent(ctx, q, floor-1, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
		w.take(e)
		return true, ctx.Err()
	}); err != nil {
		return err
	}
	w.end()
	if processes && !w.began { // the process began before the first stored event
		s.Processes = append(s.Processes, world.Span{From: world.MinTime})
	}
	return nil
}

// spanOpen is a run or process that has not ended. split is set if the clock was set back during the run or
// process; then from is the time to which the clock was last set back.
type spanOpen struct {
	member string // "" for a process
	from   world.Time
	split  bool
}

// spanWalk reads the events in order and adds the spans that it finds to scope.
type spanWalk struct {
	scope   *world.Scope
	runs    map[string]*spanOpen // by conversation and request, at most the live runs of a realm
	process *spanOpen            // nil if the current process is not erased
	began   bool                 // an erased process began within the stored events
	last    world.Time
}

func (w *spanWalk) take(e *tables.EventRow) {
	at := world.Time(e.At)
	if at < w.last {
		w.setBack(at)
	}
	w.last = at
	if !world.FactsOf(e.Type).Bounds {
		return
	}
	ev, err := e.Event()
	if err != nil {
		return // for a run that is not split, the tables already have its beginning and end
	}
	id := world.ConversationOf(ev.Body)
	erased := slices.Contains(w.scope.Conversations, id)
	for _, c := range ev.Changes() {
		switch c := c.(type) {
		case world.Began:
			if !kinds.Rules(c.Head.Kind).Staged {
				continue
			}
			w.close(w.process, at)
			if w.process = nil; erased {
				w.process, w.began = &spanOpen{from: at}, true
			}
		case world.RunBegan:
			if erased && c.Run.Status == world.RunRunning {
				w.runs[id+"/"+c.Run.RequestID] = &spanOpen{member: c.Run.MemberID, from: at}
			}
		case world.RunEnded:
			w.ended(id, c.RequestID, at)
		}
	}
}

func (w *spanWalk) ended(conversation, request string, at world.Time) {
	key := conversation + "/" + request
	w.close(w.runs[key], at)
	delete(w.runs, key)
}

// setBack is called when the clock was set back, from the time w.last to the time at. It ends the open span of each
// run and process at w.last, and begins a new span at the time at.
func (w *spanWalk) setBack(at world.Time) {
	for _, o := range w.runs {
		w.add(o, w.last)
		o.from, o.split = at, true
	}
	if w.process != nil {
		w.add(w.process, w.last)
		w.process.from, w.process.split = at, true
	}
}

// close adds the last span of a run or process that was split. If it was not split, the tables already have its
// only span.
func (w *spanWalk) close(o *spanOpen, at world.Time) {
	if o != nil && o.split {
		w.add(o, at)
	}
}

func (w *spanWalk) end() {
	for _, o := range w.runs {
		w.close(o, 0)
	}
	w.close(w.process, 0)
}

func (w *spanWalk) add(o *spanOpen, to world.Time) {
	v := world.Span{From: o.from, To: to}
	if o.member == "" {
		w.scope.Processes = append(w.scope.Processes, v)
	} else {
		w.scope.Runs[o.member] = append(w.scope.Runs[o.member], v)
	}
}

// runSpans adds to s.Runs the runs that the query returns: the member, the beginning and the end of each.
func runSpans(ctx context.Context, q sqlite.Queryer, s *world.Scope, query string, args ...any) error {
	return sqlite.Each(ctx, q, func(rows *sql.Rows) error {
		var member string
		var v world.Span
		err := rows.Scan(&member, (*int64)(&v.From), (*int64)(&v.To))
		s.Runs[member] = append(s.Runs[member], v)
		return err
	}, query, args...)
}
