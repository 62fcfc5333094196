package realm

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// An erasure removes a person's words and name also outside of the person's own rows (S1-19): the task of a party, the
// title that the person gave to another person's chat, the name of a person who only visited and ended another person's
// chat. The member as whom the person spoke in a party belongs to the team, so the member's name stays.
func TestEraseAPersonBesideTheirRows(t *testing.T) {
	const (
		task, short = "zzptask find the leak below the cellar", "qqshorttask"
		title       = "xxtitleplanted"
		once        = "Vvformername"
		place       = "The Host"
	)
	onDisk(t, cast(answers), func(d *disk) {
		c := d.tab()
		c.returns = true
		party := begun(t, c.send(ben, "p", &wire.TeamSet{TeamID: "guild"}))
		c.send(planter, "w1", &wire.ChatSend{ConversationID: party, Content: "We begin.\n[TEAM_TASK: " + task + "]"})
		later(time.Minute)
		c.send(planter, "w2", &wire.ChatSend{ConversationID: party, Content: "Now another.\n[TEAM_TASK: " + short + "]"})
		c.send(ben, "w3", &wire.ChatSend{ConversationID: party, Content: "I am here too."})
		chat := begun(t, c.send(ben, "n", chatWith("sage")))
		c.send(ben, "q", &wire.ChatSend{ConversationID: chat, Content: "say hello"})
		c.send(planter, "t", &wire.ConversationRename{ConversationID: chat, Title: title})
		formerly := planter
		formerly.Name = once
		c.send(formerly, "s", &wire.SpectatorSay{Text: adaAside})
		other := begun(t, c.send(ben, "n2", chatWith("bard")))
		c.send(ben, "q2", &wire.ChatSend{ConversationID: other, Content: "say goodbye"})
		if f := find(c.send(formerly, "x", &wire.ConversationAbort{ConversationID: other}), "conversation.status"); f == nil || f["reason"] != once+" ended it." {
			t.Errorf("it ends with %v", f)
		}
		later(time.Minute)
		words := []string{task, short, title, once, adaAside}
		for w, n := range grep(t, d.dir, words...) {
			if n == 0 {
				t.Errorf("%s is not planted", w)
			}
		}
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		c.pull()
		for id, want := range map[string]string{chat: `"title":"` + world.ErasedName + `"`, party: `"name":"` + place + `"`} {
			c.send(ben, "o-"+id, &wire.ConversationOpen{ConversationID: id})
			if shown := string(c.raw[len(c.raw)-1]); !strings.Contains(shown, want) {
				t.Errorf("%s is not in %s", want, shown)
			}
		}
		d.gone(t, c, words, []string{place})
		d.equal(t)
		d.stop()
		d.gone(t, nil, words, []string{place})
		d.open(false)
		d.equal(t)
		d.stop()
	})
}

// A person who only ended a conversation has no row, no event and no role. But the sentence about the end has the
// person's name, and the audit records who did it (S1-19).
func TestEraseWhoOnlyEndedSomething(t *testing.T) {
	const passer = "Wwpasserby"
	onDisk(t, cast(answers), func(d *disk) {
		c := d.tab()
		c.returns = true
		for i, cmd := range []func(id string) wire.Command{
			func(id string) wire.Command { return &wire.ConversationAbort{ConversationID: id} },
			func(id string) wire.Command { return &wire.ConversationPause{ConversationID: id} },
		} {
			id := begun(t, c.send(ben, "n"+strconv.Itoa(i), councilOf("say wait", 3, "sage", "bard")))
			if f := find(c.send(Person{SpectatorID: "p9", Name: passer, Role: wire.RoleHost}, "x"+strconv.Itoa(i), cmd(id)), "conversation.status"); f == nil || !strings.HasPrefix(f["reason"].(string), passer) {
				t.Errorf("it says %v", f)
			}
			later(time.Minute)
		}
		c.send(ben, "a", &wire.ConversationAbort{ConversationID: begun(t, c.send(ben, "n9", chatWith("sage")))})
		later(time.Minute)
		if n := grep(t, d.dir, passer)[passer]; n < 2 {
			t.Errorf("their name stands there %d times", n)
		}
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: "p9", Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		c.pull()
		d.gone(t, c, []string{passer}, []string{"Ben ended it."})
		d.equal(t)
		d.stop()
		d.gone(t, nil, []string{passer}, []string{"Ben ended it."})
		d.open(false)
		d.equal(t)
		d.stop()
	})
}

// The name of a person who only stopped a turn of the process is in the reason for which the process waits (S1-19).
func TestEraseWhoOnlyStoppedATurn(t *testing.T) {
	erasesPasser(t, func(c *tab, passer Person) {
		run := wire.ChatCancel{ConversationID: c.world.ProcessState.ConversationID, RequestID: c.talkRuns()[0]}
		c.send(passer, "stop", &run)
		if reason := c.world.ProcessState.Reason; !strings.HasPrefix(reason, passer.Name+" stopped") {
			t.Errorf("it waits: %s", reason)
		}
	}, func(p *world.ProcessState) {
		if p.Status != world.StatusPaused || p.Reason != world.ErasedName {
			t.Errorf("after the erasure: %s, %q", p.Status, p.Reason)
		}
	})
}

// erasesPasser erases a person who has sent one command to a process of other people, and checks that the person's name
// is nowhere then. acts sends the command, and after checks the process after the erasure.
func erasesPasser(t *testing.T, acts func(*tab, Person), after func(*world.ProcessState)) {
	t.Helper()
	passer := Person{SpectatorID: "p9", Name: "Wwpasserby", Role: wire.RoleHost}
	onDisk(t, func(ctx context.Context, _ TurnRequest, _ func(Chunk) error) error {
		<-ctx.Done()
		return ctx.Err()
	}, func(d *disk) {
		c := d.tab()
		c.returns = true
		c.send(ben, "s", start("standard_brainstorm"))
		acts(c, passer)
		later(time.Minute)
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: passer.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		c.pull()
		after(&c.world.ProcessState)
		d.gone(t, c, []string{passer.Name}, nil)
		d.equal(t)
		d.stop()
		d.gone(t, nil, []string{passer.Name}, nil)
	})
}
