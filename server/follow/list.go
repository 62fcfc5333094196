package follow

import (
	"context"
	"errors"
	"slices"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// key names a session.
type key struct{ program, id string }

// tracked is a session that is followed.
type tracked struct {
	shadow.Session
	reader shadow.Reader
	at     shadow.Position // the realm has all entries before this position
	read   Stamp           // the stamp of the file when it was read to its end
	more   bool            // there is more to read, even if the stamp has not changed
	state  shadow.State    // the state that was last passed to the realm; the zero value for none
	asked  bool            // the reader was asked for the state after the last change
	hooked world.Time      // since when the hero was in a state that a hook reported, as of the last listing
	heard  bool            // the realm knows that a hook of the session has called
	gone   bool            // the file did not exist at the last look
	masks  masks
	wait   time.Duration // the time until the next try after a refusal or an error
	tryAt  time.Time
	newsAt time.Time     // time of the last look that found something new; the first look does not count
	pause  time.Duration // the time between two looks
	lookAt time.Time     // time of the next look
	took   time.Duration // how long the last read took
	askAt  time.Time     // when the reader is asked for the state again, even without a change
}

func (t *tracked) key() key { return key{t.Program, t.ID} }

// over reports whether the realm knows that the session is over.
func (t *tracked) over() bool { return t.state.Name == shadow.Ended || t.state.Name == shadow.Gone }

// following follows the sessions of one realm. Only its own goroutine uses it.
type following struct {
	f       *Follower
	realm   Realm
	readers []shadow.Reader
	root    string
	folder  Checkout
	dirs    map[string]bool // results of wants by folder, valid for a short time after dirsAt
	dirsAt  time.Time
	known   map[key]shadow.Position // the realm's positions at the last listing
	all     []*tracked              // the sessions that a process holds first, then the newest
	lost    map[key]time.Time       // heroes without a session, each with the time since when
	listAt  time.Time
	soon    chan struct{} // a value asks for a listing; see Follower.ListSoon
	least   time.Time     // the earliest time of the next listing
	start   time.Time     // looks are rounded to a grid of times that begins here (see in)
	first   int           // index in all of the session that the next pass looks at first
	news    []news        // readings that the realm has not got yet
	changed bool          // all may have changed since it was shown to operators
	waited  time.Duration // how long the realm took to answer the readings of this pass
}

// reset discards the readers and the sessions. The next listing makes new ones.
func (o *following) reset() {
	o.readers, o.all, o.folder, o.dirs, o.lost = nil, nil, nil, nil, nil
}

// list looks for sessions. ok is false if the realm must not get sessions now: it has no linked folder, or its setting
// shadows is off.
func (o *following) list(ctx context.Context, now time.Time) (ok bool, err error) {
	o.listAt, o.changed = now.Add(listEvery), true
	o.least = o.listAt
	shown, err := o.realm.Shown(ctx)
	if err != nil {
		return false, err
	}
	if shown.Path == "" || shown.Off {
		o.reset()
		return false, nil
	}
	if o.readers == nil || o.root != shown.Path {
		o.begin(shown.Path)
	}
	o.known = map[key]shadow.Position{}
	for i := range shown.Sessions {
		s := &shown.Sessions[i]
		o.known[key{s.Program, s.SessionID}] = shadow.Position(s.Position)
	}
	if now.Sub(o.dirsAt) > 10*time.Second {
		o.dirs, o.dirsAt = map[string]bool{}, now
	}
	unsure := map[string]bool{}
	var found []*tracked
	began := time.Now()
	for _, reader := range o.readers {
		list, err := o.listOne(ctx, reader, now)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			unsure[reader.Program()] = true
			o.f.figures.fail(reader.Program(), o.realm.ID(), "the sessions of a coding agent could not be listed", err)
		}
		found = append(found, list...)
	}
	o.listAt = now.Add(max(listEvery, min(maxDuty*time.Since(began), 10*listEvery)))
	if o.f.cfg.Which == Off {
		o.listAt = now.Add(lastRetry)
	}
	o.take(found, &shown)
	return true, o.lose(ctx, &shown, unsure, now)
}

// begin makes the programs' readers for the linked folder root.
func (o *following) begin(root string) {
	o.reset()
	o.root, o.lost, o.dirs = root, map[key]time.Time{}, map[string]bool{}
	if o.f.cfg.Which == Off {
		return
	}
	o.folder = o.f.cfg.Checkout(root)
	o.readers = []shadow.Reader{}
	for _, reader := range o.f.cfg.Readers {
		o.readers = append(o.readers, reader())
	}
}

// listOne returns the sessions of a program that are to be followed: those that a process has open, those that the
// realm knows, and those that have changed within age.
func (o *following) listOne(ctx context.Context, reader shadow.Reader, now time.Time) ([]*tracked, error) {
	program := reader.Program()
	old := func(id string, changed time.Time) bool {
		_, known := o.known[key{program, id}]
		return !known && now.Sub(changed) > age
	}
	if s, ok := reader.(shadow.Skipper); ok {
		s.Skip(old)
	}
	l, err := reader.Sessions(ctx, o.wants, maxListed)
	var out []*tracked
	mains := 0
	for _, s := range l.Sessions {
		if !s.Alive && old(s.ID, s.Changed) {
			continue
		}
		if s.Parent == "" {
			if mains++; mains > maxMain {
				continue
			}
		}
		out = append(out, &tracked{Session: s, reader: reader})
	}
	o.f.figures.listed(program, &l, len(out))
	return out, err
}

// wants reports whether a session with this working directory belongs to the realm. A session that is already
// followed belongs to it even after the directory was deleted.
func (o *following) wants(dir string) bool {
	if near, ok := o.dirs[dir]; ok {
		return near
	}
	near := o.f.cfg.Which == All || o.folder.Near(dir) ||
		slices.ContainsFunc(o.all, func(t *tracked) bool { return t.Dir == dir })
	if len(o.dirs) < 1000 {
		o.dirs[dir] = near
	}
	return near
}

// take replaces the followed sessions by those of a listing, and copies what is known of sessions that are in both.
// A session that is not listed any more, for example because its working directory has changed, is followed until it
// is over or its file is gone.
func (o *following) take(found []*tracked, shown *realm.Shown) {
	was := map[key]*tracked{}
	for _, t := range o.all {
		was[t.key()] = t
	}
	var all []*tracked
	for _, t := range found {
		old := was[t.key()]
		if old == nil {
			t.at = o.known[t.key()]
			all = append(all, t)
			continue
		}
		delete(was, t.key())
		// A session that is over although a process has it open can go on without a change of its file.
		back := t.Alive && old.over()
		if back || t.Alive != old.Alive || !t.Changed.Equal(old.Changed) || t.Title != old.Title {
			old.asked = false
		}
		if t.File != old.File {
			old.more = true
		}
		old.Session = t.Session
		all = append(all, old)
	}
	for _, t := range o.all {
		if was[t.key()] != nil && !t.over() && !t.gone {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *tracked) int {
		if a.Alive != b.Alive {
			if a.Alive {
				return -1
			}
			return 1
		}
		return b.Changed.Compare(a.Changed)
	})
	o.all = all[:min(len(all), maxTracked)]
	// If the realm has no hero for a session, pass the state again: the realm adds the hero once the map has room.
	for _, t := range o.all {
		if !t.over() && !shown.Heroes[shadow.AgentID(t.Program, t.ID)] {
			t.state, t.asked = shadow.State{}, false
		}
		t.confirm(shown)
	}
}

// confirm is called for each listing. If the hero still has a state that a hook reported before the last listing,
// what the hook reported may not have happened. The next look then passes the state in the session's files to the
// realm (P17.17).
func (t *tracked) confirm(shown *realm.Shown) {
	since, hooked := shown.Hooked[shadow.AgentID(t.Program, t.ID)]
	if hooked && since == t.hooked {
		t.state, t.asked = shadow.State{}, false
	}
	t.hooked = since
}

// lose tells the realm which sessions are lost: those that no listing has found for the time in the constant
// missing, or all if Config.Which is Off.
func (o *following) lose(ctx context.Context, shown *realm.Shown, unsure map[string]bool, now time.Time) error {
	have := map[key]bool{}
	for _, t := range o.all {
		have[t.key()] = true
	}
	off := o.f.cfg.Which == Off
	for i := range shown.Sessions {
		s := &shown.Sessions[i]
		k := key{s.Program, s.SessionID}
		if have[k] || unsure[s.Program] || !shown.Heroes[s.AgentID] {
			delete(o.lost, k)
			continue
		}
		since, ok := o.lost[k]
		if !ok {
			since = now
			o.lost[k] = now
		}
		if !off && now.Sub(since) < missing {
			continue
		}
		at := shadow.Position(s.Position)
		seen := shadow.Seen{
			Session: shadow.Session{Program: s.Program, ID: s.SessionID}, Before: at, Next: at, Unwatched: off,
		}
		if !off {
			seen.State = shadow.State{Name: shadow.Gone, Reason: "its session cannot be found any more",
				Source: shadow.FromGuess, Since: since}
		}
		_, err := o.realm.Observe(ctx, seen)
		if err := o.passed(ctx, s.Program, err); err != nil {
			return err
		}
	}
	return nil
}

// passed handles the realm's error for a batch of entries. If the realm has refused only this batch, passed counts
// that and returns nil. If the realm takes no batches any more, passed returns err.
func (o *following) passed(ctx context.Context, program string, err error) error {
	var refused *wire.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		o.f.figures.refuse(program)
		return nil
	}
	return err
}
