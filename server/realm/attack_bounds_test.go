package realm

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Hundreds of questions to one agent at the same time do not start hundreds of runs at the same time.
func TestAttackChatsWithoutABound(t *testing.T) {
	var most atomic.Int64
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		most.Add(1)
		<-ctx.Done()
		return ctx.Err()
	})
	hostileStage(t, play, func(b *bench) {
		c := b.tab()
		for i := range 300 {
			id := begun(t, c.send(ada, fmt.Sprint("n", i), chatWith("sage")))
			c.send(ada, fmt.Sprint("q", i), &wire.ChatSend{ConversationID: id, Content: "x"})
		}
		if n := most.Load(); n > 100 {
			t.Errorf("%d runs of one agent at once", n)
		}
	})
}

type hostileStuck struct {
	*memJournal
}

func (j *hostileStuck) Conversation(ctx context.Context, id string) (world.SavedConversation, error) {
	<-ctx.Done()
	return world.SavedConversation{}, ctx.Err()
}

// A realm can stop while reads of conversations never return and commands wait for these reads.
func TestAttackStopWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: says, extra: []*world.Template{actors()}}
		b.start(false)
		b.stop()
		hostileStart(b, &hostileStuck{memJournal: b.journal})
		c := b.tab()
		for i := range 40 {
			c.send(ada, fmt.Sprint("o", i), &wire.ChatSend{ConversationID: fmt.Sprint("c", i%20), Content: "x"})
		}
		t.Log(len(c.frames), count(c.frames, "error"))
		b.stop()
	})
}

// A mix of commands about one agent, such as a second /ask, a dismissal and a skip during an answer, does not break the
// realm.
func TestAttackMixed(t *testing.T) {
	hostileStage(t, hostileTool, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
		id := begun(t, c.send(ada, "n", councilOf("we", 5, "sage", "bard")))
		id2 := begun(t, c.send(ada, "n2", chatWith("sage")))
		for i, cmd := range []wire.Command{
			&wire.ChatSend{ConversationID: id2, Content: "a"}, &wire.ChatSend{ConversationID: id2, Content: "b"}, &wire.PlayerCommand{Text: "/ask sage what"},
			&wire.PlayerCommand{Text: "/ask sage what else"}, &wire.TakeRole{RoleID: "sage"}, &wire.PlayerCommand{Text: "/skip"}, &wire.ConversationResume{ConversationID: id},
			&wire.PlayerCommand{Text: "/resume"}, &wire.PlayerCommand{Text: "/dismiss sage"}, &wire.PlayerCommand{Text: "/summon sage"}, &wire.PlayerCommand{Text: "/restart"},
			&wire.ConversationResume{ConversationID: id2}, &wire.ConversationResume{ConversationID: id}, &wire.PlayerCommand{Text: "/pause"}, &wire.PlayerCommand{Text: "/skip"}, &wire.ConversationClose{ConversationID: id2},
			&wire.ConversationAbort{ConversationID: id}, &wire.PlayerCommand{Text: "/resume"}, &wire.PlayerCommand{Text: "/skip"}, &wire.PlayerCommand{Text: "/skip"},
		} {
			f := c.send(ada, fmt.Sprint("k", i), cmd)
			if hostileBroken(f) {
				t.Fatalf("%d %+v breaks it", i, cmd)
			}
			if e := find(f, "error"); e != nil {
				t.Log(i, e["message"])
			}
		}
	})
}
