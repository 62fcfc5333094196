package recovery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// generation is one of the two checkpoints in a realm's folder. It is read when it is needed:
// state.prev.json only if state.json cannot be used.
type generation struct {
	name   string
	source string
	read   bool
	loaded *files.LoadedCheckpoint
	err    error
}

func generations() []*generation {
	return []*generation{
		{name: files.StateFile, source: world.RestoredFromCheckpoint},
		{name: files.PreviousFile, source: world.RestoredFromPrevious},
	}
}

func (g *generation) load(files *files.Realm) {
	if !g.read {
		g.read = true
		g.loaded, g.err = files.LoadCheckpoint(g.name)
	}
}

// spoiled reports whether the file cannot be used by any version of this program.
func (g *generation) spoiled() bool {
	return errors.Is(g.err, disk.ErrCorrupt) || errors.Is(g.err, disk.ErrNewer)
}

// unread reports whether the disk could not read the file: it may be intact.
func (g *generation) unread() bool {
	return g.err != nil && !g.spoiled() && !errors.Is(g.err, disk.ErrMissing)
}

func (g *generation) origin() *origin {
	c := g.loaded
	// A copy, because a fold may fail half way and start again.
	return &origin{source: g.source, file: g.name, epoch: c.Epoch, seq: c.Seq, savedAt: c.SavedAt,
		world: c.World.Clone(), land: c.Land, older: c.Older}
}

// standing is the relation of a checkpoint to a journal, by its table of epochs.
type standing int

const (
	otherLine standing = iota // (epoch, seq) names no event that this realm ever had
	onLine                    // at or below the head, and the journal has the events after it
	trimmed                   // in an epoch of the journal, but the events after it were trimmed
	ahead                     // of the journal's last epoch, and past its head
)

// standing tells apart the two ways in which state.json can be past the journal's
// head. The line table decides, because of the order in which things are written:
//
//   - A line's row is in realm.db itself, synced, before its epoch is in any other
//     file (Open), and a checkpoint is written only once the journal's head
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
func (g *generation) standing(rem *Remains) standing {
	epoch, seq := g.loaded.Epoch, g.loaded.Seq
	for i, l := range rem.Lines {
		if l.Epoch != epoch {
			continue
		}
		last := i == len(rem.Lines)-1
		switch {
		case seq < l.FromSeq-1, !last && seq >= rem.Lines[i+1].FromSeq:
			return otherLine
		case seq < rem.floor-1:
			return trimmed
		case seq > rem.Head:
			return ahead
		}
		return onLine
	}
	return otherLine
}

// fromJournal implements the first two rows of the table: it starts from the newest readable checkpoint of an
// epoch of this journal; otherwise from the newest base; otherwise from the first event. It then folds the
// events after that.
func (r *opening) fromJournal(ctx context.Context, rem *Remains, gens []*generation) (*origin, error) {
	var tried []error
	var odd *origin // the world after all events, if it is not valid
	more := func(from *origin, err error) (done bool, _ *origin, _ error) {
		if err == nil {
			err = r.fold(ctx, rem, from)
		}
		if err == nil && from.seq != rem.Head {
			err = fmt.Errorf("%w: its last event is %d, its head %d", disk.ErrCorrupt, from.seq, rem.Head)
		}
		if err == nil {
			if invalid := from.world.Validate(); invalid != nil {
				err = fmt.Errorf("%w: the world at %d: %w", disk.ErrCorrupt, from.seq, invalid)
				if odd == nil {
					odd = from
				}
			}
		}
		if err == nil || !sqlite.IsDamage(err) {
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
			return nil, fmt.Errorf("%w: its head is %d, %s of its epoch is at %d", disk.ErrCorrupt, rem.Head, g.name,
				g.loaded.Seq)
		case g.standing(rem) == onLine:
			if done, from, err := more(g.origin(), nil); done {
				return from, err
			}
		}
	}
	for i := range rem.Bases {
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
		// All events are there and were shown: a mistake in our rules is no reason to abandon an intact
		// journal.
		r.warnings = append(r.warnings, errors.Join(tried...))
		return odd, nil
	}
	return nil, fmt.Errorf("%w: no world can be made of it: %w", disk.ErrCorrupt, errors.Join(tried...))
}

func (r *opening) fromBase(ctx context.Context, rem *Remains, i int) (*origin, error) {
	b := rem.Bases[i]
	if b.Seq < rem.floor-1 || b.Seq > rem.Head && rem.Damage == nil {
		return nil, fmt.Errorf("%w: base %d is not between %d and %d", disk.ErrCorrupt, b.Seq, rem.floor-1, rem.Head)
	}
	w, land, err := tables.ReadBase(ctx, rem.db, b)
	if err != nil {
		return nil, err
	}
	source := world.RestoredFromBase
	if b.Seq == 0 {
		source = world.RestoredFromJournal // the world before the first event
	}
	return &origin{
		source: source, epoch: rem.epochAt(b.Seq), seq: b.Seq, savedAt: b.SavedAt, world: w, land: land, older: true,
	}, nil
}

func (r *opening) fromFirst() *origin {
	return &origin{source: world.RestoredFromJournal, world: r.clean(), land: world.NewLand(), older: true}
}

// epochAt returns the epoch in which an event was written.
func (r *Remains) epochAt(seq int64) string {
	epoch := ""
	for _, l := range r.Lines {
		if l.FromSeq > max(seq, 1) {
			break
		}
		epoch = l.Epoch
	}
	return epoch
}

// errFold means a panic in Apply: a fault of this program, not of the file. No file is changed.
var errFold = errors.New("an event cannot be folded by this version")

// fold applies the events after from, up to the head. After an error, from is at the last applied event. It
// returns ErrNewer for an event that this version does not know.
func (r *opening) fold(ctx context.Context, rem *Remains, from *origin) (err error) {
	err = tables.EachEvent(ctx, rem.db, from.seq, rem.version >= 3, nil, func(e *tables.EventRow) (bool, error) {
		ev, err := e.Event()
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

func apply(w *world.World, ev world.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %s %d: %v\n%s", errFold, ev.Body.EventType(), ev.Seq, p, debug.Stack())
		}
	}()
	world.Apply(w, ev)
	return nil
}
