package follow

import (
	"context"
	"slices"
	"time"

	"agentdungeon/server/shadow"
)

// run is the goroutine of a realm.
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
		}
		wait, err := o.pass(ctx, time.Now())
		if err != nil && ctx.Err() == nil {
			o.f.figures.fail("all", o.realm.ID(), "a realm does not take the sessions of coding agents", err)
			wait = lastRetry // it has closed, or takes nothing any more
		}
		o.f.figures.tell(time.Now())
		o.f.show(o.realm.ID(), o.all)
		timer.Reset(wait)
	}
}

// pass looks once at all sessions, and returns when to look again.
func (o *following) pass(ctx context.Context, now time.Time) (wait time.Duration, err error) {
	if !now.Before(o.listAt) {
		if ok, err := o.list(ctx, now); err != nil || !ok {
			return listEvery, err
		}
	}
	if len(o.all) == 0 {
		return max(0, o.listAt.Sub(now)), nil
	}
	for _, t := range o.all {
		if now.Before(t.tryAt) {
			continue
		}
		more, err := o.look(ctx, t, now)
		if err != nil {
			return 0, err
		}
		if more && time.Since(now) > budget {
			return breath, nil
		}
	}
	for _, t := range o.all {
		if t.more && !now.Before(t.tryAt) {
			return breath, nil
		}
	}
	return pace, nil
}

// look looks at one session: it reads a batch, if there is something new, and asks for the state. more is set if the
// session was read. An error says that the realm is over.
func (o *following) look(ctx context.Context, t *tracked, now time.Time) (more bool, err error) {
	stamp := o.f.cfg.Stamp(t.File)
	fresh := t.more || stamp != t.read
	if t.gone = stamp.Gone; t.gone || !fresh && t.asked && t.over() {
		return false, nil // a file that has moved is listed again at its new place
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
		seen.State = shadow.State{} // what follows may end its open calls
	}
	t.asked = true
	seen.Heard = o.f.cfg.Heard(t.Program, t.ID)
	news := seen.Heard && !t.heard || !same(t.state, seen.State, now)
	if seen.Next == t.at && (t.at == "" || !news) {
		t.read = stamp
		return fresh, nil
	}
	return fresh, o.tell(ctx, t, seen, stamp, now)
}

// same reports whether a state says what the realm was told already. Where a clock was set back, a reader says that a
// state began just now, each time.
func same(told, state shadow.State, now time.Time) bool {
	if !state.Since.Before(now) {
		told.Since = state.Since
	}
	return told == state
}

// maxTitle is the length from which a title may have been cut.
const maxTitle = shadow.MaxReason

// tell passes what was seen to the realm.
func (o *following) tell(ctx context.Context, t *tracked, seen shadow.Seen, stamp Stamp, now time.Time) error {
	at, err := o.realm.Observe(ctx, seen)
	if err != nil {
		t.more = true
		o.later(t, now)
		return o.passed(ctx, t.Program, err)
	}
	if at == "" && t.at != "" && !t.Alive { // the realm keeps a number of sessions and has forgotten this one
		t.tryAt = now.Add(age)
		return nil
	}
	if at != seen.Next { // the realm is elsewhere: read again from there
		t.at, t.more, t.state = at, true, shadow.State{}
		if t.wait > 0 {
			o.later(t, now)
		}
		t.wait = max(t.wait, firstRetry)
		o.f.figures.refuse(t.Program)
		return nil
	}
	t.at, t.state, t.heard, t.wait, t.tryAt = at, seen.State, seen.Heard, 0, time.Time{}
	if !t.more {
		t.read = stamp
	}
	return nil
}

// failed counts the error of a reader and puts the session off.
func (o *following) failed(ctx context.Context, t *tracked, what string, err error, now time.Time) {
	if ctx.Err() != nil {
		return
	}
	o.f.figures.fail(t.Program, o.realm.ID(), what, err)
	o.later(t, now)
}

// later puts a session off, each time for longer.
func (o *following) later(t *tracked, now time.Time) {
	t.wait = min(max(2*t.wait, firstRetry), lastRetry)
	t.tryAt = now.Add(t.wait)
}

// placed returns entries with the places on the map of the files that their calls touch. The caller's are not changed.
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
