package realm

import (
	"context"
	"fmt"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
)

// byRetention is the name that stands for retention in the audit.
const byRetention = "retention"

type abandonMsg struct {
	talks  []erasure.Silent
	reason string
	answer func(marked int, err error) // called once
	read   bool                        // the conversations that are not in memory were read from the tables
}

// Abandon marks silent conversations as abandoned. It leaves out conversations that are not silent any more, have ended
// or do not exist. It returns the number of marked conversations once the marks are durable.
func (r *Realm) Abandon(ctx context.Context, talks []erasure.Silent, reason string) (marked int, err error) {
	type result struct {
		marked int
		err    error
	}
	reply := make(chan result, 1)
	answer := func(marked int, err error) { reply <- result{marked, err} }
	got, err := call(ctx, r, abandonMsg{talks: talks, reason: reason, answer: answer}, reply)
	if err != nil {
		return 0, err
	}
	return got.marked, got.err
}

func (a *actor) onAbandon(m abandonMsg) {
	var missing []string
	for _, s := range m.talks {
		if a.realm.Talks[s.ConversationID] == nil {
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
		if bodies := erasure.Abandon(a.realm, s, m.reason); bodies != nil {
			a.emit("", bodies...)
			marked++
		}
	}
	a.outbox.ThenOr(0, func() { m.answer(marked, nil) }, lost)
}

var errUnsaved = wire.Errorf(wire.Unsaved, "the disk cannot store more at present")
