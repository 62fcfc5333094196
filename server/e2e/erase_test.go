package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The operator erases through the server while a person watches, and in the stopped folder. Both commands return when
// no erased byte is left, and the audit records both without any erased words (S1-19, S1-25). P16.9.
func TestOperatorsErase(t *testing.T) {
	t.Parallel()
	home := talkHome(t)
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	bareRealm(tab)
	_, w := tab.Position()
	realm := w.Realm.ID
	const first, second = "xyzzy-first-words", "plugh-second-words"
	talk := func(id, title, words string) string {
		tab.Do(id, &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: title})
		c, _ := tab.ledger.conversation(title)
		tab.Do(id+"s", &wire.ChatSend{ConversationID: c.ConversationID, Content: words + " and more"})
		tab.Until("answered", func() bool { return len(Rows(tab.ledger.Events(), c.ConversationID)) == 2 })
		return c.ConversationID
	}
	one, two := talk("one", "the first", first), talk("two", "the second", second)
	run := func(args ...string) (int, string) {
		t.Helper()
		code, stdout, stderr := home.Run(append([]string{args[0], "-worlds", home.Worlds, "-realm", realm}, args[1:]...)...)
		return code, stdout + stderr
	}
	erase := func(id, words string) {
		t.Helper()
		if len(holding(t, filepath.Join(home.Worlds, realm), words)) == 0 {
			t.Fatalf("%q was never there", words)
		}
		code, out := run("erase", "-conversation", id, "-json")
		var r world.Receipt
		if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || r.DoneAt == 0 || r.ConversationID != id || len(r.Unreached) == 0 {
			t.Fatalf("erase: %d, %v\n%s", code, err, out)
		}
		if left := holding(t, filepath.Join(home.Worlds, realm), words); len(left) > 0 {
			t.Errorf("%q is left in %v", words, left)
		}
	}
	erase(one, first)
	cut := false // an erasure cuts a tab that has not read all earlier frames; the tab comes back for a snapshot
	tab.Until("it is told", func() bool {
		for _, ev := range tab.ledger.Events() {
			if b, ok := ev.Body.(*world.HistoryErased); ok {
				return b.Reason == world.ErasedOnRequest
			}
		}
		cut = tab.Closed == int(wire.CloseTooSlow)
		return cut
	})
	if cut {
		tab.Join(l)
	}
	if _, w := tab.Position(); !w.IsErased(one) {
		t.Errorf("the world does not say that %s is erased: %v", one, w.Erased)
	}
	if code, out := run("erase", "-conversation", "nobody"); code != 1 || !strings.Contains(out, "nobody") {
		t.Errorf("a conversation that is not there: %d\n%s", code, out)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	erase(two, second)
	code, out := run("audit")
	if code != 0 || strings.Count(out, "erase") < 2 || strings.Contains(out, "words") {
		t.Errorf("the audit: %d\n%s", code, out)
	}
}
