package realm

import (
	"bytes"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// How an erasure is told: history:erased is decided, and with it everything that memory
// holds of what is erased is let go of; viewers come back for a world without it.

// tellErased decides history:erased: from here on nothing of it is in memory, and nobody
// reads the tables until they are redacted.
func (a *actor) tellErased(e *erasing, scope world.Scope) {
	if a.broken != nil {
		a.erasureOver(e, world.Receipt{}, ErrBroken)
		return
	}
	e.scope = scope
	told := &world.HistoryErased{
		ErasureID: e.erasure.ErasureID, SpectatorID: e.erasure.SpectatorID, Reason: e.erasure.Reason, Conversations: append([]string{}, scope.Talks...),
	}
	if len(e.erasure.Conversations) == 1 {
		told.ConversationID = e.erasure.Conversations[0]
	}
	a.by = e.erasure.Who
	defer func() { a.by = "" }()
	bodies := append(a.ended(e), a.savedMeanwhile(scope.Saving)...)
	for _, id := range scope.Talks {
		if talk := a.talks[id]; talk != nil {
			if f, ok := a.kindOf(talk).(kind.Forgetter); ok {
				bodies = append(bodies, f.Forget(a.sees, "", talk)...)
			}
		}
	}
	for _, id := range scope.Titled { // whoever sees it learns that its title has gone; of others the tables are redacted
		if talk := a.talks[id]; talk != nil && !slices.Contains(scope.Talks, id) && talk.Head.Title != world.ErasedName {
			bodies = append(bodies, &world.ConversationRenamed{ConversationID: id, Title: world.ErasedName})
		}
	}
	world.NewRedactor(scope, nil).Outcome(a.world, told)
	a.emit(e.requestID, append(bodies, told)...)
	if a.broken != nil {
		a.erasureOver(e, world.Receipt{}, ErrBroken)
		return
	}
	e.told = a.world.Tick
	if e.command != nil {
		a.remember(*e.command)
		a.outbox.lastRecord().command = e.command
	}
	e.mark = a.audience.Mark()
	a.veil.lower()
	a.letGoOf(e)
	e.after = a.picture()
	a.out(entry{
		effect: func() { a.work.Go(func() { a.redact(e) }) },
		lost:   func() { a.erasureOver(e, world.Receipt{}, errCutShort) }, // whether it is told the next opening sees
	})
}

// letGoOf takes what is erased out of the actor's memory.
func (a *actor) letGoOf(e *erasing) {
	red := world.NewRedactor(e.scope, nil)
	for id, talk := range a.talks {
		if slices.Contains(e.scope.Talks, id) {
			delete(a.talks, id)
			continue
		}
		talk.Redact(red)
	}
	for key, row := range a.replies {
		if e.erasure.SpectatorID != "" && row.SpectatorID == e.erasure.SpectatorID || slices.ContainsFunc(e.scope.Talks, func(id string) bool {
			return bytes.Contains(row.Reply, []byte(`"`+id+`"`))
		}) {
			a.forgetReply(key)
		}
	}
	gone, members := a.vaults.Redact(red, a.now)
	e.changed["insights"] += gone
	for _, id := range members {
		a.saveVault(id)
	}
	a.forgetMidway(red)
	a.noteErased()
	a.out(entry{frame: a.audience.Forget(a.r.Erased)})
}

func (a *actor) noteErased() {
	gone := slices.Clone(a.world.Erased)
	a.r.erased.Store(&gone)
}

// erasedShown is when history:erased is let out: viewers that have not had what came
// before it come back for a snapshot, which is the world after it.
func (a *actor) erasedShown(seq int64) {
	e := a.erasing
	if e == nil || e.told != seq {
		return
	}
	a.audience.Erased(e.mark, seq, e.scope)
	a.saved.Erased(e.after)
	a.latest = nil
}
