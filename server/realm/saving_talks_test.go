package realm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var errFull = errors.New("disk is full")

// failsOnce makes the store refuse the commit for f once and accept it then. It checks that the sender gets no error,
// that no durable frame is shown before the commit, and that all are shown after it.
func (b *bench) failsOnce(c *tab, f func() []map[string]any) (meanwhile []map[string]any) {
	b.t.Helper()
	head := b.journal.head()
	b.journal.set(errFull, nil)
	meanwhile = f()
	if e := find(meanwhile, "error"); e != nil {
		b.t.Errorf("S1-17: who asked is told that it failed: %v", e)
	}
	if s := find(meanwhile, "save:status"); s == nil || s["state"] != wire.SaveFailing {
		b.t.Errorf("nobody is told: %v", s)
	}
	if c.seq != head {
		b.t.Errorf("%d is shown and %d saved", c.seq, head)
	}
	b.journal.set(nil, nil)
	time.Sleep(commit.FirstRetry + commit.LastRetry) // until the same batch is tried again
	c.pull()
	if c.seq != b.journal.head() || c.seq == head {
		b.t.Errorf("afterwards %d is shown of %d, from %d", c.seq, b.journal.head(), head)
	}
	return meanwhile
}

// S1-17: the store fails once during an answer. The answer's words are delivered nevertheless, and the next save has
// the answer and the words after it.
func TestAReplyOutlivesAFailedSave_S1_17(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		more := make(chan struct{})
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, extra: []*world.Template{actors()}, drivers: func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
			if err := emit(Chunk{Text: "the first half"}); err != nil {
				return err
			}
			if q.Words != "long" {
				return nil
			}
			select {
			case <-more:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := emit(Chunk{Text: ", the second half"}); err != nil {
				return err
			}
			time.Sleep(time.Second) // the answer's words are shown, and its end waits for the disk
			return nil
		}}
		b.start(false)
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "w1", &wire.ChatSend{ConversationID: id, Content: "long"})
		meanwhile := b.failsOnce(c, func() []map[string]any {
			close(more)
			frames := c.send(ada, "r", &wire.ConversationRename{ConversationID: id, Title: "other"})
			time.Sleep(500 * time.Millisecond)
			frames = append(frames, c.pull()...)
			time.Sleep(time.Second) // the answer has ended
			return append(frames, c.send(ada, "w2", &wire.ChatSend{ConversationID: id, Content: "short"})...)
		})
		text := ""
		for _, f := range meanwhile {
			if f["type"] == "chat.delta" {
				text += f["text"].(string)
			}
		}
		if !strings.Contains(text, "the second half") {
			t.Errorf("the answer is not delivered: %q of %v", text, types(meanwhile))
		}
		wantScript(t, b, id, "user::long", "assistant:sage:the first half, the second half", "user::short", "assistant:sage:the first half")
		b.stop()
	})
}

// S1-17 for a party: the store fails once, and the next save has both people's words and both answers.
func TestAPartyOutlivesAFailedSave_S1_17(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "solo")
		b.failsOnce(c, func() []map[string]any {
			frames := c.says(ada, "w1", id, "hello\n[NEXT: Cy]")
			return append(frames, c.says(ada, "w2", id, "and this")...)
		})
		rows := b.script(id)
		for _, want := range []string{"user:ann:hello", "user:ann:and this", "assistant:cy:cy heard hello"} {
			if n := countOf(rows, want); n != 1 {
				t.Errorf("%q stands there %d times in %q", want, n, rows)
			}
		}
	})
}

// S1-17 for a forge: the store fails once, and the forge has each answer that was given meanwhile exactly once.
func TestAForgeOutlivesAFailedSave_S1_17(t *testing.T) {
	inForge(t, nil, func(b *bench, c *tab) {
		id := c.forge("f")
		b.failsOnce(c, func() []map[string]any {
			frames := c.say(id, "w1", wish)
			return append(frames, c.say(id, "w2", plainTalk[1])...)
		})
		rows := b.script(id)
		for _, want := range []string{"user::" + wish, "user::" + plainTalk[1]} {
			if n := countOf(rows, want); n != 1 {
				t.Errorf("%q stands there %d times in %q", want, n, rows)
			}
		}
		b.kill()
		b.start(true)
		c.again()
		if at := c.stands(id); at.State != "gathering_details" || len(at.Known) == 0 {
			t.Errorf("after a restart: %+v", at)
		}
	})
}

func countOf(rows []string, want string) (n int) {
	for _, r := range rows {
		if r == want {
			n++
		}
	}
	return n
}
