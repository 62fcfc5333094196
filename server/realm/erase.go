package realm

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// An erasure (design 3.13): the intent is durable; what goes on in it is stopped; what it
// is of is found out; history:erased is committed, and with it everybody lets go; rows,
// bases and files are redacted beside the commits; the receipt answers. The waiting is
// done by a goroutine (see erasing.work), each decision in a turn of the actor.

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
			return world.Receipt{}, ErrStopped
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
	told    int64  // seq of history:erased, 0 before it is decided
	mark    uint64 // of the ring, when it was decided
	encoded *encoded
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
	case a.cut:
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
		m.erasure.ErasureID, m.erasure.At = a.newID("e")+"-"+a.epoch[:min(8, len(a.epoch))], max(world.TimeOf(a.now), a.lastAt)
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
	if !a.inTurn(func() {
		if spoken = a.spokenSince(asked.Since); spoken {
			close(stopped)
			return
		}
		e.erasure, e.scope = asked, scope
		a.emit(e.requestID, a.ended(e)...)
		a.out(entry{effect: func() { close(stopped) }})
	}) {
		return
	}
	select {
	case <-stopped: // and durable: what the tables say of it is all there is
	case <-a.life.Done():
		return
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

// giveUp takes an intent back of which nothing has happened.
func (a *actor) giveUp(e *erasing, err error) {
	if a.life.Err() != nil {
		return // the next life takes it up
	}
	err = errors.Join(err, a.eraser.DropErasure(e.erasure.ErasureID))
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
		return nil, noTalk(ids[0])
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
	for _, p := range a.viewers {
		if p.SpectatorID == id {
			names[p.Name] = true
		}
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
	p := &a.world.ProcessState
	if person != "" && (p.Status == world.StatusRunning || p.Status == world.StatusPaused) {
		for _, c := range p.Cast {
			if c.SpectatorID != person {
				continue
			}
			if a.world.Agent(c.RoleID) != nil {
				out = append(out, &world.AgentLeft{AgentID: c.RoleID, Reason: "dismissed"})
			}
			out = append(out, &world.ProcessCast{Casting: world.Casting{RoleID: c.RoleID, MemberID: c.MemberID, Kind: world.KindOpen}})
			out = append(out, a.dismissing(c.RoleID)...)
		}
	}
	for _, id := range a.talkIDs() {
		talk := a.talks[id]
		goes := slices.Contains(e.scope.Talks, id)
		left := person != "" && talk.Head.Kind != world.KindProcess && talk.Head.Member(person) != nil
		if !goes && !left || talk.Head.Ended() && len(talk.Active()) == 0 {
			continue
		}
		if a.world.Party.ConversationID == id {
			out = append(out, &world.PartyUpdated{Party: world.Party{
				TeamID: a.world.Party.TeamID, Status: world.PartyIdle, Queue: []world.PartyItem{}, Seats: []world.PartySeat{},
			}})
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
	bodies := a.ended(e)
	if p := &a.world.ProcessState; slices.Contains(scope.Talks, p.ConversationID) {
		for _, c := range p.Cast {
			if a.world.Agent(c.MemberID) != nil {
				bodies = append(bodies, &world.AgentLeft{AgentID: c.MemberID, Reason: process.LeftProcess})
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
	e.mark, _ = a.r.ring.Head()
	a.veil.lower()
	a.letGoOf(e)
	encoded := encode(a.clone())
	if encoded.err != nil {
		a.breakdown(encoded.err)
		a.erasureOver(e, world.Receipt{}, ErrBroken)
		return
	}
	e.encoded = &encoded
	a.out(entry{effect: func() { a.work.Go(func() { a.redact(e) }) }})
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
	for id, v := range a.vaults {
		left := *v
		if n := red.Vault(&left); n > 0 {
			e.changed["insights"] += n
			a.vaults[id] = &left
			a.vaultDirty[id] = true
			a.saveVault(id)
		}
	}
	a.noteErased()
	for id, p := range a.viewers {
		if p.SpectatorID != "" && a.r.Erased(p.SpectatorID) {
			a.viewers[id] = Person{Role: p.Role}
		}
	}
	a.list = a.encodeList(a.spectators())
	a.out(entry{frame: a.list.frame})
}

func (a *actor) noteErased() {
	gone := slices.Clone(a.world.Erased)
	a.r.erased.Store(&gone)
}

func (a *actor) forgetReply(key string) {
	delete(a.replies, key)
	a.answers = slices.DeleteFunc(a.answers, func(k string) bool { return k == key })
}

// erasedShown is when history:erased is let out: viewers that have not had what came
// before it come back for a snapshot, which is the world after it.
func (a *actor) erasedShown(seq int64) {
	e := a.erasing
	if e == nil || e.told != seq {
		return
	}
	a.r.ring.Forget(e.mark)
	a.r.erasedAt.Store(seq)
	a.recent.redact(e.scope)
	a.base = e.encoded.base
	if a.candidate != nil && a.candidate.seq < seq {
		a.candidate = nil
	}
	a.keeping.erased(e.encoded)
}

// Waits between tries of what follows history:erased: it is done once it is told, however
// long the disk takes.
const (
	firstEraseRetry = 100 * time.Millisecond
	lastEraseRetry  = 3 * time.Second
)

// stubborn tries until it is done or the realm ends.
func (a *actor) stubborn(what string, try func() error) bool {
	for wait := firstEraseRetry; ; wait = min(wait*2, lastEraseRetry) {
		err := try()
		if err == nil {
			return true
		}
		if a.life.Err() != nil {
			return false
		}
		a.log.Warn().Err(err).Msg("an erasure waits: " + what)
		if errors.Is(err, world.ErrBroken) {
			return false
		}
		select {
		case <-time.After(wait):
		case <-a.life.Done():
			return false
		}
	}
}

// redact is the goroutine after history:erased. Where it cannot end, the next opening does.
func (a *actor) redact(e *erasing) {
	cp := world.Checkpoint{Epoch: e.encoded.epoch, Seq: e.encoded.seq, SavedAt: e.encoded.at, World: e.encoded.world}
	var red world.Redacted
	ok := a.stubborn("rows", func() (err error) {
		red, err = a.eraser.Redact(a.life, e.erasure.ErasureID)
		for what, n := range red.Changed {
			e.changed[what] += n
		}
		return err
	})
	ok = ok && a.inTurn(func() {
		for _, row := range red.Commands {
			a.forgetReply(commandKey(row.SpectatorID, row.RequestID))
		}
		a.veil.lift()
	})
	ok = ok && a.stubborn("bases", func() error {
		gone, err := a.eraser.ReplaceBases(cp)
		e.changed["bases"] += gone
		return err
	})
	ok = ok && a.stubborn("checkpoint", func() error { return a.keeping.flush(a.life) })
	var left []string
	ok = ok && a.stubborn("files", func() error {
		gone, kept, err := a.files.Forget(cp.Seq, e.told, e.erasure.Reason == world.ErasedOnRequest)
		e.changed["files"] += gone
		left = kept
		return err
	})
	var receipt world.Receipt
	ok = ok && a.stubborn("log", func() (err error) {
		receipt, err = a.eraser.EndErasure(a.life, e.erasure, world.NewReceipt(e.erasure, e.scope.Talks, cp.World, e.changed, left), clock)
		return err
	})
	if !ok {
		a.inTurn(func() { a.erasureOver(e, world.Receipt{}, errCutShort) })
		return
	}
	a.inTurn(func() { a.erasureOver(e, receipt, nil) })
}

// errCutShort is an erasure that was told and not ended: the next opening ends it.
var errCutShort = wire.Errorf(wire.NotReady, "the erasure has begun and could not be ended; opening the realm again ends it")

// erasureOver answers, and begins the next one.
func (a *actor) erasureOver(e *erasing, receipt world.Receipt, err error) {
	var refused *wire.Error
	switch {
	case err == nil:
		a.log.Info().Str("erasure", e.erasure.ErasureID).Str("reason", e.erasure.Reason).Int("conversations", len(e.scope.Talks)).Msg("erased")
	case !errors.As(err, &refused) && !errors.Is(err, ErrNotSilent):
		a.log.Error().Err(err).Str("erasure", e.erasure.ErasureID).Msg("nothing was erased")
	}
	a.erasing = nil
	a.cut = a.cut || errors.Is(err, errCutShort)
	e.answer(receipt, err)
	for a.erasing == nil && len(a.erasures) > 0 { // one that is refused does not begin
		next := a.erasures[0]
		a.erasures = a.erasures[1:]
		a.erase(next)
	}
	if a.erasing != nil {
		return
	}
	if !a.cut { // else the tables stay veiled
		a.veil.lift()
	}
	asking := a.asking
	a.asking = nil
	for _, m := range asking {
		a.onMessage(m)
	}
}

// eraseFor is the turn of history:erase.
func (a *actor) eraseFor(in Input, c *wire.HistoryErase) {
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
			SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: hashOf(c), At: world.TimeOf(a.now),
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
		a.asking = append(a.asking, msg)
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

// unwelcome is what somebody is told who was erased here, or whose conversation is.
func (a *actor) unwelcome(in Input) *wire.Error {
	switch id := in.From.SpectatorID; {
	case id != "" && (a.world.IsErased(id) || a.erasing.covers(id)):
		return wire.Errorf(wire.NotAllowed, "who you were here was erased; say who you are again (spectator:register)")
	case a.erasing.covers(target(in.Command)):
		return wire.Errorf(wire.Conflict, "this conversation is being erased")
	}
	return nil
}
