package realm

import (
	"context"
	"fmt"

	"agentdungeon/server/ring"
)

// Replays whose events cannot be read: one damaged event costs a client its replay, not its
// connection, and the ring only what comes before it.

// replayPage is how many events one read of a replay asks the journal for.
const replayPage = 500

// insteadMsg asks for a snapshot for a viewer whose replay cannot be read after the seq that
// it has had.
type insteadMsg struct {
	viewer *Viewer
	err    error
	reply  chan<- bool // holds one
}

// instead gives a viewer a snapshot in place of the replay that err ended: its next frames are
// another welcome and the world (P5.4). ErrLapped (wrapped) where the newest snapshot lies
// before the damage: whoever comes back finds a newer one.
func (r *Realm) instead(ctx context.Context, v *Viewer, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reply := make(chan bool, 1)
	if err := r.ask(ctx, insteadMsg{v, err, reply}); err != nil {
		return err
	}
	select {
	case given := <-reply:
		if !given {
			return fmt.Errorf("%w: no snapshot is newer than what cannot be read: %w", ErrLapped, err)
		}
		return nil
	case <-r.done:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// snapshotFor is the actor's turn. It notes from where on replays can be read, so that who
// comes later is given a snapshot at once, and logs each such place once.
func (a *actor) snapshotFor(m insteadMsg) (given bool) {
	v := m.viewer
	pos := Position{Epoch: &a.epoch, LastSeq: &v.from}
	reason := a.continuity(pos)
	if reason == "" {
		a.unreadable = v.from + 1
		reason = a.continuity(pos)
		a.log.Error().Err(m.err).Int64("after", v.from).Msg("events cannot be read; clients that missed them get a snapshot")
	}
	if a.base.seq <= v.from {
		return false
	}
	a.welcome(v, pos, reason)
	return true
}

// Bounds of prefill. ringPrefill is how many events the ring is given at the start, so that
// tabs that come back after a restart are served from memory. maxFailedReads is how many reads may
// fail: more than a block of packed events has, so that one damaged block costs no more than
// itself.
const (
	ringPrefill    = 2_000
	maxFailedReads = 1_000
)

// prefill gives the ring the newest frames of the journal, those behind the last one that
// cannot be read, and what is recent all that can be read: viewers read the journal
// themselves, the ring only spares them that.
func (a *actor) prefill() {
	_, after := a.r.ring.Head()
	page, failed := replayPage, 0
	for after < a.head {
		frames, err := a.journal.Read(context.Background(), after, page)
		if err == nil && len(frames) == 0 {
			err = fmt.Errorf("the journal ends at %d before %d", after, a.head)
		}
		if err != nil {
			failed++
			if page > 1 && failed <= maxFailedReads { // which of them?
				page /= 2
				continue
			}
			if a.unreadable == 0 {
				a.log.Error().Err(err).Int64("after", after).Msg("events cannot be read; clients that missed them get a snapshot")
			}
			if after++; failed > maxFailedReads {
				after = a.head
			}
			a.unreadable = after
			a.r.ring.Reset(after)
			continue
		}
		items := make([]ring.Item, len(frames))
		for i, f := range frames {
			items[i] = ring.Item{Seq: f.Seq, Bytes: f.Bytes}
			a.recent.saw(items[i])
		}
		a.r.ring.Append(items...)
		after = frames[len(frames)-1].Seq
		page = min(2*page, replayPage)
	}
}
