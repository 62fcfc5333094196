package follow

import (
	"context"
	"slices"
	"sync"
	"time"

	"agentdungeon/server/shadow"
)

// run is the main function of the goroutine that follows sessions for a realm.
func (o *following) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.realm.Done():
			return
		case <-timer.C:
		case <-o.soon:
			if o.least.Before(o.listAt) {
				o.listAt = o.least
			}
		}
		wait, err := o.pass(ctx, time.Now())
		if err != nil && ctx.Err() == nil {
			o.f.figures.fail("all", o.realm.ID(), "a realm does not take the sessions of coding agents", err)
			wait = lastRetry // the realm has closed or takes no readings
		}
		o.f.figures.tell(time.Now())
		if o.changed {
			o.changed = false
			o.f.show(o.realm.ID(), o.all)
		}
		timer.Reset(wait)
	}
}

// pass looks at each session that is due, and returns the time until the next pass.
func (o *following) pass(ctx context.Context, now time.Time) (wait time.Duration, err error) {
	if !now.Before(o.listAt) {
		if ok, err := o.list(ctx, now); err != nil || !ok {
			return listEvery, err
		}
	}
	began, from := time.Now(), o.first
	o.waited = 0
	o.first = 0
	for i := range o.all {
		at := (from + i) % len(o.all)
		t := o.all[at]
		if now.Before(t.due(now)) {
			continue
		}
		read, err := o.look(ctx, t, now)
		if err != nil {
			return 0, err
		}
		if read && time.Since(began) > budget {
			o.first = at + 1 // the next pass begins with the session after this one, so that none waits forever
			break
		}
	}
	reading := time.Since(began) - o.waited
	if err := o.tell(ctx, now); err != nil {
		return 0, err
	}
	next := o.listAt
	for _, t := range o.all {
		if at := t.due(now); at.Before(next) {
			next = at
		}
	}
	return max(time.Until(next), min((maxBusy-1)*reading, pace/2), breath), nil
}

// look looks at one session: it reads a batch if the file has changed, and asks the reader for the state. The
// result read is set if it read a batch. An error means that the realm takes no batches any more.
func (o *following) look(ctx context.Context, t *tracked, now time.Time) (read bool, err error) {
	stamp, began := o.f.cfg.Stamp(t.File), time.Now()
	fresh := t.more || stamp != t.read
	if t.gone = stamp.Gone; t.gone || !fresh && t.asked && (t.over() || now.Before(t.askAt)) {
		o.rest(t, now, 0, false, false)
		return false, nil // the next listing finds a file that was moved
	}
	seen := shadow.Seen{Session: t.Session, Before: t.at, Next: t.at}
	ignored := o.f.cfg.Ignored(ctx)
	if fresh {
		batch, err := t.reader.Read(ctx, t.Session, t.at, batchBytes)
		if err != nil {
			o.failed(ctx, t, "a session of a coding agent could not be read", err, now)
			return false, nil
		}
		o.f.figures.read(t.Program, batch.Counts)
		t.Session, t.more = batch.Session, batch.More
		seen.Session, seen.Next = batch.Session, batch.Next
		seen.Entries = o.placed(withoutSecrets(batch.Entries, batch.Session.Dir, ignored))
		setPrices(seen.Entries, &o.f.cfg.Prices)
		t.asked = false
	}
	if seen.State, err = t.reader.State(ctx, t.Session, seen.Next, now); err != nil {
		o.failed(ctx, t, "the state of a coding agent could not be read", err, now)
		t.more = t.more || fresh
		return false, nil
	}
	seen.State.Reason = t.masks.reason(seen.State.Reason, t.Dir, ignored)
	seen.Session.Title, seen.Session.Name = mask(seen.Session.Title, maxTitle), mask(seen.Session.Name, maxTitle)
	if t.more && (seen.State.Name == shadow.Ended || seen.State.Name == shadow.Gone) {
		seen.State = shadow.State{} // ask for the state after the last batch, because later records may end open calls
	}
	t.asked, t.askAt = true, o.in(pace, now)
	took := time.Since(began)
	seen.Heard = o.f.cfg.Heard(t.Program, t.ID)
	told := same(t.state, seen.State, now) && (t.heard || !seen.Heard)
	if seen.Next == t.at && (t.at == "" || told) {
		t.read = stamp
		o.rest(t, now, took, fresh, false)
		return fresh, nil
	}
	// Two things do not count as new: entries from before the session was followed, and a state that is passed
	// again because the map has no room for the hero.
	o.rest(t, now, took, fresh, t.at != "" && (seen.Next != t.at || t.state.Name != ""))
	return fresh, o.add(ctx, news{t: t, seen: seen, stamp: stamp}, now)
}

// due returns the time at which the session must be read next.
func (t *tracked) due(now time.Time) time.Time {
	at := t.lookAt
	if t.more || !t.asked && !t.gone {
		at = now
	}
	if at.Before(t.tryAt) {
		at = t.tryAt
	}
	return at
}

// rest sets the time of the next look at a session. took is how long the reader needed for this look, fresh is set if
// the file had changed, and found is set if the session had something new. A file can change although its session has
// nothing new, for example a database with many sessions. In this case the time between two looks grows.
func (o *following) rest(t *tracked, now time.Time, took time.Duration, fresh, found bool) {
	switch {
	case found:
		t.newsAt, t.pause = now, quick
	case fresh:
		t.pause = min(2*max(t.pause, quick), pace)
	case now.Sub(t.newsAt) < lively:
	case t.Alive && !t.gone:
		t.pause = steady
	default:
		t.pause = pace
	}
	usual := min(took, t.took) // use the shorter of two durations, because a single slow look says little
	if took > 0 {
		t.took = took
	}
	t.lookAt = o.in(min(max(t.pause, maxShare*usual), pace), now)
}

// The method in returns the time now plus pause, rounded down to a multiple of quick, steady or pace: the longest of
// them that pause reaches. So the looks at many sessions have the same time, and the readers do work that is common
// to them only once. It uses the monotonic clock, so setting the wall clock has no effect on it.
func (o *following) in(pause time.Duration, now time.Time) time.Time {
	grid := quick
	for _, g := range []time.Duration{steady, pace} {
		if pause >= g {
			grid = g
		}
	}
	return o.start.Add((now.Sub(o.start) + pause).Truncate(grid))
}

// same reports whether the realm already has the state; told is the state that the realm got last. If the clock was
// set back, a reader reports at each call that the state has just begun. In this case same does not compare Since.
func same(told, state shadow.State, now time.Time) bool {
	if !state.Since.Before(now) {
		told.Since = state.Since
	}
	return told == state
}

// maxTitle is the length in bytes from which a title may have been cut.
const maxTitle = shadow.MaxReason

// news is a batch of entries and a state of a session that the realm has not got yet.
type news struct {
	t     *tracked
	seen  shadow.Seen
	stamp Stamp
	at    shadow.Position // the position that the realm answered
	err   error
}

// add queues a batch for the realm. Batches of sessions that the realm knows are passed together, so that they
// share commits. The first batch of a session is passed alone, so that heroes come in the order of the sessions.
func (o *following) add(ctx context.Context, n news, now time.Time) error {
	begins := n.t.at == "" || n.t.state.Name == ""
	if begins {
		if err := o.tell(ctx, now); err != nil {
			return err
		}
	}
	o.news = append(o.news, n)
	size := 0
	for i := range o.news {
		for j := range o.news[i].seen.Entries {
			size += len(o.news[i].seen.Entries[j].Text)
		}
	}
	if begins || len(o.news) >= maxNews || size >= newsBytes {
		return o.tell(ctx, now)
	}
	return nil
}

// tell passes all queued batches to the realm and handles its answers.
func (o *following) tell(ctx context.Context, now time.Time) error {
	all := o.news
	o.news = nil
	began := time.Now()
	var told sync.WaitGroup
	for i := range all {
		n := &all[i]
		told.Go(func() { n.at, n.err = o.realm.Observe(ctx, n.seen) })
	}
	told.Wait()
	o.waited += time.Since(began)
	for i := range all {
		if err := o.answered(ctx, &all[i], now); err != nil {
			return err
		}
	}
	return nil
}

// answered handles the realm's answer to one batch.
func (o *following) answered(ctx context.Context, n *news, now time.Time) error {
	t := n.t
	o.changed = true
	if n.err != nil {
		t.more = true
		o.later(t, now)
		return o.passed(ctx, t.Program, n.err)
	}
	if n.at == "" && t.at != "" && !t.Alive { // the realm keeps a limited number of sessions and has forgotten this one
		t.tryAt = now.Add(age)
		return nil
	}
	if n.at != n.seen.Next { // the realm has another position: read again from there
		t.at, t.more, t.state = n.at, true, shadow.State{}
		if t.wait > 0 {
			o.later(t, now)
		}
		t.wait = max(t.wait, firstRetry)
		o.f.figures.refuse(t.Program)
		return nil
	}
	t.at, t.state, t.heard, t.wait, t.tryAt = n.at, n.seen.State, n.seen.Heard, 0, time.Time{}
	if !t.more {
		t.read = n.stamp
	}
	return nil
}

// failed counts an error of a reader and delays the next try for the session.
func (o *following) failed(ctx context.Context, t *tracked, what string, err error, now time.Time) {
	if ctx.Err() != nil {
		return
	}
	o.f.figures.fail(t.Program, o.realm.ID(), what, err)
	o.later(t, now)
}

// later delays the next try for a session, by a longer time after each failure.
func (o *following) later(t *tracked, now time.Time) {
	t.wait = min(max(2*t.wait, firstRetry), lastRetry)
	t.tryAt = now.Add(t.wait)
}

// placed returns copies of entries in which the files of the tool calls have their places on the map.
func (o *following) placed(all []shadow.Entry) []shadow.Entry {
	all = slices.Clone(all)
	for i := range all {
		if all[i].Tool == nil || len(all[i].Tool.Touches) == 0 {
			continue
		}
		tool := *all[i].Tool
		tool.Touches = slices.Clone(tool.Touches)
		for j := range tool.Touches {
			f := &tool.Touches[j]
			if place, worktree, ok := o.folder.Place(f.Path); ok {
				f.Place, f.Worktree = place, worktree
			}
		}
		all[i].Tool = &tool
	}
	return all
}
