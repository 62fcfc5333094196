package realm

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A person is erased while an agent's turn in the current party, a council that waits for the person, an answer in the
// person's chat, and the restore of a session are under way. All of these end, no other person's conversation is
// harmed, and commands to them, meanwhile and later, are refused (S1-19).
func TestEraseAPersonInTheMidst(t *testing.T) {
	for name, cut := range map[string]bool{"on": false, "with a kill behind the intent": true} {
		t.Run(name, func(t *testing.T) {
			onDisk(t, cast(answers), func(d *disk) {
				c := d.tab()
				c.returns = true
				first := begun(t, c.send(planter, "p0", &wire.TeamSet{TeamID: "guild"}))
				c.send(planter, "w0", &wire.ChatSend{ConversationID: first, Content: adaAside})
				party := begun(t, c.send(planter, "p", &wire.TeamSet{TeamID: "guild"}))
				c.send(planter, "w1", &wire.ChatSend{ConversationID: party, Content: adaSays + " say wait\n[NEXT: sage]"})
				chat := begun(t, c.send(planter, "n", chatWith("bard")))
				c.send(planter, "w2", &wire.ChatSend{ConversationID: chat, Content: chatSays + " say wait"})
				council := begun(t, c.send(planter, "k", councilOf(adaSays, 3, planter.SpectatorID, "bard")))
				their := begun(t, c.send(ben, "n2", chatWith("sage")))
				c.send(ben, "w3", &wire.ChatSend{ConversationID: their, Content: benSays})
				later(time.Second)
				e := world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}
				if cut {
					e.ErasureID, e.At = "e-cut", world.TimeOf(time.Now())
					if err := d.o.Eraser.IntendErasure(e); err != nil {
						t.Fatal(err)
					}
					d.stop()
					d.open(false)
					c = d.tab()
					c.returns = true
				} else {
					if f := d.r.Submit(Input{From: ben, RequestID: "r", Command: &wire.TeamSet{TeamID: "guild", ResumeSessionID: first}, To: c.v}); f != nil {
						t.Fatal(f)
					}
					told := make(chan error, 2)
					for range 2 {
						go func() {
							_, err := d.r.Erase(context.Background(), e)
							told <- err
						}()
					}
					for _, cmd := range []wire.Command{
						&wire.ChatSend{ConversationID: chat, Content: "more"}, &wire.ConversationResume{ConversationID: council},
						&wire.TeamSet{TeamID: "guild", ResumeSessionID: party}, &wire.ConversationRename{ConversationID: their, Title: adaName},
					} {
						c.send(planter, "m"+cmd.CommandType(), cmd)
					}
					for range 2 {
						if err := <-told; err != nil {
							t.Errorf("erased at once and again: %v", err)
						}
					}
				}
				later(time.Minute)
				c.pull()
				for _, id := range []string{party, council, their} {
					if f := find(c.send(ben, "o-"+id, &wire.ConversationOpen{ConversationID: id}), "snapshot"); f == nil {
						t.Errorf("%s cannot be opened", id)
					}
				}
				if f := find(c.send(ben, "o-"+chat, &wire.ConversationOpen{ConversationID: chat}), "error"); f == nil || f["code"] != "not_found" {
					t.Errorf("their chat: %v", f)
				}
				c.send(ben, "w9", &wire.ChatSend{ConversationID: their, Content: "say on"})
				later(time.Minute)
				words := []string{adaSays, adaAside, chatSays, adaName}
				d.gone(t, c, words, []string{benSays})
				d.equal(t)
				if _, err := d.r.Erase(context.Background(), e); err != nil {
					t.Errorf("a third time: %v", err)
				}
				d.stop()
				d.gone(t, nil, words, []string{benSays})
				d.open(false)
				d.equal(t)
				d.stop()
			})
		})
	}
}

// If an erasure waits and is then refused, the erasures behind it do not wait any longer (S1-19).
func TestErasuresBehindOneThatIsRefused(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		c, chat, council := d.lived()
		conv := c.world.ProcessState.ConversationID
		for i, cmd := range []wire.Command{
			&wire.HistoryErase{ConversationID: chat}, &wire.HistoryErase{ConversationID: conv},
			&wire.PlayerCommand{Text: "/resume"}, &wire.HistoryErase{ConversationID: council},
		} {
			if e := d.r.Submit(Input{From: ben, RequestID: "z" + string(rune('0'+i)), Command: cmd, To: c.v}); e != nil {
				t.Fatal(e)
			}
		}
		later(time.Minute)
		late := d.tab()
		for id, gone := range map[string]bool{chat: true, conv: false, council: true} {
			f := late.send(ben, "o-"+id, &wire.ConversationOpen{ConversationID: id})
			if got := find(f, "error") != nil; got != gone {
				t.Errorf("%s: %v", id, types(f))
			}
		}
		d.stop()
	})
}

// heldBack is an eraser that starts when the channel begins is closed.
type heldBack struct {
	erasure.Eraser
	begins chan struct{}
}

func (h heldBack) ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error) {
	<-h.begins
	return h.Eraser.ScopeErasure(ctx, e, names, bare)
}

// Viewers and erasures that come while an erasure that began before this opening is under way wait in the realm's
// queue. If the queue is full, they are refused with the same answer as other commands, and nobody waits for ever
// (S1-19).
func TestWaitingForAnErasureIsBounded(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		_, chat, council := d.lived()
		e := world.Erasure{ErasureID: "e-cut", At: world.TimeOf(time.Now()), Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}
		if err := d.o.Eraser.IntendErasure(e); err != nil {
			t.Fatal(err)
		}
		d.stop()
		begins := make(chan struct{})
		d.with = func(cfg *Config) { cfg.Eraser = heldBack{cfg.Eraser, begins} }
		d.open(false)
		synctest.Wait()
		came := make(chan error, wait.MaxWaiting+1)
		for range wait.MaxWaiting {
			go func() {
				v, err := d.r.Attach(context.Background(), watch.Position{})
				if err == nil {
					v.Close()
				}
				came <- err
			}()
		}
		synctest.Wait()
		if _, err := d.r.Attach(context.Background(), watch.Position{}); err != error(wait.TooMany) {
			t.Errorf("one more viewer: %v", err)
		}
		next := world.Erasure{Conversations: []string{council}, Reason: world.ErasedOnRequest, Who: "test"}
		if _, err := d.r.Erase(context.Background(), next); err != error(wait.TooMany) {
			t.Errorf("one more erasure: %v", err)
		}
		close(begins)
		for range wait.MaxWaiting {
			if err := <-came; err != nil {
				t.Errorf("a viewer that waited: %v", err)
			}
		}
		if _, err := d.r.Erase(context.Background(), next); err != nil {
			t.Errorf("the erasure that was refused, asked for again: %v", err)
		}
		d.stop()
	})
}
