package realm

import (
	"context"
	"errors"
	"slices"
	"strings"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// An erasure (P16.3), asked for and answered, one at a time. Its intent is durable;
// what it is of is found out and what goes on in it is stopped (erase_prepare.go);
// history:erased is committed, and with it memory lets go (erase_tell.go); rows, bases and
// files are redacted beside the commits (erase_redact.go). The waiting is done by a goroutine
// (prepare, then redact), each decision in a turn of the actor.

// eraseMsg asks for an erasure; answer is told once, and may be nil.
type eraseMsg struct {
	erasure   world.Erasure
	requestID string
	command   *world.CommandRow // to be remembered with history:erased
	answer    func(world.Receipt, error)
	again     bool // it was intended by a life before this one
}

// maxErasures is how many wait while one is under way; more are refused.
const maxErasures = 16

// Erase erases conversations, or a person's words and identity, and returns once the bytes
// are gone (S1-19). Who, Reason and one of Conversations and SpectatorID are to be given.
// The same again gives the same receipt. Where ctx ends first the erasure goes on, across
// restarts too. A *wire.Error says why it was not begun: not_found, conflict for a process
// that runs, unsaved while the disk does not answer, rate_limited.
func (r *Realm) Erase(ctx context.Context, e world.Erasure) (world.Receipt, error) {
	type result struct {
		receipt world.Receipt
		err     error
	}
	done := make(chan result, 1)
	err := r.ask(ctx, eraseMsg{erasure: e, answer: func(receipt world.Receipt, err error) { done <- result{receipt, err} }})
	if err != nil {
		return world.Receipt{}, err
	}
	select {
	case res := <-done:
		return res.receipt, res.err
	case <-r.done:
		select {
		case res := <-done:
			return res.receipt, res.err
		default:
			return world.Receipt{}, watch.ErrStopped
		}
	case <-ctx.Done():
		return world.Receipt{}, context.Cause(ctx)
	}
}

// Erased says that a person of that id was erased here: who comes with their seat is
// somebody else.
func (r *Realm) Erased(spectatorID string) bool {
	gone := r.erased.Load()
	return gone != nil && slices.Contains(*gone, spectatorID)
}

// erasing is the erasure under way.
type erasing struct {
	eraseMsg
	scope   world.Scope
	told    int64               // seq of history:erased, 0 before it is decided
	mark    uint64              // of the ring, when it was decided
	after   *checkpoint.Picture // the realm after it
	changed map[string]int
}

// covers says that a conversation or a person is being erased.
func (e *erasing) covers(id string) bool {
	return e != nil && id != "" && (e.erasure.SpectatorID == id || slices.Contains(e.erasure.Conversations, id) || slices.Contains(e.scope.Talks, id))
}

// erase is the turn in which one is asked for.
func (a *actor) erase(m eraseMsg) {
	if m.answer == nil {
		m.answer = func(world.Receipt, error) {}
	}
	switch e := &m.erasure; {
	case a.broken != nil:
		m.answer(world.Receipt{}, ErrBroken)
		return
	case a.cutShort:
		m.answer(world.Receipt{}, errCutShort)
		return
	case a.eraser == nil || a.stopping:
		m.answer(world.Receipt{}, wire.Errorf(wire.NotReady, "nothing can be erased here now"))
		return
	case (len(e.Conversations) == 0) == (e.SpectatorID == "") || len(e.Conversations) > world.MaxErasedTalks:
		m.answer(world.Receipt{}, wire.Errorf(wire.BadField, "an erasure is of a person or of 1 to %d conversations", world.MaxErasedTalks))
		return
	case a.save.State == wire.SaveFailing || a.full():
		m.answer(world.Receipt{}, wire.Errorf(wire.Unsaved, "the disk does not answer, so nothing was begun; ask again when it does"))
		return
	case !m.again && a.world.ProcessState.Status == world.StatusRunning && slices.Contains(e.Conversations, a.world.ProcessState.ConversationID):
		m.answer(world.Receipt{}, wire.Errorf(wire.Conflict, "the process runs: /pause it first; erasing its conversation ends it"))
		return
	case a.erasing != nil && len(a.erasures) >= maxErasures:
		m.answer(world.Receipt{}, wire.Errorf(wire.RateLimited, "%d erasures wait already; try again later", maxErasures))
		return
	case a.erasing != nil:
		a.erasures = append(a.erasures, m)
		return
	}
	if m.erasure.ErasureID == "" {
		// The epoch's part: an id that was intended and not told is not made again.
		m.erasure.ErasureID, m.erasure.At = a.newID("e")+"-"+a.epoch[:min(8, len(a.epoch))], a.at()
	}
	e := &erasing{eraseMsg: m, changed: map[string]int{}}
	a.erasing = e
	names, bare := a.namesOf(m.erasure.SpectatorID), a.world.Realm.Path == ""
	a.work.Go(func() { a.prepare(e, names, bare) })
}

// inTurn has the actor do something; false: the realm is ending.
func (a *actor) inTurn(step func()) bool {
	select {
	case a.r.inbox <- readMsg{step}:
		return true
	case <-a.life.Done():
		return false
	}
}

// erasureOver answers, and begins the next one.
func (a *actor) erasureOver(e *erasing, receipt world.Receipt, err error) {
	var refused *wire.Error
	switch {
	case err == nil && receipt.ErasureID != e.erasure.ErasureID:
		a.log.Info().Str("erasure", receipt.ErasureID).Msg("erased before: the receipt is given again")
	case err == nil:
		a.log.Info().Str("erasure", e.erasure.ErasureID).Str("reason", e.erasure.Reason).Int("conversations", len(e.scope.Talks)).Msg("erased")
	case !errors.As(err, &refused) && !errors.Is(err, ErrNotSilent):
		a.log.Error().Err(err).Str("erasure", e.erasure.ErasureID).Msg("nothing was erased")
	}
	a.erasing = nil
	a.cutShort = a.cutShort || errors.Is(err, errCutShort)
	e.answer(receipt, err)
	for a.erasing == nil && len(a.erasures) > 0 { // one that is refused does not begin
		next := a.erasures[0]
		a.erasures = a.erasures[1:]
		a.erase(next)
	}
	if a.erasing != nil {
		return
	}
	if !a.cutShort { // else the tables stay veiled
		a.veil.lift()
	}
	asking := a.heldBack
	a.heldBack = nil
	for _, m := range asking {
		a.onMessage(m)
	}
}

// eraseFor is the turn of history:erase.
func (a *actor) eraseFor(in Input, c *wire.HistoryErase) {
	goes := func(id string) bool { return id != "" && (a.world.IsErased(id) || a.erasing.covers(id)) }
	if goes(in.From.SpectatorID) && !goes(c.SpectatorID) && !goes(c.ConversationID) {
		a.refuse(in, unknownHere) // what has gone already they may ask for again: they were cut off by it
		return
	}
	m := eraseMsg{
		erasure: world.Erasure{SpectatorID: c.SpectatorID, Reason: world.ErasedOnRequest, Who: in.From.SpectatorID}, requestID: in.RequestID,
		answer: func(receipt world.Receipt, err error) {
			var e *wire.Error
			switch {
			case err == nil:
				a.out(entry{reply: a.encode(&wire.Erased{RequestID: in.RequestID, Receipt: receipt}), to: in.To})
			case errors.As(err, &e):
				a.refuse(in, e)
			default:
				a.refuse(in, wire.Errorf(wire.Internal, "it could not be erased; nothing was changed, and the server's log says more"))
			}
		},
	}
	if c.ConversationID != "" {
		m.erasure.Conversations = []string{c.ConversationID}
	}
	if in.RequestID != "" {
		m.command = &world.CommandRow{
			SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: hashOf(c), At: a.calendar.now,
			Reply: a.encode(&wire.CommandReply{RequestID: in.RequestID, Command: c.CommandType()}),
		}
	}
	if strings.TrimSpace(m.erasure.Who) == "" {
		m.erasure.Who = "server"
	}
	a.erase(m)
}

// holds keeps questions back that would show what a life before this one was to erase.
// They wait with those who ask: at most as many as there are sockets and requests.
func (a *actor) holds(msg any) bool {
	if a.erasing == nil || !a.erasing.again {
		return false
	}
	switch msg.(type) {
	case attachMsg, worldMsg:
		a.heldBack = append(a.heldBack, msg)
		return true
	}
	return false
}

// takeUp begins the erasures that a life before this one intended.
func (a *actor) takeUp() {
	for _, e := range a.pendingErasures {
		a.veil.lower()
		a.erase(eraseMsg{erasure: e, again: true})
	}
	a.pendingErasures = nil
}

var unknownHere = wire.Errorf(wire.NotAllowed, "who you were here was erased; say who you are again (spectator:register)")

// unwelcome is what somebody is told who was erased here, or whose conversation is.
func (a *actor) unwelcome(in Input) *wire.Error {
	switch id := in.From.SpectatorID; {
	case id != "" && (a.world.IsErased(id) || a.erasing.covers(id)):
		return unknownHere
	case a.erasing.covers(target(in.Command)):
		return wire.Errorf(wire.Conflict, "this conversation is being erased")
	}
	return nil
}

// readMsg is a turn that something asks for that runs beside the actor.
type readMsg struct{ then func() }
