package erasure

import (
	"errors"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxWaiting is how many erasures wait while one is under way; more are refused.
const maxWaiting = 16

// Request asks for an erasure of conversations or of a person.
type Request struct {
	Erasure   world.Erasure
	RequestID string            // of the command that asks, "" for none
	Command   *world.CommandRow // stored with history:erased; nil for none
	Resumed   bool              // it was intended before this opening
	// Answer is told once, by the actor; nil for an erasure that nobody waits for.
	Answer func(world.Receipt, error)
}

// State is how the realm stands when an erasure is asked for.
type State struct {
	Epoch    string
	Stopping bool
	Unsaved  bool     // the disk takes nothing
	Here     []string // names under which the person sits at sockets
}

// Erasures are those of one realm: one under way, others that wait for it. Only the realm's actor
// calls its methods; none waits for a disk.
type Erasures struct {
	tables  *Tables
	Worker  *Worker
	resumed []world.Erasure // intended before this opening and not yet asked for
	waiting []Request       // at most maxWaiting, and those of before this opening
	now     *underWay       // nil for none
	// cutShort: one could not be ended. The tables stay closed until the next opening ends it.
	cutShort bool
	// held are messages that wait until what was intended before this opening is erased. They
	// wait with those who ask: at most as many as there are sockets and requests.
	held []any
}

// underWay is the erasure under way.
type underWay struct {
	Request
	scope   world.Scope
	told    int64               // seq of history:erased, 0 before it is decided
	mark    uint64              // of the ring, when it was decided
	after   *checkpoint.Picture // the realm after it
	changed map[string]int
}

// New erases in the tables. resumed are erasures that were intended before this opening; they
// begin with Resume.
func New(tables *Tables, resumed []world.Erasure, cfg Config) *Erasures {
	return &Erasures{tables: tables, resumed: resumed, Worker: &Worker{Config: cfg}}
}

// Resume gives the erasures that were intended before this opening, to be asked for. Nobody reads
// the tables until they are redacted.
func (x *Erasures) Resume() []Request {
	var out []Request
	for _, e := range x.resumed {
		x.tables.close()
		out = append(out, Request{Erasure: e, Resumed: true})
	}
	x.resumed = nil
	return out
}

// Ask gives the job to begin with, nil where the request waits for the erasure under way, or why
// it is refused: not_ready, bad_field, unsaved, conflict for a process that runs, rate_limited.
func (x *Erasures) Ask(r *kind.Realm, m Request, s State) (*Job, error) {
	e := &m.Erasure
	process := &r.World.ProcessState
	switch {
	case x.cutShort:
		return nil, ErrCutShort
	case x.Worker.Eraser == nil || s.Stopping:
		return nil, wire.Errorf(wire.NotReady, "nothing can be erased here now")
	case (len(e.Conversations) == 0) == (e.SpectatorID == "") || len(e.Conversations) > world.MaxErasedConversations:
		return nil, wire.Errorf(wire.BadField, "an erasure is of a person or of 1 to %d conversations",
			world.MaxErasedConversations)
	case s.Unsaved:
		return nil, wire.Errorf(wire.Unsaved, "the disk does not answer, so nothing was begun; ask again when it does")
	case !m.Resumed && process.Status == world.StatusRunning &&
		slices.Contains(e.Conversations, process.ConversationID):
		return nil, wire.Errorf(wire.Conflict, "the process runs: /pause it first; erasing its conversation ends it")
	case x.now != nil && len(x.waiting) >= maxWaiting:
		return nil, wire.Errorf(wire.RateLimited, "%d erasures wait already; try again later", maxWaiting)
	case x.now != nil:
		x.waiting = append(x.waiting, m)
		return nil, nil
	}
	if e.ErasureID == "" {
		// The epoch's part: an id that was intended and not told is not made again.
		e.ErasureID, e.At = r.NewID("e")+"-"+s.Epoch[:min(8, len(s.Epoch))], r.At()
	}
	x.now = &underWay{Request: m, changed: map[string]int{}}
	return &Job{
		Erasure: *e, Resumed: m.Resumed, Names: NamesOf(r.World, e.SpectatorID, s.Here), Bare: r.World.Realm.Path == "",
	}, nil
}

// Busy says that an erasure is under way.
func (x *Erasures) Busy() bool { return x.now != nil }

// Covers says that a conversation or a person is being erased. Such a conversation stays in
// memory until history:erased.
func (x *Erasures) Covers(id string) bool {
	return x.now != nil && id != "" && (x.now.Erasure.SpectatorID == id ||
		slices.Contains(x.now.Erasure.Conversations, id) || slices.Contains(x.now.scope.Conversations, id))
}

// Refuse says why a command is not taken of a person who was erased here, or that is about a
// conversation, "" for none, that is being erased; nil: it is taken.
func (x *Erasures) Refuse(w *world.World, person, conversationID string) *wire.Error {
	switch {
	case x.Gone(w, person):
		return ErrUnknownPerson
	case x.Covers(conversationID):
		return wire.Errorf(wire.Conflict, "this conversation is being erased")
	}
	return nil
}

// Gone says that a person or a conversation was erased recently or is being erased.
func (x *Erasures) Gone(w *world.World, id string) bool {
	return id != "" && (w.IsErased(id) || x.Covers(id))
}

// ErrUnknownPerson refuses commands of a person who was erased.
var ErrUnknownPerson = wire.Errorf(wire.NotAllowed,
	"who you were here was erased; say who you are again (spectator:register)")

// Least is the lowest seq that a picture of the realm may stand at now, 0 for any: one from before
// history:erased holds what was erased.
func (x *Erasures) Least() int64 {
	if x.now == nil {
		return 0
	}
	return x.now.told
}

// Hold keeps a message back until what was intended before this opening is erased; false: nothing
// such is under way.
func (x *Erasures) Hold(m any) bool {
	if x.now == nil || !x.now.Resumed {
		return false
	}
	x.held = append(x.held, m)
	return true
}

// Stop gives the events that end what goes on in what Find has found, and the command that they
// answer to. ErrNotSilent: somebody has spoken since retention's rule looked, so that the erasure
// is withdrawn.
func (x *Erasures) Stop(r *kind.Realm, f Found) (requestID string, out []world.Body, err error) {
	if spokenSince(r, f.Erasure.Since) {
		return "", nil, ErrNotSilent
	}
	x.now.Erasure, x.now.scope = f.Erasure, f.Scope
	return x.now.RequestID, stops(r, f.Erasure.SpectatorID, f.Scope.Conversations), nil
}

// Tell gives the request under way and the events that tell of it; the last one is history:erased.
func (x *Erasures) Tell(r *kind.Realm, s Scoped) (Request, []world.Body) {
	e := x.now
	e.scope = s.Scope
	told := &world.HistoryErased{
		ErasureID: e.Erasure.ErasureID, SpectatorID: e.Erasure.SpectatorID, Reason: e.Erasure.Reason,
		Conversations: append([]string{}, e.scope.Conversations...),
	}
	if len(e.Erasure.Conversations) == 1 {
		told.ConversationID = e.Erasure.Conversations[0]
	}
	out := append(stops(r, e.Erasure.SpectatorID, e.scope.Conversations), forgets(r, e.scope)...)
	world.NewRedactor(e.scope, nil).Outcome(r.World, told)
	return e.Request, append(out, told)
}

// Told says that history:erased was decided, as seq; mark is the ring's place then. Memory forgets
// what is erased, by the redactor, and nobody reads the tables until they are redacted.
func (x *Erasures) Told(seq int64, mark uint64) (world.Scope, *world.Redactor) {
	x.now.told, x.now.mark = seq, mark
	x.tables.close()
	return x.now.scope, world.NewRedactor(x.now.scope, nil)
}

// Forgotten notes what memory has forgotten: insights, and the realm as it is after that.
func (x *Erasures) Forgotten(insights int, after *checkpoint.Picture) {
	x.now.changed["insights"] += insights
	x.now.after = after
}

// Shown gives the erasure under way, whose history:erased is durable and is shown now, and the
// ring's place that it was decided at; false where seq is another event.
func (x *Erasures) Shown(seq int64) (t Told, mark uint64, ok bool) {
	e := x.now
	if e == nil || e.told != seq {
		return Told{}, 0, false
	}
	return Told{Erasure: e.Erasure, Scope: e.scope, Seq: seq, After: e.after, Changed: e.changed}, e.mark, true
}

// Redacted says that the tables hold nothing of the erasure under way. They are read again, unless
// they hold something that was to be erased before this opening.
func (x *Erasures) Redacted() {
	if !slices.ContainsFunc(x.waiting, func(m Request) bool { return m.Resumed }) {
		x.tables.reopen()
	}
}

// End ends the erasure under way and gives its request, to be answered.
func (x *Erasures) End(end Ended) Request {
	done, log := x.now, x.Worker.Log
	var refused *wire.Error
	switch id := done.Erasure.ErasureID; {
	case end.Err == nil && end.Receipt.ErasureID != id:
		log.Info().Str("erasure", end.Receipt.ErasureID).Msg("erased before: the receipt is given again")
	case end.Err == nil:
		log.Info().Str("erasure", id).Str("reason", done.Erasure.Reason).Int("conversations", len(done.scope.Conversations)).
			Msg("erased")
	case !errors.As(end.Err, &refused) && !errors.Is(end.Err, ErrNotSilent):
		log.Error().Err(end.Err).Str("erasure", id).Msg("nothing was erased")
	}
	x.now, x.cutShort = nil, x.cutShort || errors.Is(end.Err, ErrCutShort)
	return done.Request
}

// Next gives the oldest request that waits, to be asked for again; false while one is under way.
func (x *Erasures) Next() (m Request, ok bool) {
	if x.now != nil || len(x.waiting) == 0 {
		return Request{}, false
	}
	m, x.waiting = x.waiting[0], x.waiting[1:]
	return m, true
}

// Rest gives the messages that were held, once no erasure is under way; the tables are read again
// unless one was cut short.
func (x *Erasures) Rest() (held []any) {
	if x.now != nil {
		return nil
	}
	if !x.cutShort {
		x.tables.reopen()
	}
	held, x.held = x.held, nil
	return held
}
