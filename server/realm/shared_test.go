package realm

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"agentdungeon/server/realm/watch"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// sharing sets the setting shadowsFor to with.
func sharing(c *tab, with string) {
	c.send(ada, "", &wire.UpdateSettings{Settings: map[string]json.RawMessage{"shadowsFor": json.RawMessage(`"` + with + `"`)}})
}

// spectator returns a new tab of a spectator, or one that continues from the position of the tab was.
func spectator(b *bench, was *tab) *tab {
	c, pos := &tab{b: b, durable: map[int64][]byte{}}, watch.Position{Public: true}
	if was != nil {
		c.epoch, c.seq, c.world = was.epoch, was.seq, was.world.Clone()
		pos.Epoch, pos.LastSeq = &was.epoch, &was.seq
	}
	c.attach(pos)
	return c
}

// A host shows sessions to spectators and hides them again. The connections of spectators are cut, also of those who
// would get no other frame, and a spectator who comes back gets a snapshot of what they may see now, before a restart
// and after it. The linked folder's path and the ledger stay hidden (P17.16).
func TestAHostSharesSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, path: "/home/dev/hidden"}
		b.start(false)
		host := b.tab()
		s := seen(0, shadow.Waiting,
			shadow.Entry{Kind: shadow.Prompt, Text: "hush prompt", Human: true},
			shadow.Entry{Kind: shadow.Words, Text: "hush words", Usage: &shadow.Usage{Key: "k", Model: "hidden model", Input: 1}},
			shadow.Entry{Kind: shadow.Call, CallID: "t1", Tool: &shadow.Tool{Name: "Edit", Input: `{"new":"hush input"}`,
				Touches: []shadow.Touch{{Path: "/x/a.go", Place: "a.go", Edit: true, Worktree: "tree"}}}},
			shadow.Entry{Kind: shadow.Result, CallID: "t1", Text: "hush output", OK: true})
		s.State.Wait, s.State.Reason = shadow.WaitPermission, "Bash: hush reason"
		observes(t, b, s, readTo(4))
		opensDoor(t, b, asks("hush door"))
		host.pull()
		session := host.world.Sessions[0]
		eve := Person{SpectatorID: "s9", Name: "Eve", Role: wire.RoleSpectator}
		// sees reports whether a spectator's tab has got any private text, also when it asks.
		sees := func(at string, c *tab) bool {
			t.Helper()
			c.send(eve, "", &wire.ConversationOpen{ConversationID: session.ConversationID})
			c.send(eve, "", &wire.ConversationList{})
			c.send(eve, "", &wire.GetAgentDetails{AgentID: session.AgentID})
			all := ""
			for _, raw := range c.raw {
				all += string(raw)
			}
			if strings.Contains(all, "hidden") {
				t.Errorf("%s: a spectator gets %s", at, all)
			}
			n := 0
			for _, text := range []string{"prompt", "words", "input", "output", "door"} {
				if strings.Contains(all, "hush "+text) {
					n++
				}
			}
			hits, err := b.r.Search(t.Context(), world.SearchQuery{Words: "hush", Public: true})
			doors := len(c.world.Doors)
			if err != nil || n != 0 && n != 5 || (len(hits) > 0) != (n > 0) || (doors > 0) != (n > 0) {
				t.Errorf("%s: a spectator gets %d of 5 texts, %d hits, %d doors (%v)", at, n, len(hits), doors, err)
			}
			return n > 0
		}
		cut := func(at string, c *tab) {
			t.Helper()
			synctest.Wait()
			if _, err := c.v.Take(t.Context(), 1<<20); err == nil {
				t.Errorf("%s: the connection of a spectator stays", at)
			}
		}
		before := spectator(b, nil)
		if sees("at first", spectator(b, nil)) {
			t.Error("at first a spectator sees the session")
		}
		sharing(host, world.Everybody)
		cut("shared", before)
		if !sees("shared", spectator(b, before)) {
			t.Error("shared: a spectator who comes back does not see the session")
		}
		b.kill()
		b.start(false)
		host = b.tab()
		again := spectator(b, before)
		if !sees("after a restart", again) {
			t.Error("after a restart the setting is forgotten")
		}
		sharing(host, world.Hosts)
		cut("hidden again", again)
		if sees("hidden again", spectator(b, again)) {
			t.Error("hidden again: a spectator still sees the session")
		}
		b.stop()
		b.start(false)
		defer b.stop()
		if sees("hidden, after a restart", spectator(b, again)) {
			t.Error("after a restart a spectator still sees the session")
		}
	})
}
