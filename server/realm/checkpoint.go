package realm

import (
	"fmt"
	"time"

	"agentdungeon/shared/world"
)

// When a checkpoint is taken: quiet after the last change, but never more than
// unsaved after the first one that is not in it (S3-06; a debounce without a
// maximum never saves a busy realm).
const (
	quiet   = time.Second
	unsaved = 5 * time.Second
)

// checkpointDue is when the next checkpoint is to be taken, zero for not.
func (a *actor) checkpointDue() time.Time {
	if a.dirtySince.IsZero() || a.encoding || a.candidate != nil || a.broken != nil {
		return time.Time{}
	}
	due := a.dirtyLast.Add(quiet)
	if limit := a.dirtySince.Add(unsaved); limit.Before(due) {
		due = limit
	}
	return due
}

// checkpoint clones the world when it is time; encoding and writing happen
// elsewhere.
func (a *actor) checkpoint() {
	due := a.checkpointDue()
	if due.IsZero() || a.now.Before(due) {
		return
	}
	a.encoding = true
	a.dirtySince = time.Time{}
	if len(a.vaultDirty) == 0 && a.world.Tick-a.vaultsAt >= vaultMarks {
		a.saveVaults()
	}
	a.keeping.clones <- a.clone() // never blocks: one under way, room for one
}

func (a *actor) clone() clone {
	c := a.moment()
	c.world = c.world.Clone()
	return c
}

// moment is what clone is a copy of: it holds until the next event.
func (a *actor) moment() clone {
	a.letGo()
	return clone{world: a.world, views: a.views(), epoch: a.epoch, at: a.calendar.now, info: a.info()}
}

func (a *actor) onEncoded(e encoded) {
	a.encoding = false
	if e.seq < a.r.feed.ErasedAt() || a.erasing != nil && e.seq < a.erasing.told {
		return // it holds what was erased since; the world after that is written
	}
	if e.err != nil {
		a.breakdown(fmt.Errorf("encode the world: %w", e.err))
		return
	}
	a.candidate = &e
	a.promote()
}

// promote takes the encoded world as base and writes it, once all its events are
// committed: a checkpoint is never ahead of the journal.
func (a *actor) promote() {
	e := a.candidate
	if e == nil || e.seq > a.head {
		return
	}
	a.candidate = nil
	a.base = e.base
	a.keeping.put(e)
}

// firstBase encodes what the folder gave back, before anything else happens: all
// of it is committed.
func (a *actor) firstBase(saved *world.Saved) {
	c := a.moment()
	c.encoded = saved.Encoded
	e := encode(c)
	if e.err != nil {
		a.breakdown(fmt.Errorf("encode the world: %w", e.err))
	}
	a.base = e.base
	// Of realms that are used for an hour a day, too, a base is saved each day.
	a.keeping.lastBaseSeq, a.keeping.lastBaseAt = saved.BaseSeq, a.now
	if at := saved.BaseAt.Go(); saved.BaseAt > 0 && at.Before(a.now) {
		a.keeping.lastBaseAt = at
	}
	a.keeping.saved = a.summary
}

// lastCheckpoint is the stop's: synchronous, of what is committed.
func (a *actor) lastCheckpoint() error {
	if a.broken == nil && a.world.Tick == a.head {
		e := encode(a.clone())
		if e.err != nil {
			return fmt.Errorf("encode the world: %w", e.err)
		}
		a.keeping.put(&e)
	} // else the journal has what was shown; the next start folds it
	return a.keeping.finish(a.files, a.journal)
}
