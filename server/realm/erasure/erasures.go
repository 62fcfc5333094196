package erasure

import (
	"errors"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Request asks for an erasure of conversations or of a person.
type Request struct {
	Erasure   world.Erasure
	RequestID string            // the requestId of the command that asks for the erasure, "" for none
	Command   *world.CommandRow // stored with history:erased; nil for none
	Resumed   bool              // whether the erasure was requested before this opening of the realm
	// Answer is called once by the actor, with the result. It is nil for a resumed erasure.
	Answer func(world.Receipt, error)
}

// State describes the realm when somebody asks for an erasure.
type State struct {
	Epoch    string
	Stopping bool
	Unsaved  bool     // a commit has failed or the outbox is full, so nothing can be stored now
	Here     []string // the names that the person uses at connected sockets
}

// Erasures is the state of a realm's erasures. Only the realm's actor calls its methods, and no method waits
// for a disk.
type Erasures struct {
	tables  *Tables
	Worker  *Worker
	resumed []world.Erasure // erasures that began before this opening and that Resume has not returned yet
	now     *underWay       // the erasure that is under way; nil for none
	// cutShort is set if an erasure failed after history:erased. Nobody can read the tables then until the next
	// opening.
	cutShort bool
}

// underWay describes the erasure that has begun and has not ended.
type underWay struct {
	Request
	scope   world.Scope
	seq     int64               // the seq of history:erased, 0 before history:erased is decided
	mark    uint64              // the result of Audience.Mark at the moment when history:erased was decided
	after   *checkpoint.Picture // the realm after the erasure
	changed map[string]int
}

// New returns the state of the erasures at an opening. resumed has the erasures that began before the opening
// and have not ended; see Resume.
func New(tables *Tables, resumed []world.Erasure, cfg Config) *Erasures {
	return &Erasures{tables: tables, resumed: resumed, Worker: &Worker{Config: cfg}}
}

// Resume returns a request for the next erasure that began before this opening. The caller passes the request
// on as if somebody had just asked for it. ok is false if an erasure is under way or none is left. Nobody can
// read the tables until the last of these erasures has redacted them.
func (x *Erasures) Resume() (m Request, ok bool) {
	switch {
	case x.now != nil || x.cutShort:
		return Request{}, false
	case len(x.resumed) == 0:
		x.tables.reopen()
		return Request{}, false
	}
	x.tables.close()
	m, x.resumed = Request{Erasure: x.resumed[0], Resumed: true}, x.resumed[1:]
	return m, true
}

// ErrBusy is the error of Ask while another erasure is under way.
var ErrBusy = errors.New("another erasure is under way")

// Ask begins an erasure and returns the job for Worker.Find. It returns ErrBusy while another erasure is under
// way. Otherwise an error says why the erasure is refused: not_ready, bad_field, unsaved, or the error of
// kind.Forgetter.Erasable.
func (x *Erasures) Ask(r *kind.Realm, m Request, s State) (*Job, error) {
	e := &m.Erasure
	switch {
	case x.cutShort:
		return nil, ErrCutShort
	case x.Worker.Eraser == nil || s.Stopping:
		return nil, wire.Errorf(wire.NotReady, "this realm cannot erase anything now")
	case (len(e.Conversations) == 0) == (e.SpectatorID == "") || len(e.Conversations) > world.MaxErasedConversations:
		return nil, wire.Errorf(wire.BadField, "an erasure must name either a person or 1 to %d conversations",
			world.MaxErasedConversations)
	case s.Unsaved:
		return nil, wire.Errorf(wire.Unsaved,
			"the disk does not answer, so the erasure has not begun; try again when the disk answers")
	}
	if e := erasable(r, e.Conversations); e != nil && !m.Resumed {
		return nil, e
	}
	if x.now != nil {
		return nil, ErrBusy
	}
	if e.ErasureID == "" {
		// The id contains the epoch (the id of this opening): an earlier opening may have recorded an erasure with the
		// same number and ended before it emitted an event for it.
		e.ErasureID, e.At = r.NewID("e")+"-"+s.Epoch[:min(8, len(s.Epoch))], r.At()
	}
	x.now = &underWay{Request: m, changed: map[string]int{}}
	return &Job{
		Erasure: *e, Resumed: m.Resumed, Names: NamesOf(r.World, e.SpectatorID, s.Here), Bare: r.World.Realm.Path == "",
	}, nil
}

// Busy reports whether an erasure is under way.
func (x *Erasures) Busy() bool { return x.now != nil }

// Resuming reports whether the erasure under way began before this opening. Until that erasure has ended, nobody may
// see the world, which still contains the words to erase.
func (x *Erasures) Resuming() bool { return x.now != nil && x.now.Resumed }

// Covers reports whether id is the id of a conversation or a person that is being erased. A conversation that is being
// erased stays in memory until history:erased has been decided.
func (x *Erasures) Covers(id string) bool {
	return x.now != nil && id != "" && (x.now.Erasure.SpectatorID == id ||
		slices.Contains(x.now.Erasure.Conversations, id) || slices.Contains(x.now.scope.Conversations, id))
}

// Refuse returns the error for a command if its sender was erased in this realm or its conversation is being
// erased, and nil otherwise. conversationID is "" if the command is about no conversation.
func (x *Erasures) Refuse(w *world.World, person, conversationID string) *wire.Error {
	switch {
	case x.Gone(w, person):
		return ErrUnknownPerson
	case x.Covers(conversationID):
		return wire.Errorf(wire.Conflict, "this conversation is being erased")
	}
	return nil
}

// Gone reports whether the person or conversation id was erased recently or is being erased.
func (x *Erasures) Gone(w *world.World, id string) bool {
	return id != "" && (w.IsErased(id) || x.Covers(id))
}

// ErrUnknownPerson is the error for a command whose sender was erased.
var ErrUnknownPerson = wire.Errorf(wire.NotAllowed,
	"your identity here was erased; register again (spectator:register)")

// Least returns the seq before which Pictures must be neither shown nor written, because they contain erased words.
// last is the seq of the last history:erased that was shown.
func (x *Erasures) Least(last int64) int64 {
	if x.now == nil {
		return last
	}
	return max(last, x.now.seq)
}

// Stop returns the events that stop everything that the erasure covers (see stops). The first event gets requestID.
// After ErrNotSilent the caller must withdraw the erasure.
func (x *Erasures) Stop(r *kind.Realm, f Found) (requestID string, out []world.Body, err error) {
	if notSilent(r, f.Erasure.Since) {
		return "", nil, ErrNotSilent
	}
	x.now.Erasure, x.now.scope = f.Erasure, f.Scope
	return x.now.RequestID, stops(r, f.Erasure.SpectatorID, f.Scope.Conversations), nil
}

// Decide returns the request of the erasure under way, and its last events: history:erased and the events
// right before it.
func (x *Erasures) Decide(r *kind.Realm, s Scoped) (Request, []world.Body) {
	e := x.now
	e.scope = s.Scope
	last := &world.HistoryErased{
		ErasureID: e.Erasure.ErasureID, SpectatorID: e.Erasure.SpectatorID, Reason: e.Erasure.Reason,
		Conversations: append([]string{}, e.scope.Conversations...),
	}
	if len(e.Erasure.Conversations) == 1 {
		last.ConversationID = e.Erasure.Conversations[0]
	}
	out := append(stops(r, e.Erasure.SpectatorID, e.scope.Conversations), forgets(r, e.scope)...)
	world.NewRedactor(e.scope, nil).Outcome(r.World, last)
	return e.Request, append(out, last)
}

// Decided closes the tables to readers. The caller calls it after it has emitted history:erased. seq is the seq of
// that event, and mark an index in the ring, the result of Audience.Mark. Decided returns what the erasure covers,
// and the redactor with which the caller removes it from memory.
func (x *Erasures) Decided(seq int64, mark uint64) (world.Scope, *world.Redactor) {
	x.now.seq, x.now.mark = seq, mark
	x.tables.close()
	return x.now.scope, world.NewRedactor(x.now.scope, nil)
}

// Forgotten records what the caller has done: insights is the number of insights that it has removed from memory, and
// after is a Picture of the realm without anything that is erased.
func (x *Erasures) Forgotten(insights int, after *checkpoint.Picture) {
	x.now.changed["insights"] += insights
	x.now.after = after
}

// Redaction returns the argument of Worker.Redact and the index in the ring (mark) that the caller passed to Decided.
// The caller calls it once history:erased with this seq is durable. ok is false if the erasure under way has another
// seq.
func (x *Erasures) Redaction(seq int64) (t Redaction, mark uint64, ok bool) {
	e := x.now
	if e == nil || e.seq != seq {
		return Redaction{}, 0, false
	}
	return Redaction{Erasure: e.Erasure, Scope: e.scope, Seq: seq, After: e.after, Changed: e.changed}, e.mark, true
}

// Redacted opens the tables to readers again, unless another erasure that began before this opening is left.
func (x *Erasures) Redacted() {
	if len(x.resumed) == 0 {
		x.tables.reopen()
	}
}

// End ends the erasure under way with the result end. It returns the request, which the caller must answer.
// The caller must then call Resume.
func (x *Erasures) End(end Ended) Request {
	done, log := x.now, x.Worker.Log
	var refused *wire.Error
	switch id := done.Erasure.ErasureID; {
	case end.Err == nil && end.Receipt.ErasureID != id:
		log.Info().Str("erasure", end.Receipt.ErasureID).
			Msg("an earlier erasure has removed the same data; its receipt is the answer")
	case end.Err == nil:
		log.Info().Str("erasure", id).Str("reason", done.Erasure.Reason).Int("conversations", len(done.scope.Conversations)).
			Msg("an erasure is complete")
	case !errors.As(end.Err, &refused) && !errors.Is(end.Err, ErrNotSilent):
		log.Error().Err(end.Err).Str("erasure", id).Msg("the erasure failed before it removed anything")
	}
	x.now, x.cutShort = nil, x.cutShort || errors.Is(end.Err, ErrCutShort)
	return done.Request
}
