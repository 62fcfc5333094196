package realm

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A realm whose database was deleted or replaced while it was open is broken: nothing is
// committed into a file that nobody finds after the stop. What it holds is written elsewhere at
// once, out of the handles that are still open.

// rescue is what became of that. Only its goroutine writes it, and after that whoever has
// waited for the goroutine reads it.
type rescue struct {
	dir string // "" where it failed
	err error  // what dir lacks, or why there is none
}

// rescueTime bounds how long a stop waits for a rescue after it has given up on the disk: longer
// than a database of the largest realm takes to copy.
const rescueTime = 10 * time.Minute

// lookWhereItLies breaks a realm down at its stop whose database was taken away while nothing
// was committed.
func (a *actor) lookWhereItLies() {
	if a.broken != nil || a.rescuer == nil {
		return
	}
	if err := a.rescuer.InPlace(); err != nil {
		a.breakdown(err)
	}
}

// beginRescue is part of breakdown.
func (a *actor) beginRescue() {
	const lost = "This realm's database was deleted or replaced while the server was running. It can only be read. "
	if a.rescuer == nil || a.rescue != nil {
		a.tellRescue(lost + "Stop the server and look into its log.")
		return
	}
	a.tellRescue(lost + "What was shown is being written to another folder.")
	m, picture, r := a.memory(), a.committedPicture(), &rescue{}
	a.rescue = r
	a.r.rescuing.Store(true)
	a.work.Go(func() {
		var lacks error
		if picture != nil {
			m.Checkpoint, lacks = picture.Checkpoint()
		}
		r.dir, r.err = a.rescuer.Rescue(m)
		r.err = errors.Join(lacks, r.err)
		message := lost + "What was shown could not be written elsewhere either. Do not stop the server before you have saved what you need from this page."
		switch {
		case r.dir == "":
			a.log.Error().Err(r.err).Msg("the realm could not be rescued")
		default:
			message = lost + "What was shown was written to the folder " + filepath.Base(r.dir) + "; the server's log says where that is. Stop the server and move it back."
			a.log.Error().Err(r.err).Str("rescued", r.dir).Msg("the realm was written to another folder; stop the server and move that folder to the realm's place")
		}
		select {
		case a.r.inbox <- readMsg{func() { a.tellRescue(message) }}:
		case <-a.life.Done(): // the realm ends: the log has it
		}
	})
}

// memory is what is committed of what the actor has, but its world.
func (a *actor) memory() world.Memory {
	m := world.Memory{Vaults: a.vaults.Committed(a.epoch, a.head, world.TimeOf(a.now), a.newInsights())}
	for _, s := range a.sees.Texts {
		m.Skills = append(m.Skills, s)
	}
	return m
}

// committedPicture is the newest picture whose events are all committed. One from before an
// erasure is nil: the journal has the one after it.
func (a *actor) committedPicture() *checkpoint.Picture {
	base := a.saved.Base()
	if base.Seq() < max(a.r.feed.ErasedAt(), a.erasures.Least()) {
		return nil
	}
	return base
}

// tellRescue says to everybody how it stands with a broken realm.
func (a *actor) tellRescue(message string) {
	if a.save.State == wire.SaveBroken {
		a.save.Message = message
		a.aside(&a.save)
	}
}

// endRescue says at the stop where the realm is. The rescue has ended.
func (a *actor) endRescue() {
	if a.rescue == nil {
		return
	}
	if a.rescue.dir == "" {
		a.r.stopErr = errors.Join(a.r.stopErr, a.rescue.err)
		return
	}
	a.r.stopErr = fmt.Errorf("%w; it was written to %s", a.r.stopErr, a.rescue.dir)
}
