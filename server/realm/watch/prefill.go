package watch

import (
	"context"
	"fmt"

	"agentdungeon/server/ring"
)

// Bounds of Prefill. replayPage is how many events one read of a replay asks the journal for.
// RingPrefill is how many events the ring is given at the start, so that
// tabs that come back after a restart are served from memory. maxFailedReads is how many reads may
// fail: more than a block of packed events has, so that one damaged block costs no more than
// itself.
const (
	replayPage     = 500
	RingPrefill    = 2_000
	maxFailedReads = 1_000
)

// Prefill gives the ring the newest frames of the journal up to head, those behind the last
// one that cannot be read, and what is recent all that can be read: viewers read the journal
// themselves, the ring only spares them that. One damaged event costs a client its replay,
// not its connection, and the ring only what comes before it.
func (a *Audience) Prefill(head int64) {
	_, after := a.feed.ring.Head()
	page, failed := replayPage, 0
	for after < head {
		frames, err := a.feed.journal.Read(context.Background(), after, page)
		if err == nil && len(frames) == 0 {
			err = fmt.Errorf("the journal ends at %d before %d", after, head)
		}
		if err != nil {
			failed++
			if page > 1 && failed <= maxFailedReads { // which of them?
				page /= 2
				continue
			}
			if a.unreadable == 0 {
				a.log.Error().Err(err).Int64("after", after).
					Msg("events cannot be read; clients that missed them get a snapshot")
			}
			if after++; failed > maxFailedReads {
				after = head
			}
			a.unreadable = after
			a.feed.ring.Reset(after)
			continue
		}
		items := make([]ring.Item, len(frames))
		for i, f := range frames {
			items[i] = ring.Item{Seq: f.Seq, Type: f.Type, Bytes: f.Bytes}
			a.recent.saw(items[i])
		}
		a.feed.ring.Append(items...)
		after = frames[len(frames)-1].Seq
		page = min(2*page, replayPage)
	}
}
