package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"agentdungeon/shared/world"
)

// generation is one of the two checkpoints in a realm's folder, read when it is
// needed: state.prev.json only where state.json does not do.
type generation struct {
	name   string
	source string
	read   bool
	loaded *LoadedCheckpoint
	err    error
}

func generations() []*generation {
	return []*generation{
		{name: StateFile, source: world.RestoredFromCheckpoint},
		{name: PreviousFile, source: world.RestoredFromPrevious},
	}
}

func (g *generation) load(files *RealmFiles) {
	if !g.read {
		g.read = true
		g.loaded, g.err = files.LoadCheckpoint(g.name)
	}
}

// spoiled is a file that no version of ours can use here.
func (g *generation) spoiled() bool {
	return errors.Is(g.err, ErrCorrupt) || errors.Is(g.err, ErrNewer)
}

// unread is a file that the disk did not give: it may be whole.
func (g *generation) unread() bool {
	return g.err != nil && !g.spoiled() && !errors.Is(g.err, ErrMissing)
}

func (g *generation) origin() *origin {
	c := g.loaded
	// A copy: folding may fail half way and begin again.
	return &origin{source: g.source, file: g.name, epoch: c.Epoch, seq: c.Seq, savedAt: c.SavedAt, world: c.World.Clone(), older: c.older}
}

// standing is how a checkpoint stands to a journal, by its line table.
type standing int

const (
	otherLine standing = iota // (epoch, seq) names nothing that this realm ever had
	onLine                    // at or below the head, and the events after it are kept
	trimmed                   // on the line, but the events after it are no longer kept
	ahead                     // the journal's own last line, past its head
)

// standing tells apart the two ways in which state.json can be past the journal's
// head. The line table decides, because of the order in which things are written:
//
//   - A line's row is in realm.db itself, synced, before its epoch is in any other
//     file (openJournal), and a checkpoint is written only once the journal's head
//     has reached its seq. So a checkpoint of the journal's last line that is past
//     the head says that acknowledged events have stood in this very journal and do
//     not any more: the -wal is gone, or the file is an older copy. The journal has
//     lost its tail, however whole the rest of it looks, and state.json is the best
//     there is (third row of the table).
//   - An epoch that is not in the table, or a seq past the point where the next line
//     begins, names events that this realm never had: a state.json from another copy
//     that went on elsewhere, or of another realm. The journal is readable and has no
//     hole, and it is the record: it stays, and the file is set aside (second row).
//     This also holds when the whole realm.db is an older copy from before the
//     checkpoint's line began; nothing in the folder can tell the two apart, and the
//     journal has the transcripts.
func (g *generation) standing(rem *remains) standing {
	epoch, seq := g.loaded.Epoch, g.loaded.Seq
	for i, l := range rem.lines {
		if l.Epoch != epoch {
			continue
		}
		last := i == len(rem.lines)-1
		switch {
		case seq < l.FromSeq-1, !last && seq >= rem.lines[i+1].FromSeq:
			return otherLine
		case seq < rem.floor-1:
			return trimmed
		case seq > rem.head:
			return ahead
		}
		return onLine
	}
	return otherLine
}

// fromJournal is the first two rows of the table: the newest checkpoint that lies
// on the line and can be read, then the tail; else the newest base; else the events
// from the first on.
func (r *recovery) fromJournal(ctx context.Context, rem *remains, gens []*generation) (*origin, error) {
	var tried []error
	var odd *origin // all of the events, and a world that does not hold together
	more := func(from *origin, err error) (done bool, _ *origin, _ error) {
		if err == nil {
			err = r.fold(ctx, rem, from)
		}
		if err == nil && from.seq != rem.head {
			err = fmt.Errorf("%w: its events end at %d, its head is %d", ErrCorrupt, from.seq, rem.head)
		}
		if err == nil {
			if invalid := from.world.Validate(); invalid != nil {
				err = fmt.Errorf("%w: the world at %d: %w", ErrCorrupt, from.seq, invalid)
				if odd == nil {
					odd = from
				}
			}
		}
		if err == nil || !isDamage(err) {
			return true, from, err
		}
		tried = append(tried, err)
		return false, nil, nil
	}
	for _, g := range gens {
		g.load(r.files)
		switch {
		case g.unread():
			r.warnings = append(r.warnings, g.err)
		case g.loaded == nil:
		case g.standing(rem) == ahead:
			return nil, fmt.Errorf("%w: it ends at %d and %s, of the same line, at %d", ErrCorrupt, rem.head, g.name, g.loaded.Seq)
		case g.standing(rem) == onLine:
			if done, from, err := more(g.origin(), nil); done {
				return from, err
			}
		}
	}
	for i := range rem.bases {
		if done, from, err := more(r.fromBase(ctx, rem, i)); done {
			return from, err
		}
	}
	if rem.floor == 1 {
		if done, from, err := more(r.fromFirst(), nil); done {
			return from, err
		}
	}
	if odd != nil {
		// Every event is there and was shown: a mistake of our rules is no reason to
		// take a whole journal away.
		r.warnings = append(r.warnings, errors.Join(tried...))
		return odd, nil
	}
	return nil, fmt.Errorf("%w: no world can be made of it: %w", ErrCorrupt, errors.Join(tried...))
}

func (r *recovery) fromBase(ctx context.Context, rem *remains, i int) (*origin, error) {
	b := rem.bases[i]
	if b.seq < rem.floor-1 || b.seq > rem.head && rem.damage == nil {
		return nil, fmt.Errorf("%w: base %d is not between %d and %d", ErrCorrupt, b.seq, rem.floor-1, rem.head)
	}
	w, err := readBase(ctx, rem.db, b)
	if err != nil {
		return nil, err
	}
	source := world.RestoredFromBase
	if b.seq == 0 {
		source = world.RestoredFromJournal // the world before the first event
	}
	return &origin{source: source, epoch: rem.epochAt(b.seq), seq: b.seq, savedAt: b.savedAt, world: w, older: true}, nil
}

func (r *recovery) fromFirst() *origin {
	return &origin{source: world.RestoredFromJournal, world: r.clean(), older: true}
}

// epochAt is the line that an event was written on.
func (r *remains) epochAt(seq int64) string {
	epoch := ""
	for _, l := range r.lines {
		if l.FromSeq > max(seq, 1) {
			break
		}
		epoch = l.Epoch
	}
	return epoch
}

// errFold is a panic in Apply: our mistake, not the file's. Nothing is touched.
var errFold = errors.New("an event cannot be folded by this version")

// fold applies the events after from, up to the head. After an error from is as far
// as it came. ErrNewer is an event that this version does not know.
func (r *recovery) fold(ctx context.Context, rem *remains, from *origin) (err error) {
	err = eachEvent(ctx, rem.db, from.seq, rem.version >= 3, nil, func(e *eventRow) (bool, error) {
		ev, err := e.event()
		if err != nil {
			return false, err
		}
		if err := apply(from.world, ev); err != nil {
			return false, err
		}
		from.seq, from.savedAt, from.epoch = ev.Seq, ev.At, rem.epochAt(ev.Seq)
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("read the tail: %w", err)
	}
	return nil
}

// event is the event of a journal row without its text: no world holds any, and a row's
// text may be gone with a damaged page while the event is not.
func (e *eventRow) event() (world.Event, error) {
	if !e.stored() {
		return world.Event{}, fmt.Errorf("%w: event %d is not what was stored", ErrCorrupt, e.seq)
	}
	whole, err := world.WithText(e.frame, int(e.textAt), "")
	if err != nil {
		return world.Event{}, fmt.Errorf("%w: event %d: %w", ErrCorrupt, e.seq, err)
	}
	ev, err := world.DecodeEvent(whole)
	switch {
	case errors.Is(err, world.ErrUnknownEvent):
		return ev, fmt.Errorf("%s: %w: %w", JournalFile, ErrNewer, err)
	case err != nil:
		return ev, fmt.Errorf("%w: event %d: %w", ErrCorrupt, e.seq, err)
	case ev.Seq != e.seq || int64(ev.At) != e.at || ev.Body.EventType() != e.typ:
		return ev, fmt.Errorf("%w: event %d says it is %s %d of %s", ErrCorrupt, e.seq, ev.Body.EventType(), ev.Seq, ev.At)
	}
	return ev, nil
}

func apply(w *world.World, ev world.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %s %d: %v\n%s", errFold, ev.Body.EventType(), ev.Seq, p, debug.Stack())
		}
	}()
	world.Apply(w, ev)
	return nil
}
