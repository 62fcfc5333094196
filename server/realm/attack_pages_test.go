package realm

import (
	"context"
	"testing"
	"testing/synctest"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// hostileGateOnce delays the read of the default page of a chat that is not in memory, while a person speaks in the
// chat.
type hostileGateOnce struct {
	*memJournal
	gate chan struct{}
}

func (j *hostileGateOnce) Rows(ctx context.Context, id, stage string, before int64, limit int) ([]world.Message, bool, error) {
	rows, more, err := j.memJournal.Rows(ctx, id, stage, before, limit)
	<-j.gate
	return rows, more, err
}

func TestAttackColdPageLacksRows(t *testing.T) {
	hostileStage(t, says, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		for i := range 9 { // others speak later, so that a start does not load this chat
			other := begun(t, c.send(ada, "m"+string(rune('a'+i)), chatWith("bard")))
			c.send(ada, "x"+string(rune('a'+i)), &wire.ChatSend{ConversationID: other, Content: "x"})
		}
		b.stop()
		slow := &hostileGateOnce{memJournal: b.journal, gate: make(chan struct{})}
		hostileStart(b, slow)
		c.again()
		c.send(ada, "o", &wire.ConversationOpen{ConversationID: id})
		c.send(ben, "late", &wire.ChatSend{ConversationID: id, Content: "between"})
		close(slow.gate)
		synctest.Wait()
		for _, f := range append(c.pull(), c.frames...) {
			if f["requestId"] == "o" {
				t.Logf("lastSeq %v, %d rows", f["lastSeq"], len(f["messages"].([]any)))
				if len(f["messages"].([]any)) == 0 {
					t.Error("an empty page of a conversation with words")
				}
				return
			}
		}
	})
}
