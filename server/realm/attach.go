package realm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/view"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// Who comes to watch, in turns of the actor: what they get first is decided from the
// committed head; they read it in goroutines of their own (package watch).

type attachMsg struct {
	pos   watch.Position
	reply chan<- *watch.Viewer
	// settled is set by whoever comes first: the actor that lets them in, or they who leave.
	settled *atomic.Bool
}

type repositionMsg struct {
	viewer *watch.Viewer
	reply  chan<- struct{}
}

// insteadMsg asks for a snapshot for a viewer whose replay cannot be read after the seq that
// it has had.
type insteadMsg struct {
	viewer *watch.Viewer
	err    error
	reply  chan<- bool // holds one
}

type settledMsg struct{ reply chan<- struct{} } // holds one

type identifyMsg struct {
	viewer uint64
	who    wire.Spectator
}

type leaveMsg struct{ viewer uint64 }

// Attach gives a viewer whose first frames are welcome, what was missed or the
// world, the overlays, and then what happens live (the contract's "Connecting").
func (r *Realm) Attach(ctx context.Context, pos watch.Position) (*watch.Viewer, error) {
	reply, settled := make(chan *watch.Viewer, 1), new(atomic.Bool)
	if err := r.ask(ctx, attachMsg{pos, reply, settled}); err != nil {
		return nil, err
	}
	select {
	case v := <-reply:
		return v, nil
	case <-r.done:
		return nil, watch.ErrStopped
	case <-ctx.Done():
		if !settled.CompareAndSwap(false, true) { // they are let in at this moment
			(<-reply).Close()
		}
		return nil, context.Cause(ctx)
	}
}

// ErrBroken: this realm's journal takes nothing any more; a restart recovers it.
var ErrBroken = errors.New("this realm can only be read; restart the server to recover it")

// desk is where viewers ask their realm.
type desk struct{ realm *Realm }

func (d desk) Reposition(ctx context.Context, v *watch.Viewer) error {
	reply := make(chan struct{}, 1)
	if err := d.realm.ask(ctx, repositionMsg{v, reply}); err != nil {
		return err
	}
	select {
	case <-reply:
		return nil
	case <-d.realm.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d desk) Instead(ctx context.Context, v *watch.Viewer, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reply := make(chan bool, 1)
	if err := d.realm.ask(ctx, insteadMsg{v, err, reply}); err != nil {
		return err
	}
	select {
	case given := <-reply:
		if !given { // whoever comes back finds a newer one
			return fmt.Errorf("%w: no snapshot is newer than what cannot be read: %w", watch.ErrLapped, err)
		}
		return nil
	case <-d.realm.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d desk) Identify(viewer uint64, who wire.Spectator) { d.realm.tell(identifyMsg{viewer, who}) }

func (d desk) Leave(viewer uint64) { d.realm.tell(leaveMsg{viewer}) }

func (r *Realm) ask(ctx context.Context, msg any) error {
	select {
	case r.inbox <- msg:
		return nil
	case <-r.done:
		return watch.ErrStopped
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

// onWatch is the actor's turn for whoever comes, goes or has to begin again. It never reads
// the journal.
func (a *actor) onWatch(msg any) {
	switch m := msg.(type) {
	case attachMsg:
		if m.settled.CompareAndSwap(false, true) {
			m.reply <- a.audience.Attach(a.beginning(m.pos, a.audience.Reason(m.pos, a.outbox.History()))) // holds one
		}
	case repositionMsg:
		a.audience.Place(m.viewer, a.outbox.Head(), a.liveNow())
		m.reply <- struct{}{}
	case insteadMsg:
		reason := a.audience.Unread(m.viewer, a.outbox.History(), m.err)
		given := m.viewer.Behind(a.saved.Base().Seq())
		if given {
			a.audience.Begin(m.viewer, a.beginning(watch.Position{}, reason))
		}
		m.reply <- given
	case identifyMsg:
		if a.r.Erased(m.who.SpectatorID) {
			m.who = wire.Spectator{Role: m.who.Role}
		}
		a.audience.Identify(m.viewer, m.who, a.sees.Clock.Now)
	case leaveMsg:
		a.audience.Leave(m.viewer, a.sees.Clock.Now)
	}
}

// beginning is what a viewer begins with: a replay from pos or, where there is a reason, a
// snapshot.
func (a *actor) beginning(pos watch.Position, reason string) watch.Moment {
	rooms := &a.r.rooms
	m := watch.Moment{
		History: a.outbox.History(), MapGeneration: rooms.Generation(), Reason: reason, Pos: pos, Live: a.liveNow(),
	}
	if reason != "" {
		m.Snapshot = a.audience.State(a.saved.Shown(rooms.Land()), a.outbox.History().Epoch, rooms.InUse(a.world.Agents))
	}
	return m
}

// liveNow is what is provisional now, whose turn it is, and how saving goes.
func (a *actor) liveNow() watch.Live {
	o := &wire.Overlays{Segments: a.runs.Overlays(""), Agents: place.OnTheWay(a.world, a.sees.At())}
	live := watch.Live{Overlays: a.audience.Encode(o)}
	for _, turn := range view.Turns(a.sees) {
		live.Notices = append(live.Notices, a.audience.Encode(turn))
	}
	if s := a.outbox.Status(); s.State != wire.SaveSaved || s.Board != "" {
		live.Notices = append(live.Notices, a.audience.Encode(&s))
	}
	return live
}
