package realm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
)

// Rows are paged backwards without gaps or repetition, also in conversations that are no longer in memory. The list has
// all conversations. P9.10, P9.15.
func TestOpenAndList(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		var ids []string
		for i := range wire.ViewChats + 3 {
			ids = append(ids, begun(t, c.send(ada, fmt.Sprint("n", i), chatWith("bard"))))
			c.send(ada, fmt.Sprint("w", i), &wire.ChatSend{ConversationID: ids[i], Content: fmt.Sprint("word ", i)})
		}
		long := ids[0]
		for i := range 70 {
			c.send(ada, fmt.Sprint("x", i), &wire.ChatSend{ConversationID: long, Content: fmt.Sprint("more ", i)})
		}
		time.Sleep(time.Minute) // until a checkpoint, after which unneeded conversations leave the memory
		synctest.Wait()
		list := find(c.send(ada, "l", &wire.ConversationList{}), "conversation.listed")
		if list == nil || len(list["conversations"].([]any)) != len(ids) || list["hasMore"] != false {
			t.Fatalf("list %v", list)
		}
		var rows []string
		before := wire.RowRef{}
		for page := 0; ; page++ {
			s := find(c.send(ada, fmt.Sprint("o", page), &wire.ConversationOpen{ConversationID: long, Before: before}), "snapshot")
			if s == nil || s["conversationId"] != long {
				t.Fatalf("page %d: %v", page, s)
			}
			var part []string
			messages := s["messages"].([]any)
			for _, m := range messages {
				part = append(part, m.(map[string]any)["content"].(string))
			}
			rows = append(part, rows...)
			first := messages[0].(map[string]any)
			before = wire.RowRef{Seq: int64(first["seq"].(float64))}
			if page%2 == 0 {
				before = wire.RowRef{MessageID: first["messageId"].(string)}
			}
			if s["hasMore"] != true {
				break
			}
		}
		if len(rows) != 2*71 || rows[0] != "word 0" || rows[141] != "bard heard: more 69" {
			t.Errorf("%d rows, first %q, last %q", len(rows), rows[0], rows[len(rows)-1])
		}
		// The first chats are not in memory, and can be read nevertheless.
		cold := ids[1]
		if s := find(c.send(ada, "oc", &wire.ConversationOpen{ConversationID: cold}), "snapshot"); s == nil || len(s["messages"].([]any)) != 2 {
			t.Fatalf("cold: %v", s)
		}
		c.send(ada, "wc", &wire.ChatSend{ConversationID: cold, Content: "are you there?"})
		if f := find(c.frames[len(c.frames)-8:], "chat.done"); f == nil || f["requestId"] != "wc" {
			t.Errorf("a cold chat does not answer: %v", types(c.frames[len(c.frames)-8:]))
		}
		b.journal.mu.Lock()
		b.journal.noRead = errors.New("the disk is away")
		b.journal.mu.Unlock()
		if e := find(c.send(ada, "wd", &wire.ChatSend{ConversationID: ids[2], Content: "and you?"}), "error"); e == nil || e["code"] != "not_ready" {
			t.Errorf("S0-B5: %v", e)
		}
		b.journal.mu.Lock()
		b.journal.noRead = nil
		b.journal.mu.Unlock()
		if e := find(c.send(ada, "we", &wire.ChatSend{ConversationID: "nobody", Content: "?"}), "error"); e == nil || e["code"] != "not_found" {
			t.Errorf("a conversation that is not: %v", e)
		}
	})
}

// S1-12: if two people write at the same time, nothing is lost, and the second one is told. P9.18.
func TestOvertakenIsTold_S1_12(t *testing.T) {
	onStage(t, says, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "one"})
		seen := int64(0)
		for _, m := range find(c.send(ada, "o", &wire.ConversationOpen{ConversationID: id}), "snapshot")["messages"].([]any) {
			if m := m.(map[string]any); m["role"] == "user" {
				seen = int64(m["seq"].(float64))
			}
		}
		if find(c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "two", SeenSeq: seen}), "conversation.overtaken") != nil {
			t.Error("nobody was overtaken")
		}
		f := find(c.send(ben, "q3", &wire.ChatSend{ConversationID: id, Content: "three", SeenSeq: seen}), "conversation.overtaken")
		if f == nil || f["name"] != "Ada" || f["own"] != nil {
			t.Errorf("ben is told %v", f)
		}
		f = find(c.send(ben, "q4", &wire.ChatSend{ConversationID: id, Content: "four", SeenSeq: seen}), "conversation.overtaken")
		if f == nil || f["own"] != true {
			t.Errorf("ben's other window: %v", f)
		}
		users := slices.DeleteFunc(b.script(id), func(s string) bool { return !strings.HasPrefix(s, "user") })
		if !slices.Equal(users, []string{"user::one", "user::two", "user::three", "user::four"}) {
			t.Errorf("lost: %q", users)
		}
	})
}
