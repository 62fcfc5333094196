package realm

import (
	"bytes"
	"testing"
	"testing/synctest"

	"agentdungeon/server/realm/watch"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A spectator gets the hero of a coding agent, its state and its file, and no words of its session: not live, not in a
// replay, a snapshot or a list, and not in the hero's details. A spectator's world, live or from a snapshot, is the
// host's world without the hidden parts (P17.5, P17.12).
func TestSpectatorsSeeNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/project"}
		b.start(false)
		defer b.stop()
		hushed := func(from int, entries []shadow.Entry) shadow.Seen {
			s := seen(from, shadow.Waiting, entries...)
			s.Session.Title, s.State.Wait, s.State.Reason = "hush title", shadow.WaitPermission, "Bash: hush reason"
			return s
		}
		host, live := b.tab(), &tab{b: b, durable: map[int64][]byte{}}
		live.attach(watch.Position{Public: true})
		before, epoch := live.seq, live.epoch
		replayed := &tab{b: b, durable: map[int64][]byte{}, seq: before, world: live.world.Clone()}
		observes(t, b, hushed(0, []shadow.Entry{
			{Kind: shadow.Prompt, Text: "hush prompt", Human: true},
			{Kind: shadow.Words, Text: "hush words", Usage: &shadow.Usage{Key: "k", Model: "hush model", Input: 1}},
			{Kind: shadow.Stated, Micros: 7},
			{Kind: shadow.Call, CallID: "t1", Tool: &shadow.Tool{Name: "Edit", Input: `{"new":"hush input"}`, Brief: "hush brief",
				Touches: []shadow.Touch{{Path: "/home/dev/project/src/parser.go", Place: "src/parser.go", Edit: true}}}},
			{Kind: shadow.Titled, Text: "hush another title"},
		}), readTo(5))
		observes(t, b, hushed(5, []shadow.Entry{{Kind: shadow.Result, CallID: "t1", Text: "hush output", OK: true}}), readTo(6))
		host.pull()
		live.pull()
		replayed.attach(watch.Position{Epoch: &epoch, LastSeq: &before, Public: true})
		b.stop()
		b.start(false) // so that a snapshot contains everything
		fresh := &tab{b: b, durable: map[int64][]byte{}}
		fresh.attach(watch.Position{Public: true})
		again := b.tab()
		eve := Person{SpectatorID: "s9", Name: "Eve", Role: wire.RoleSpectator}
		session := host.world.Sessions[0]
		listed := find(fresh.send(eve, "", &wire.ConversationList{}), "conversation.listed")
		for _, one := range listed["conversations"].([]any) {
			if id := one.(map[string]any)["conversationId"]; id == session.ConversationID {
				t.Error("a spectator's list has the session")
			}
		}
		if got := find(fresh.send(eve, "", &wire.ConversationOpen{ConversationID: session.ConversationID}), "error"); got == nil || got["code"] != string(wire.NotFound) {
			t.Errorf("a spectator who opens the session gets %v", got)
		}
		if got := find(fresh.send(eve, "", &wire.GetAgentDetails{AgentID: session.AgentID}), "agent:details"); got == nil {
			t.Error("a spectator gets no details of the hero")
		}
		if got := find(again.send(ada, "", &wire.ConversationList{}), "conversation.listed"); len(got["conversations"].([]any)) == 0 {
			t.Error("a host's list lacks the session")
		}
		want := map[bool]string{false: shown(t, host.world), true: shown(t, again.world)}
		for name, c := range map[string]*tab{"live": live, "in a replay": replayed, "in a snapshot": fresh} {
			if raw := bytes.Join(c.raw, nil); bytes.Contains(raw, []byte("hush")) {
				t.Errorf("%s, a spectator gets what is said in a session: %s", name, raw)
			}
			if got, want := shown(t, c.world), want[c == fresh]; got != want {
				t.Errorf("%s, a spectator's world is\n%s\nand the host's without what is hidden\n%s", name, got, want)
			}
			hero := c.world.Agent(session.AgentID)
			if hero == nil || hero.State == nil || hero.State.Wait != world.WaitPermission || hero.State.Path != "src/parser.go" {
				t.Errorf("%s, a spectator sees the hero %+v", name, hero)
			}
		}
		if raw := bytes.Join(again.raw, nil); !bytes.Contains(raw, []byte("hush words")) {
			t.Errorf("a host's snapshot lacks what is said in the session: %s", raw)
		}
		if n := bytes.Count(bytes.Join(host.raw, nil), []byte("hush")); n < 7 {
			t.Errorf("the host sees %d of the texts", n)
		}
	})
}

// shown returns a world in the form that spectators get.
func shown(t *testing.T, w *world.World) string {
	t.Helper()
	return string(asJSON(t, w.InSight(world.SightPublic)))
}
