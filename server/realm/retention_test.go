package realm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A silent conversation is marked abandoned, with a reason and a new updatedAt, unless something has happened in it
// meanwhile. A current or running one is never marked (S1-16, S1-B8). A message resumes an abandoned chat (S1-16).
func TestAbandonedAndTakenUpAgain(t *testing.T) {
	wait := make(chan struct{})
	slow := func(ctx context.Context, r TurnRequest, emit func(Chunk) error) error {
		if r.Words == "slowly" {
			<-wait
		}
		return says(ctx, r, emit)
	}
	onStage(t, slow, func(b *bench) {
		wait = make(chan struct{}) // in the bubble
		c := b.tab()
		id := begun(t, c.send(ada, "new", chatWith("sage")))
		c.send(ada, "q1", &wire.ChatSend{ConversationID: id, Content: "hello"})
		council := begun(t, c.send(ada, "k", councilOf("Weigh it.", 1, "bard", "scout")))
		c.send(ada, "start", start("standard_brainstorm"))
		updated := func(id string) world.Time {
			t.Helper()
			saved, err := b.journal.Conversation(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			return saved.Conversation.UpdatedAt
		}
		abandon := func(id string, seen world.Time) error {
			marked, err := b.r.Abandon(context.Background(), []erasure.Silent{{ConversationID: id, UpdatedAt: seen}}, "Nothing was said for 30 days.")
			if err == nil && marked == 0 {
				return erasure.ErrNotSilent
			}
			return err
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		c.pull()
		process := c.world.ProcessState.ConversationID
		for name, err := range map[string]error{
			"spoken in since": abandon(id, updated(id)-1),
			"at hand":         abandon(process, updated(process)),
			"ended":           abandon(council, updated(council)),
			"no such":         abandon("nobody", 1),
		} {
			if !errors.Is(err, erasure.ErrNotSilent) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if f := find(c.pull(), "conversation.status"); f != nil && f["status"] == world.ConversationAbandoned {
			t.Fatalf("something is marked: %v", f)
		}
		c.send(ada, "q2", &wire.ChatSend{ConversationID: id, Content: "slowly"})
		if err := abandon(id, updated(id)); !errors.Is(err, erasure.ErrNotSilent) {
			t.Errorf("one that is being answered: %v", err)
		}
		close(wait)
		synctest.Wait()
		time.Sleep(time.Hour)
		before := updated(id)
		if err := abandon(id, before); err != nil {
			t.Fatal(err)
		}
		f := find(c.pull(), "conversation.status")
		if f == nil || f["status"] != world.ConversationAbandoned || f["reason"] != "Nothing was said for 30 days." {
			t.Fatalf("%v", f)
		}
		saved, err := b.journal.Conversation(context.Background(), id)
		if h := saved.Conversation; err != nil || h.UpdatedAt <= before || h.EndedAt != h.UpdatedAt || h.Status != world.ConversationAbandoned {
			t.Errorf("%+v (%v)", h, err)
		}
		if err := abandon(id, updated(id)); !errors.Is(err, erasure.ErrNotSilent) {
			t.Errorf("twice: %v", err)
		}
		b.stop()
		b.start(true)
		c.again()
		c.send(ada, "q3", &wire.ChatSend{ConversationID: id, Content: "are you there?"})
		saved, err = b.journal.Conversation(context.Background(), id)
		if h := saved.Conversation; err != nil || h.Status != world.ConversationActive || h.EndedAt != 0 || h.Reason != "" {
			t.Errorf("after a message: %+v (%v)", h, err)
		}
		if rows := b.script(id); len(rows) != 6 {
			t.Errorf("%q", rows)
		}
		c.send(ada, "end", &wire.ConversationClose{ConversationID: id})
		if f := find(c.send(ada, "q4", &wire.ChatSend{ConversationID: id, Content: "and now?"}), "error"); f == nil || f["code"] != string(wire.Conflict) {
			t.Errorf("one that was completed is taken up: %v", f)
		}
	})
}

// Retention erases a batch only if each conversation is still as it was when retention chose it: if somebody has spoken
// in one since, or one is in use, nothing of the batch is erased. An erased conversation leaves no bytes. The audit
// records the marks and the erasures (S1-16, S1-B8).
func TestRetentionErasesWhatIsSilent(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		c, chat, council := d.lived()
		process := c.world.ProcessState.ConversationID
		updated := func(id string) world.Time {
			t.Helper()
			saved, err := d.o.Journal.Conversation(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			return saved.Conversation.UpdatedAt
		}
		abandon := func() {
			t.Helper()
			talks := []erasure.Silent{
				{ConversationID: chat, UpdatedAt: updated(chat)},
				{ConversationID: process, UpdatedAt: updated(process)},
				{ConversationID: "nobody", UpdatedAt: 1},
			}
			if marked, err := d.r.Abandon(context.Background(), talks, "Nothing was said for 30 days."); err != nil || marked != 1 {
				t.Fatalf("%d are marked: %v", marked, err)
			}
		}
		erase := func(ids map[string]world.Time) error {
			e := world.Erasure{Reason: world.ErasedByRetention, Who: "retention", Since: ids}
			for id := range ids {
				e.Conversations = append(e.Conversations, id)
			}
			_, err := d.r.Erase(context.Background(), e)
			return err
		}
		abandon()
		seen := updated(chat)
		for name, ids := range map[string]map[string]world.Time{
			"the process at hand":        {chat: seen, process: updated(process)},
			"one that has not ended":     {chat: seen, council: updated(council)},
			"one that was updated since": {chat: seen, council: updated(council) - 1},
			"and the same one by itself": {council: updated(council) - 1},
		} {
			if err := erase(ids); !errors.Is(err, erasure.ErrNotSilent) {
				t.Errorf("%s: %v", name, err)
			}
		}
		c.send(planter, "again", &wire.ChatSend{ConversationID: chat, Content: "wait, " + chatSays})
		if err := erase(map[string]world.Time{chat: seen}); !errors.Is(err, erasure.ErrNotSilent) {
			t.Errorf("one that was taken up again: %v", err)
		}
		time.Sleep(time.Minute)
		synctest.Wait() // vaults are written once a minute
		if got := grep(t, d.dir, chatSays); got[chatSays] == 0 {
			t.Fatal("the words are gone")
		}
		abandon()
		if err := erase(map[string]world.Time{chat: updated(chat)}); err != nil {
			t.Fatal(err)
		}
		c.pull()
		d.gone(t, c, []string{chatSays}, []string{adaSays, benSays})
		if _, err := d.o.Journal.Conversation(context.Background(), chat); !errors.Is(err, world.ErrNoConversation) {
			t.Errorf("it is still there: %v", err)
		}
		rows, err := d.o.Journal.Audit(context.Background(), 0, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]int{}
		for _, r := range rows {
			if r.Who == "retention" {
				by[r.Action]++
			}
		}
		if by["conversation.status"] != 2 || len(by) != 2 {
			t.Errorf("the audit has %v of retention", by)
		}
		d.stop()
		d.open(false)
		d.equal(t)
		d.stop()
	})
}
