package realm

import (
	"errors"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// How an erasure is prepared: what is asked for is looked up and noted, what goes on in it
// is stopped, and what it is of is found out. Nothing here changes what could not be taken
// back, up to history:erased (erase_tell.go).

// prepare is the goroutine up to history:erased: nothing of it changes anything that could
// not be taken back.
func (a *actor) prepare(e *erasing, names []string, bare bool) {
	asked := e.erasure
	before, err := a.eraser.EarlierErasure(a.life, asked)
	if err == nil && before == nil {
		asked.Conversations, err = a.known(asked, e.again)
	}
	if err == nil && before == nil && !e.again {
		err = a.eraser.IntendErasure(asked)
	}
	if a.reopens(err) {
		return
	}
	if err != nil || before != nil {
		a.inTurn(func() {
			if before != nil {
				a.erasureOver(e, *before, nil)
				return
			}
			a.erasureOver(e, world.Receipt{}, err)
		})
		return
	}
	scope, err := a.eraser.ScopeErasure(a.life, asked, names, bare)
	if err != nil {
		a.giveUp(e, err)
		return
	}
	stopped, spoken := make(chan struct{}), false
	var saves []chan struct{}
	if !a.inTurn(func() {
		if spoken = a.spokenSince(asked.Since); spoken {
			close(stopped)
			return
		}
		e.erasure, e.scope = asked, scope
		a.emit(e.requestID, a.ended(e)...)
		a.out(entry{
			effect: func() {
				saves = a.savesOf(scope.Talks)
				close(stopped)
			},
			lost: func() { a.erasureOver(e, world.Receipt{}, ErrBroken) }, // and this goroutine ends with the realm
		})
	}) {
		return
	}
	select {
	case <-stopped: // and durable: what the tables say of it is all there is
	case <-a.life.Done():
		return
	}
	for _, kept := range saves { // a skill that was being written is there or is not, and the receipt can name it
		select {
		case <-kept:
		case <-a.life.Done():
			return
		}
	}
	if spoken {
		a.giveUp(e, ErrNotSilent)
		return
	}
	if scope, err = a.eraser.ScopeErasure(a.life, asked, names, bare); err != nil {
		a.giveUp(e, err)
		return
	}
	a.inTurn(func() { a.tellErased(e, scope) })
}

// giveUp takes an intent back of which nothing has happened, where whoever asked is told so.
// Who asked in a life before this one was promised that it goes on: the next one tries again.
func (a *actor) giveUp(e *erasing, err error) {
	if a.life.Err() != nil {
		return // the next life takes it up
	}
	if a.reopens(err) {
		return // so it does here
	}
	if !e.again || errors.Is(err, ErrNotSilent) {
		err = errors.Join(err, a.eraser.DropErasure(e.erasure.ErasureID))
	}
	a.inTurn(func() { a.erasureOver(e, world.Receipt{}, err) })
}

// known are those of the conversations that are there. Of several, those that are not are
// passed over.
func (a *actor) known(asked world.Erasure, again bool) ([]string, error) {
	var there []string
	ids := asked.Conversations
	for _, id := range ids {
		c, err := a.journal.Conversation(a.life, id)
		seen, watched := asked.Since[id]
		switch {
		case err == nil && watched && (c.Conversation.UpdatedAt != seen || !c.Conversation.Ended()):
			return nil, ErrNotSilent
		case err == nil:
			there = append(there, id)
		case !errors.Is(err, world.ErrNoConversation):
			return nil, err
		}
	}
	if len(there) == 0 && len(ids) > 0 && !again {
		return nil, kind.NoTalk(ids[0])
	}
	return there, nil
}

// namesOf are the names that a person has in the world and at the sockets; their rows say
// the others.
func (a *actor) namesOf(id string) []string {
	if id == "" {
		return nil
	}
	names := map[string]bool{}
	for _, name := range a.audience.Names(id) {
		names[name] = true
	}
	for _, ag := range a.world.Agents {
		if ag.SpectatorID == id {
			names[ag.DisplayName] = true
		}
	}
	for _, c := range a.world.ProcessState.Cast {
		if c.SpectatorID == id {
			names[c.Name] = true
		}
	}
	for _, q := range a.world.Quests {
		if q.SpectatorID == id {
			names[q.Owner] = true
		}
	}
	delete(names, "")
	out := make([]string, 0, len(names))
	for n := range names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// ended ends what goes on in what is erased: runs, councils of the person, roles that
// the person holds.
func (a *actor) ended(e *erasing) []world.Body {
	var out []world.Body
	person := e.erasure.SpectatorID
	for _, k := range a.sees.Kinds.All {
		if f, ok := k.(kind.Forgetter); ok && person != "" {
			out = append(out, f.Forget(a.sees, person, nil)...)
		}
	}
	for _, id := range a.sees.TalkIDs() {
		talk := a.talks[id]
		goes := slices.Contains(e.scope.Talks, id)
		left := person != "" && !talk.Rules.Staged && talk.Head.Member(person) != nil
		if !goes && !left || talk.Head.Ended() && len(talk.Active()) == 0 {
			continue
		}
		if q, ok := a.kindOf(talk).(kind.Quitter); ok {
			out = append(out, q.Quits(a.sees, talk)...)
		}
		if !talk.Head.Ended() {
			out = append(out, &world.ConversationStatus{ConversationID: id, Status: world.ConversationAbandoned})
		}
		for _, run := range talk.Active() {
			out = append(out, a.ending(runKey{id, run.RequestID}, world.CancelPerson)...)
		}
	}
	return out
}
