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

// ErrBroken means that the journal of this realm cannot be written any more. The next opening of the realm
// recovers the journal.
var ErrBroken = errors.New("this realm can only be read; restart the server to recover it")

type attachMsg struct {
	pos   watch.Position
	reply chan<- attached
	// settled is set by whichever comes first: the actor, when it handles the message, or Attach, when its context ends.
	// If Attach is first, the actor attaches no viewer. If the actor is first, Attach closes the viewer that it gets.
	settled *atomic.Bool
}

type attached struct {
	viewer *watch.Viewer
	err    error
}

type repositionMsg struct {
	viewer *watch.Viewer
	reply  chan<- struct{}
}

// insteadMsg asks the actor to give a viewer a snapshot in place of the rest of its replay, because an event of that
// rest cannot be read. The reply is false if no snapshot is newer than the last event that the viewer has got.
type insteadMsg struct {
	viewer *watch.Viewer
	err    error
	reply  chan<- bool
}

type identifyMsg struct {
	viewer uint64
	who    wire.Spectator
}

type leaveMsg struct{ viewer uint64 }

// Attach returns a viewer. Its first frames are the frame welcome, a replay of missed events or a snapshot, and the
// overlays (the words of open rows); see "Connecting" in PROTOCOL.md.
func (r *Realm) Attach(ctx context.Context, pos watch.Position) (*watch.Viewer, error) {
	reply, settled := make(chan attached, 1), new(atomic.Bool)
	got, err := call(ctx, r, attachMsg{pos, reply, settled}, reply)
	if err == nil {
		return got.viewer, got.err
	}
	if !settled.CompareAndSwap(false, true) { // the actor has attached the viewer meanwhile
		if got := <-reply; got.viewer != nil {
			got.viewer.Close()
		}
	}
	return nil, err
}

// desk implements watch.Desk: it passes the requests of viewers to the actor of the realm.
type desk struct{ realm *Realm }

func (d desk) Reposition(ctx context.Context, v *watch.Viewer) error {
	reply := make(chan struct{}, 1)
	_, err := call(ctx, d.realm, repositionMsg{v, reply}, reply)
	return err
}

func (d desk) Instead(ctx context.Context, v *watch.Viewer, unread error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reply := make(chan bool, 1)
	given, err := call(ctx, d.realm, insteadMsg{v, unread, reply}, reply)
	if err == nil && !given { // the viewer ends; its client reconnects and gets a snapshot
		return fmt.Errorf("%w: no snapshot is newer than the events that cannot be read: %w", watch.ErrLapped, unread)
	}
	return err
}

func (d desk) Identify(viewer uint64, who wire.Spectator) { d.realm.send(identifyMsg{viewer, who}) }

func (d desk) Leave(viewer uint64) { d.realm.send(leaveMsg{viewer}) }

// onWatch handles a message about a viewer. It never reads the journal, so that the actor does not wait for the disk.
func (a *actor) onWatch(msg any) {
	switch m := msg.(type) {
	case attachMsg:
		if waits, err := a.postpone(m); waits {
			return
		} else if m.settled.CompareAndSwap(false, true) {
			got := attached{err: err}
			if err == nil {
				first := a.firstFrames(m.pos, a.audience.Reason(m.pos, a.outbox.History()))
				got.viewer = a.audience.Attach(first, a.realm.Clock.Now)
			}
			m.reply <- got
		}
	case repositionMsg:
		a.audience.Place(m.viewer, a.outbox.Head(), a.liveNow(m.viewer.MapShown()))
		m.reply <- struct{}{}
	case insteadMsg:
		reason := a.audience.Unread(m.viewer, a.outbox.History(), m.err)
		given := m.viewer.Behind(a.saved.Base().Seq())
		if given {
			a.audience.Begin(m.viewer, a.firstFrames(watch.Position{}, reason))
		}
		m.reply <- given
	case identifyMsg:
		if a.handle.Erased(m.who.SpectatorID) {
			m.who = wire.Spectator{Role: m.who.Role}
		}
		a.audience.Identify(m.viewer, m.who, a.realm.Clock.Now)
	case leaveMsg:
		a.audience.Leave(m.viewer, a.realm.Clock.Now, a.realm.World.ProcessState.HeldBy)
	}
}

// firstFrames returns the first frames of a viewer. If reason is "", they replay the events after pos;
// otherwise they are a snapshot, and reason says why.
func (a *actor) firstFrames(pos watch.Position, reason string) watch.Start {
	rooms := &a.handle.rooms
	m := watch.Start{History: a.outbox.History(), MapGeneration: rooms.Generation(), Reason: reason, Pos: pos}
	switch {
	case reason != "":
		m.MapShown = &m.MapGeneration // the snapshot contains the present map, so the client shows it
	case pos.MapGeneration != nil && *pos.Epoch != m.Epoch:
		m.MapShown = new(int64(noMap))
	default:
		m.MapShown = pos.MapGeneration
	}
	m.Live = a.liveNow(m.MapShown)
	if reason != "" {
		m.Snapshot = a.audience.State(a.saved.Shown(rooms.Land()), m.Epoch, rooms.InUse(a.realm.World.Agents))
	}
	return m
}

// noMap stands for a map of another epoch. Each epoch counts the generations of the map from 0, so no map of this epoch
// has the generation -1.
const noMap = -1

// liveNow returns the frames that a viewer gets before live frames: the overlays (the words of open rows), the whole
// map if the client shows an old one (P5.15), the requests to people whose turn it is, and the save status. mapShown
// is the generation of the map that the client shows, nil if the client did not say it.
func (a *actor) liveNow(mapShown *int64) watch.Live {
	o := &wire.Overlays{Segments: a.runs.Overlays(""), Agents: place.OnTheWay(a.realm.World, a.realm.At())}
	live := watch.Live{Overlays: a.audience.Encode(o)}
	if mapShown != nil && *mapShown != a.handle.rooms.Generation() {
		var err error
		if live.Map, err = a.handle.rooms.Whole(*mapShown); err != nil {
			a.log.Error().Err(err).Msg("the map could not be encoded for a client that has missed changes")
		}
	}
	for _, turn := range view.Turns(a.realm) {
		live.Notices = append(live.Notices, a.audience.Encode(turn))
	}
	if s := a.outbox.Status(); s.State != wire.SaveSaved || s.Board != "" {
		live.Notices = append(live.Notices, a.audience.Encode(&s))
	}
	return live
}
