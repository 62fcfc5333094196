package watch

import (
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Position is the last event that a client has got. A field is nil if the client has sent none.
type Position struct {
	Epoch   *string
	LastSeq *int64
	// MapGeneration is the generation, in Epoch, of the map that the client shows.
	MapGeneration *int64
	// Public is set for a spectator. Frames then lack what only hosts see (P2.4, P17.5, P17.16).
	Public bool
}

// History is the history of a realm: its epochs, the oldest first, and the seq of the last committed event. A
// client gets a replay only if its position belongs to this history (P5).
type History struct {
	Epoch string
	Lines []world.Line
	Head  int64
}

// maxReplay is the maximum number of events in a replay. For more events a snapshot is cheaper. The design asks for at
// least 100,000 events.
const maxReplay = 200_000

// Reason returns the wire.Snapshot constant that says why a client at pos gets a snapshot, or "" if the client gets
// a replay: h contains pos, the client may see all events after it, and the journal has them (at most maxReplay).
func (a *Audience) Reason(pos Position, h History) string {
	if pos.Epoch == nil || pos.LastSeq == nil || *pos.Epoch == "" {
		return wire.SnapshotFirst
	}
	seq := *pos.LastSeq
	line := -1
	for i, l := range h.Lines {
		if l.Epoch == *pos.Epoch {
			line = i
		}
	}
	switch {
	case line < 0:
		return wire.SnapshotUnknownEpoch
	case line+1 < len(h.Lines) && seq >= h.Lines[line+1].FromSeq:
		// The client has got events of this epoch that this realm does not have, so they come from another
		// copy of the realm.
		return wire.SnapshotDiverged
	case seq < 0 || seq > h.Head:
		return wire.SnapshotFuture
	case seq < a.feed.ErasedAt():
		return wire.SnapshotErased
	case seq < a.feed.journal.Floor()-1:
		return wire.SnapshotTrimmed
	case pos.Public && seq <= a.switched && a.switched > 0:
		return wire.SnapshotSwitched
	case seq < a.unreadable:
		return wire.SnapshotDamaged
	case h.Head-seq > maxReplay:
		return wire.SnapshotTooFar
	}
	return ""
}

// Unread records that the journal cannot be read after the last event of a viewer. It returns the reason for the
// snapshot that the viewer gets in place of the rest of its replay. Clients that later connect with this position, or
// with an earlier one, get a snapshot at once. Unread logs the error only once.
func (a *Audience) Unread(v *Viewer, h History, err error) (reason string) {
	pos := Position{Epoch: &h.Epoch, LastSeq: &v.from}
	if reason = a.Reason(pos, h); reason == "" {
		a.unreadable = v.from + 1
		reason = a.Reason(pos, h)
		a.log.Error().Err(err).Int64("after", v.from).Msg("events cannot be read; clients that missed them get a snapshot")
	}
	return reason
}
