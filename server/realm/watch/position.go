package watch

import (
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Position is what a client says it has had; nil fields mean that it said nothing.
type Position struct {
	Epoch   *string
	LastSeq *int64
	// Public asks for frames without the path of the linked folder, for spectators (P2.4).
	Public bool
}

// History is the line of a realm that a position must lie on (P5): its epochs, the oldest
// first, and the committed head.
type History struct {
	Epoch string
	Lines []world.Line
	Head  int64
}

// maxReplay is how many events a replay reaches back; beyond it a snapshot is
// cheaper for everybody. The design asks for 100,000 at the least.
const maxReplay = 200_000

// Reason says why a position gets a snapshot, one of wire.Snapshot..., "" for a replay. The
// position is good if its pair lies on this realm's line and the journal still reaches it.
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
		// The epoch wrote on after the point from which this line goes: what the
		// client saw beyond it belongs to a copy that is not this one.
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

// Unread notes that a viewer's replay cannot be read, and gives the reason of the snapshot
// that it gets instead. Who comes later with such a position gets a snapshot at once; each
// such place is logged once.
func (a *Audience) Unread(v *Viewer, h History, err error) (reason string) {
	pos := Position{Epoch: &h.Epoch, LastSeq: &v.from}
	if reason = a.Reason(pos, h); reason == "" {
		a.unreadable = v.from + 1
		reason = a.Reason(pos, h)
		a.log.Error().Err(err).Int64("after", v.from).Msg("events cannot be read; clients that missed them get a snapshot")
	}
	return reason
}
