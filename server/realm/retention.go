package realm

import (
	"context"
	"fmt"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// byRetention is who marks, in the audit.
const byRetention = "retention"

type abandonMsg struct {
	talks  []erasure.Silent
	reason string
	answer func(marked int, err error) // told once
	read   bool                        // those that were not in memory have been fetched
}

// Abandon marks conversations that have been silent as abandoned, in one commit, and
// returns how many, once that is on disk and shown. One that was updated since, in which a
// run is under way, that has ended, that is gone or that the realm is at is left alone.
func (r *Realm) Abandon(ctx context.Context, talks []erasure.Silent, reason string) (marked int, err error) {
	type result struct {
		marked int
		err    error
	}
	done := make(chan result, 1)
	answer := func(marked int, err error) { done <- result{marked, err} }
	if err := r.ask(ctx, abandonMsg{talks: talks, reason: reason, answer: answer}); err != nil {
		return 0, err
	}
	select {
	case res := <-done:
		return res.marked, res.err
	case <-r.done:
		return 0, watch.ErrStopped
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// onAbandon reads the conversations that are not in memory, and decides then.
func (a *actor) onAbandon(m abandonMsg) {
	var missing []string
	for _, s := range m.talks {
		if a.sees.Talks[s.ConversationID] == nil {
			missing = append(missing, s.ConversationID)
		}
	}
	lost := func() { m.answer(0, fmt.Errorf("mark conversations abandoned: %w", a.outbox.Broken())) }
	switch {
	case a.outbox.Broken() != nil:
		lost()
		return
	case a.outbox.Full():
		m.answer(0, errUnsaved)
		return
	case len(missing) > 0 && !m.read:
		if !a.waits.Wait(wait.Silent{IDs: missing}, m) {
			m.answer(0, wait.TooMany)
		}
		return
	}
	a.by = byRetention
	defer func() { a.by = "" }()
	marked := 0
	for _, s := range m.talks {
		if bodies := erasure.Abandon(a.sees, s, m.reason); bodies != nil {
			a.emit("", bodies...)
			marked++
		}
	}
	a.then(act{effect: func() { m.answer(marked, nil) }, lost: lost}) // behind its events
}

var errUnsaved = wire.Errorf(wire.Unsaved, "the disk takes no more for now")
