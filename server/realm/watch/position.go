package watch

import (
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Position is the last event that a client has got. A nil field means that the client sent none.
type Position struct {
	Epoch   *string
	LastSeq *int64
	// If Public is set, frames lack the path of the linked folder, because the client is a spectator (P2.4).
	Public bool
}

// History is the line of a realm: the realm's epochs, the oldest first, and the committed head. A client gets
// a replay only if its position is on this line (P5).
type History struct {
	Epoch string
	Lines []world.Line
	Head  int64
}

// maxReplay is the length of the longest replay in events. Beyond it a snapshot is cheaper. The design
// asks for at least 100,000.
const maxReplay = 200_000

// Reason returns the reason why a client at a position gets a snapshot, one of wire.Snapshot..., or "" if the
// client gets a replay. It gets a replay if the position is on the realm's line and the journal has all
// events after the position.
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
		// The client has got events of that epoch that this realm does not have: the client comes from
		// another copy of the realm.
		return wire.SnapshotDiverged
	case seq < 0 || seq > h.Head:
		return wire.SnapshotFuture
	case seq < a.feed.ErasedAt():
		return wire.SnapshotErased
	case seq < a.feed.journal.Floor()-1:
		return wire.SnapshotTrimmed
	case seq < a.unreadable:
		return wire.SnapshotDamaged
	case h.Head-seq > maxReplay:
		return wire.SnapshotTooFar
	}
	return ""
}

// Unread records that the journal cannot be read after a viewer's last event. It returns the reason of the
// snapshot that the viewer gets instead of the rest of its replay. Later clients with such a position get a
// snapshot at once, so the error is logged once.
func (a *Audience) Unread(v *Viewer, h History, err error) (reason string) {
	pos := Position{Epoch: &h.Epoch, LastSeq: &v.from}
	if reason = a.Reason(pos, h); reason == "" {
		a.unreadable = v.from + 1
		reason = a.Reason(pos, h)
		a.log.Error().Err(err).Int64("after", v.from).Msg("events cannot be read; clients that missed them get a snapshot")
	}
	return reason
}
