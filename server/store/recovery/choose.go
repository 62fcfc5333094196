package recovery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// origin is a stored world from which a restore starts. The restore applies all later events to it; the result is the
// world from which the realm continues.
type origin struct {
	source  string // world.RestoredFromCheckpoint and so on
	file    string // the checkpoint's file, "" if no file holds this world
	epoch   string // the epoch in which event seq was written
	seq     int64
	savedAt world.Time // when the world was written
	world   *world.World
	land    *world.Land // the last known land; must not be changed
	older   bool        // an older version, without world.Instance, wrote the world or events after it
	// settled encodes world and land when it is first called; nil until settle is called.
	settled func() ([]byte, error)
}

// settle gives land the form in which the realm starts with it. From now on world and land must not be changed, and
// state encodes them only once.
func (o *origin) settle() {
	land := *o.land
	// Each opening counts the generations of the map from 0 again. The stored generation must not stay: a page ignores
	// a survey whose generation is not higher than that of the map that it shows.
	land.Map.Generation = 0
	o.land = &land
	o.settled = sync.OnceValues(func() ([]byte, error) { return world.EncodeState(o.world, o.land) })
}

// state returns the encoded world and land.
func (o *origin) state() ([]byte, error) {
	if o.settled != nil {
		return o.settled()
	}
	return world.EncodeState(o.world, o.land)
}

// checkpoint returns the world as state.json stores it.
func (o *origin) checkpoint() (world.Checkpoint, error) {
	raw, err := o.state()
	if err != nil {
		return world.Checkpoint{}, err
	}
	return world.Checkpoint{Epoch: o.epoch, Seq: o.seq, SavedAt: o.savedAt, World: raw}, nil
}

// notice returns the report of an opening to clients, for an opening that continues from o and loses nothing.
func (o *origin) notice(x *examined) *tables.Notice {
	return &tables.Notice{Head: o.seq, Source: o.source, Since: o.savedAt, TranscriptsLost: x.logLost}
}

// relation says whether a checkpoint's position (epoch, seq) is in a journal.
type relation int

const (
	foreign relation = iota // the realm never had an event with this epoch and seq
	inside                  // the journal has all events after the position
	trimmed                 // the journal has the epoch, but events after the position were trimmed
	ahead                   // the position is in the journal's last epoch, after its head
)

// relate compares the checkpoint with a journal. state.json can be newer than the journal's head in two ways. The
// journal's table of epochs tells them apart, because of the order in which files are written:
//
//   - An epoch is in realm.db itself, synced, before it is in any other file (journal.Open), and a checkpoint is
//     written only after the journal has its events. So if a checkpoint of the last epoch is after the head, the
//     journal has lost acknowledged events at its end: realm.db-wal is missing, or realm.db is an older copy. Then
//     state.json is the newest world there is.
//   - An epoch that the journal does not have, or a seq after the end of its epoch, belongs to events that this realm
//     never had: state.json is from another realm, or from a copy of this one that was used elsewhere. The journal
//     lacks nothing, so it stays, and state.json is set aside. The same happens if realm.db was replaced by a copy
//     from before the checkpoint's epoch: nothing in the folder distinguishes the two cases, and only the journal has
//     the transcripts.
func (c *checkpointFile) relate(to *examined) relation {
	epoch, seq := c.loaded.Epoch, c.loaded.Seq
	for i, l := range to.lines {
		if l.Epoch != epoch {
			continue
		}
		last := i == len(to.lines)-1
		switch {
		case seq < l.FromSeq-1, !last && seq >= to.lines[i+1].FromSeq:
			return foreign
		case seq < to.floor-1:
			return trimmed
		case seq > to.head:
			return ahead
		}
		return inside
	}
	return foreign
}

// chooseWorld returns the world at the head of an intact journal. It starts from the newest readable checkpoint whose
// epoch the journal has, otherwise from the newest base, otherwise from the first event, and folds all later events.
// warnings are errors that did not prevent that.
func (d *realmDir) chooseWorld(ctx context.Context, from *examined, checkpoints []*checkpointFile) (_ *origin,
	warnings []error, err error) {
	var failed []error
	var invalid *origin // the world after all events, if that world is not valid
	try := func(o *origin, err error) (done bool, _ *origin, _ error) {
		if err == nil {
			err = from.fold(ctx, o)
		}
		if err == nil && o.seq != from.head {
			err = fmt.Errorf("%w: the last readable event is %d, but the head is %d", disk.ErrCorrupt, o.seq, from.head)
		}
		if err == nil {
			if problem := o.world.Validate(); problem != nil {
				err = fmt.Errorf("%w: the world at event %d is invalid: %w", disk.ErrCorrupt, o.seq, problem)
				if invalid == nil {
					invalid = o
				}
			}
		}
		if err == nil || !sqlite.IsDamage(err) {
			return true, o, err
		}
		failed = append(failed, err)
		return false, nil, nil
	}
	for _, c := range checkpoints {
		c.load(d.files)
		if c.isUnread() {
			warnings = append(warnings, c.err)
		}
		if c.loaded == nil {
			continue
		}
		switch c.relate(from) {
		case ahead:
			return nil, warnings, fmt.Errorf("%w: the journal's head is %d, but %s of the same epoch has seq %d",
				disk.ErrCorrupt, from.head, c.name, c.loaded.Seq)
		case inside:
			if done, o, err := try(c.take(), nil); done {
				return o, warnings, err
			}
		}
	}
	for _, b := range from.bases {
		if done, o, err := try(from.originAt(ctx, b)); done {
			return o, warnings, err
		}
	}
	if from.floor == 1 {
		if done, o, err := try(d.firstOrigin(), nil); done {
			return o, warnings, err
		}
	}
	if invalid != nil {
		// All events could be read, and clients have seen them. So the world may be right and Validate wrong; a mistake in
		// Validate must not make an intact journal unusable.
		return invalid, append(warnings, errors.Join(failed...)), nil
	}
	return nil, warnings, fmt.Errorf("%w: no world can be made of the journal: %w", disk.ErrCorrupt,
		errors.Join(failed...))
}

// originAt returns the world of a base as an origin.
func (x *examined) originAt(ctx context.Context, b tables.BaseRow) (*origin, error) {
	if b.Seq < x.floor-1 || b.Seq > x.head {
		return nil, fmt.Errorf("%w: base %d is not between %d and %d", disk.ErrCorrupt, b.Seq, x.floor-1, x.head)
	}
	w, land, err := tables.ReadBase(ctx, x.db, b)
	if err != nil {
		return nil, err
	}
	return baseOrigin(b, w, land, x.epochAt(b.Seq)), nil
}

// take returns the checkpoint as a world to start from. The caller may change the world, so the next load reads the
// file again: after a fold that has failed, recovery starts again from the same file. A copy of a world of 10 MB would
// take a twentieth of the time of a restart, and only damaged journals need a second world.
func (c *checkpointFile) take() *origin {
	l := c.loaded
	c.read = false
	return &origin{source: c.source, file: c.name, epoch: l.Epoch, seq: l.Seq, savedAt: l.SavedAt,
		world: l.World, land: l.Land, older: l.Older}
}

func baseOrigin(b tables.BaseRow, w *world.World, land *world.Land, epoch string) *origin {
	source := world.RestoredFromBase
	if b.Seq == 0 {
		source = world.RestoredFromJournal // the world before the first event
	}
	return &origin{source: source, epoch: epoch, seq: b.Seq, savedAt: b.SavedAt, world: w, land: land, older: true}
}

// firstOrigin returns the world before the first event.
func (d *realmDir) firstOrigin() *origin {
	return &origin{source: world.RestoredFromJournal, world: d.newWorld(), land: world.NewLand(), older: true}
}

// epochAt returns the epoch in which an event was written.
func (x *examined) epochAt(seq int64) string {
	epoch := ""
	for _, l := range x.lines {
		if l.FromSeq > max(seq, 1) {
			break
		}
		epoch = l.Epoch
	}
	return epoch
}

// timeAt returns the time of the journal's last event or, if that cannot be read, the time at which o was written.
func (x *examined) timeAt(o *origin) world.Time {
	if x.isWhole() && x.lastAt > 0 {
		return x.lastAt
	}
	return o.savedAt
}

// foldError reports a panic in world.Apply: a fault of this program and not of the file, so no file is changed.
type foldError struct {
	seq  int64
	text string
}

func (e *foldError) Error() string { return e.text }

// apply applies an event to the world, of which fold is a Fold. It returns ErrNewer for an event that this version does
// not know, and a *foldError for one that it cannot apply.
func (o *origin) apply(fold *world.Fold, e *tables.EventRow) (err error) {
	ev, err := e.Event()
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = &foldError{ev.Seq, fmt.Sprintf("an event cannot be folded by this version: %s %d: %v\n%s",
				ev.Body.EventType(), ev.Seq, p, debug.Stack())}
		}
	}()
	fold.Apply(ev)
	o.seq, o.savedAt, o.file = ev.Seq, ev.At, ""
	return nil
}

// fold applies to o the events that follow it, up to the head. After an error, o is the world after the last event
// that was applied.
func (x *examined) fold(ctx context.Context, o *origin) error {
	began, fold := o.seq, world.NewFold(o.world)
	if err := tables.EachEvent(ctx, x.db, began, x.version >= 3, nil, func(e *tables.EventRow) (bool, error) {
		return true, o.apply(fold, e)
	}); err != nil {
		return fmt.Errorf("apply the events after event %d: %w", began, err)
	}
	if o.seq > began {
		o.epoch = x.epochAt(o.seq)
	}
	return nil
}
