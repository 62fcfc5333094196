package realm

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

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
	m, r := a.memory(), &rescue{}
	a.rescue = r
	a.r.rescuing.Store(true)
	a.work.Go(func() {
		r.dir, r.err = a.rescuer.Rescue(m)
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

// memory is what is committed of what the actor has. A world from before an erasure is left
// out: the journal has the one after it.
func (a *actor) memory() world.Memory {
	var m world.Memory
	if a.base.seq >= a.r.feed.ErasedAt() && (a.erasing == nil || a.base.seq >= a.erasing.told) {
		m.Checkpoint = world.Checkpoint{Epoch: a.epoch, Seq: a.base.seq, SavedAt: world.TimeOf(a.now), World: a.base.world}
	}
	newer := map[string]int{} // by member: insights that are not committed
	for _, e := range a.outbox.entries {
		if e.record == nil {
			continue
		}
		if k, ok := e.record.Event.Body.(*world.KnowledgeUpdated); ok {
			newer[k.AgentID]++
		}
	}
	for id, v := range a.vaults {
		vault := *v
		vault.Insights = slices.Clone(v.Insights[:max(0, len(v.Insights)-newer[id])])
		vault.Epoch, vault.Seq, vault.SavedAt = a.epoch, a.head, world.TimeOf(a.now)
		m.Vaults = append(m.Vaults, vault)
	}
	for _, s := range a.sees.Texts {
		m.Skills = append(m.Skills, s)
	}
	return m
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
