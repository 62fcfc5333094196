package realm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"agentdungeon/server/realm/place"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Position is what a client says it has had.
type Position struct {
	Epoch   *string
	LastSeq *int64
}

type attachMsg struct {
	pos   Position
	reply chan<- *Viewer
	// settled is set by whoever comes first: the actor that lets them in, or they who leave.
	settled *atomic.Bool
}

type repositionMsg struct {
	viewer *Viewer
	reply  chan<- struct{}
}

type settledMsg struct{ reply chan<- struct{} } // holds one

type presenceMsg struct {
	viewer uint64
	person Person
	gone   bool
}

// Attach gives a viewer whose first frames are welcome, what was missed or the
// world, the overlays, and then what happens live (the contract's "Connecting").
func (r *Realm) Attach(ctx context.Context, pos Position) (*Viewer, error) {
	reply, settled := make(chan *Viewer, 1), new(atomic.Bool)
	if err := r.ask(ctx, attachMsg{pos, reply, settled}); err != nil {
		return nil, err
	}
	select {
	case v := <-reply:
		return v, nil
	case <-r.done:
		return nil, ErrStopped
	case <-ctx.Done():
		if !settled.CompareAndSwap(false, true) { // they are let in at this moment
			(<-reply).Close()
		}
		return nil, context.Cause(ctx)
	}
}

// ErrBroken: this realm's journal takes nothing any more; a restart recovers it.
var ErrBroken = errors.New("this realm can only be read; restart the server to recover it")

func (r *Realm) reposition(ctx context.Context, v *Viewer) error {
	reply := make(chan struct{}, 1)
	if err := r.ask(ctx, repositionMsg{v, reply}); err != nil {
		return err
	}
	select {
	case <-reply:
		return nil
	case <-r.done:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Realm) ask(ctx context.Context, msg any) error {
	select {
	case r.inbox <- msg:
		return nil
	case <-r.done:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tell waits for a place in the inbox; a closed realm needs no telling.
func (r *Realm) tell(msg any) {
	select {
	case r.inbox <- msg:
	case <-r.done:
	}
}

// attach is the actor's turn: it checks the position and returns a cursor. It
// never reads the journal.
func (a *actor) attach(pos Position) *Viewer {
	v := &Viewer{realm: a.r, id: a.r.viewerID.Add(1), ready: make(chan struct{}, 1)}
	a.viewers[v.id] = Person{}
	a.welcome(v, pos, a.continuity(pos))
	a.r.ring.Subscribe(v.ready)
	v.wake()
	return v
}

// welcome has a viewer begin with a replay from pos or, where there is a reason, with a
// snapshot.
func (a *actor) welcome(v *Viewer, pos Position, reason string) {
	a.place(v)
	id, epoch := a.r.id, a.epoch
	welcome := &wire.Welcome{RealmID: &id, Epoch: &epoch, To: v.to, MapGeneration: a.r.rooms.Generation()}
	if reason == "" {
		welcome.Continuity = wire.ContinuityReplay
		v.from = *pos.LastSeq
	} else {
		welcome.Continuity, welcome.Reason = wire.ContinuitySnapshot, reason
		v.from = a.base.seq
		v.world = &snapshot{base: a.base, epoch: epoch, land: a.land.fields(), spectators: a.list.names, recent: a.recent.upTo(a.base.seq), rooms: a.roomsInUse()}
	}
	welcome.From = v.from + 1
	v.welcome = a.encode(welcome)
}

// place fixes the moment that a viewer goes live from: the committed head, what
// is provisional then, and the ring's index.
func (a *actor) place(v *Viewer) {
	v.index, _ = a.r.ring.Head()
	v.to = a.head
	v.tail = [][]byte{a.encode(a.overlays()), a.list.frame}
	for _, ask := range a.asked() {
		v.tail = append(v.tail, a.encode(turnFrame(ask)))
	}
	if a.save.State != wire.SaveSaved || a.save.Board != "" {
		v.tail = append(v.tail, a.encode(&a.save))
	}
}

// continuity says why a position gets a snapshot, "" for a replay. The position
// is good if its pair lies on this realm's line and the journal still reaches it.
func (a *actor) continuity(pos Position) string {
	if pos.Epoch == nil || pos.LastSeq == nil || *pos.Epoch == "" {
		return wire.SnapshotFirst
	}
	seq := *pos.LastSeq
	line := -1
	for i, l := range a.lines {
		if l.Epoch == *pos.Epoch {
			line = i
		}
	}
	switch {
	case line < 0:
		return wire.SnapshotUnknownEpoch
	case line+1 < len(a.lines) && seq >= a.lines[line+1].FromSeq:
		// The epoch wrote on after the point from which this line goes: what the
		// client saw beyond it belongs to a copy that is not this one.
		return wire.SnapshotDiverged
	case seq < 0 || seq > a.head:
		return wire.SnapshotFuture
	case seq < a.r.erasedAt.Load():
		return wire.SnapshotErased
	case seq < a.r.journal.Floor()-1:
		return wire.SnapshotTrimmed
	case seq < a.unreadable:
		return wire.SnapshotDamaged
	case a.head-seq > maxReplay:
		return wire.SnapshotTooFar
	}
	return ""
}

// maxReplay is how many events a replay reaches back; beyond it a snapshot is
// cheaper for everybody. The design asks for 100,000 at the least.
const maxReplay = 200_000

func (a *actor) overlays() *wire.Overlays {
	o := &wire.Overlays{Segments: map[string]wire.Overlay{}, Agents: place.OnTheWay(a.world, a.at())}
	for id, s := range a.segments {
		if overlay, ok := s.Overlay(); ok {
			o.Segments[id] = overlay
		}
	}
	return o
}

func (a *actor) presence(m presenceMsg) {
	if _, ok := a.viewers[m.viewer]; !ok {
		return
	}
	if m.gone {
		delete(a.viewers, m.viewer)
	} else {
		if a.r.Erased(m.person.SpectatorID) {
			m.person = Person{Role: m.person.Role}
		}
		a.viewers[m.viewer] = m.person
	}
	// A thousand joins must not cost a million frames: they are told together.
	if a.listDue.IsZero() {
		a.listDue = a.now.Add(listEvery * time.Duration(1+len(a.viewers)/listCrowd))
	}
}

// spectators are who is here, in the order in which they came.
func (a *actor) spectators() *wire.SpectatorList {
	list := &wire.SpectatorList{Spectators: []wire.Spectator{}}
	seen := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(a.viewers)) {
		p := a.viewers[id]
		if p.SpectatorID == "" || seen[p.SpectatorID] {
			continue
		}
		seen[p.SpectatorID] = true
		list.Count++
		if len(list.Spectators) < wire.MaxSpectators {
			list.Spectators = append(list.Spectators, wire.Spectator{SpectatorID: p.SpectatorID, Name: p.Name, Color: p.Color, Role: p.Role})
		}
	}
	return list
}

// encode never fails for frames of wire; if it ever did, the client would get an
// object it ignores and the log would say so.
func (a *actor) encode(f wire.Frame) []byte {
	b, err := wire.Encode(f)
	if err != nil {
		a.log.Error().Err(err).Str("frame", f.FrameType()).Msg("encode a frame")
		return []byte(`{"type":"` + f.FrameType() + `"}`)
	}
	return b
}

// base is the last encoded world whose events are all committed: what a snapshot
// is made of, together with the frames after it. The map comes from the disk and
// not from events: world[mapAt:mapAt+mapLen] is replaced by the latest.
type base struct {
	seq           int64
	world         []byte
	mapAt, mapLen int
	conversations []byte
}

// snapshot is a world:state that has not been put together yet: its parts were
// encoded once for everybody, and joining them is each viewer's own work, not the
// actor's.
type snapshot struct {
	base
	epoch      string
	land       []byte
	spectators []byte
	recent     [][]byte
	rooms      [][]byte
}

func (s *snapshot) frame() []byte {
	head := `{"type":"world:state","seq":` + strconv.FormatInt(s.seq, 10) + `,"epoch":"` + s.epoch + `","world":`
	return slices.Concat(
		[]byte(head), s.world[:s.mapAt], s.land, s.world[s.mapAt+s.mapLen:],
		[]byte(`,"conversations":`), s.conversations, []byte(`,"recent":[`), bytes.Join(s.recent, []byte{','}),
		[]byte(`],"rooms":[`), bytes.Join(s.rooms, []byte{','}), []byte(`],"spectators":`), s.spectators, []byte(`}`),
	)
}

// spectatorList is who is here, encoded once for all who attach until it changes.
type spectatorList struct {
	frame []byte // spectator:list
	names []byte // its spectators alone, for world:state
}

func (a *actor) encodeList(list *wire.SpectatorList) spectatorList {
	names, err := json.Marshal(list.Spectators)
	if err != nil {
		a.log.Error().Err(err).Msg("encode the spectators")
		names = []byte("[]")
	}
	return spectatorList{frame: a.encode(list), names: names}
}

func turnFrame(ask world.Ask) *wire.ProcessTurn {
	return &wire.ProcessTurn{ConversationID: ask.ConversationID, RequestID: ask.RequestID, RoleID: ask.RoleID, MemberID: ask.MemberID, Until: ask.Until, Prompt: ask.Prompt}
}
