package realm

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// lateReads are tables that delay their next answers by a minute.
type lateReads struct {
	Journal
	next atomic.Int64
}

func (l *lateReads) Conversation(ctx context.Context, id string) (world.SavedConversation, error) {
	late := l.next.Add(-1) >= 0
	c, err := l.Journal.Conversation(ctx, id)
	if late {
		time.Sleep(time.Minute)
	}
	return c, err
}

// resting opens the disk anew, with reads that the test can delay. It makes two sessions: in the first, which is not
// current, the person who has said words; the second is current and belongs to the person other.
func (d *disk) resting(t *testing.T, who Person, words string, other Person) (c *tab, session string) {
	t.Helper()
	d.stop()
	d.late = &lateReads{}
	d.open(false)
	c = d.tab()
	c.returns = true
	session = begun(t, c.send(who, "p", &wire.TeamSet{TeamID: "guild"}))
	c.send(who, "w", &wire.ChatSend{ConversationID: session, Content: words})
	begun(t, c.send(other, "p2", &wire.TeamSet{TeamID: "guild"}))
	d.stop()
	d.open(false)
	c = d.tab()
	c.returns = true
	return c, session
}

// Data that was read before an erasure is not used after it: a session that is being restored, and a chat that
// retention examines (S1-19).
func TestWhatIsReadBeforeAnErasureIsNotTakenIn(t *testing.T) {
	onDisk(t, cast(answers), func(d *disk) {
		c, session := d.resting(t, planter, adaSays, ben)
		d.late.next.Store(2)
		c.send(ben, "r", &wire.TeamSet{TeamID: "guild", ResumeSessionID: session})
		marked := make(chan int, 1)
		go func() {
			n, err := d.r.Abandon(context.Background(), []erasure.Silent{{ConversationID: session}}, "silent")
			if err != nil {
				t.Error(err)
			}
			marked <- n
		}()
		synctest.Wait()
		if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{session}, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Error(err)
		}
		later(10 * time.Minute)
		c.pull()
		if n := <-marked; n != 0 {
			t.Errorf("retention marks %d", n)
		}
		if f := find(c.send(ben, "o", &wire.ConversationOpen{ConversationID: session}), "error"); f == nil || f["code"] != "not_found" {
			t.Errorf("opened it is %v", f)
		}
		if c.world.Party.ConversationID == session {
			t.Error("the session that was erased is at hand")
		}
		d.gone(t, c, []string{adaSays}, nil)
		d.stop()
	})
}

// S1-19: after an erasure of the current session the party has its team and nothing else.
func TestErasureOfTheCurrentSession_S1_19(t *testing.T) {
	onDisk(t, cast(answers), func(d *disk) {
		c := d.tab()
		c.returns = true
		session := begun(t, c.send(planter, "p", &wire.TeamSet{TeamID: "guild"}))
		c.send(planter, "w", &wire.ChatSend{ConversationID: session, Content: adaSays + " [TEAM_TASK: mend it]"})
		if p := c.world.Party; p.ConversationID != session || p.TeamTask == "" {
			t.Fatalf("before the erasure: %+v", p)
		}
		if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{session}, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Error(err)
		}
		later(time.Minute)
		c.pull()
		if p := c.world.Party; p.ConversationID != "" || p.TeamID != "guild" || p.Status != world.PartyIdle || p.TeamTask != "" {
			t.Errorf("%+v", p)
		}
		d.gone(t, c, []string{adaSays}, nil)
		d.stop()
	})
}
