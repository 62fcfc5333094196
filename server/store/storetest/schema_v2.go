package storetest

import (
	"testing"

	"agentdungeon/shared/world"
)

// ModelOfEarlier is ModelOf for a journal that schema 1 or 2 began. In those schemas each row changed
// its conversation, whatever the row's time (see world.Touches).
func ModelOfEarlier(t testing.TB, frames [][]byte) *Model {
	t.Helper()
	m := ModelOf(t, frames)
	for _, frame := range frames {
		ev, err := world.DecodeEvent(frame)
		Must(t, err)
		if b, ok := ev.Body.(*world.MessageAdded); ok {
			head := &m.Talks[b.ConversationID].Head
			head.UpdatedAt = max(head.UpdatedAt, ev.At)
		}
	}
	return m
}
