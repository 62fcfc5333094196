package watch

import (
	"context"
	"fmt"

	"agentdungeon/server/ring"
	"agentdungeon/shared/world"
)

const (
	replayPage     = 500   // the number of events in one read of the journal
	maxFailedReads = 2_500 // after this many failed reads Prefill stops; a damaged block has at most 2,000 events
)

// Fill appends the frames of consecutive events to the ring. It does nothing if they do not follow the ring's last
// event.
func (a *Audience) Fill(frames []world.Frame) {
	if _, after := a.feed.ring.Head(); len(frames) == 0 || frames[0].Seq != after+1 {
		return
	}
	items := make([]ring.Item, len(frames))
	for i, f := range frames {
		items[i] = ring.Item{Seq: f.Seq, Type: f.Type, Bytes: f.Bytes}
		a.recent.saw(items[i])
	}
	a.feed.ring.Append(items...)
}

// Prefill fills the ring with the events of the journal that follow its last event, up to head. If some events cannot
// be read, the ring gets only those after them; clients that missed the unreadable events get a snapshot.
func (a *Audience) Prefill(head int64) {
	_, after := a.feed.ring.Head()
	page, failed := replayPage, 0
	for after < head {
		frames, err := a.feed.journal.Read(context.Background(), after, page)
		if err == nil && len(frames) == 0 {
			err = fmt.Errorf("the journal ends at event %d, before event %d", after, head)
		}
		if err != nil {
			failed++
			if page > 1 && failed <= maxFailedReads { // read single events to find the one that cannot be read
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
		a.Fill(frames)
		after = frames[len(frames)-1].Seq
		page = min(2*page, replayPage)
	}
}
