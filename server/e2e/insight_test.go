package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// learners is a script in which a member learns something in each chat.
const learners = `{"version":1,"turns":[{"match":{"kind":"chat"},"steps":[{"insight":{"area":"gate","text":"learned of {{words}}"}},{"say":"I see."}]}],
 "otherwise":[{"say":"Said by {{role}}."},{"seal":"done"}]}`

// An insight that a client was shown is there after an immediate kill, although the member's vault file is written up
// to a minute later (S3-14).
func TestAShownInsightOutlivesAKill(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-pace", "instant", "-script", file(t, filepath.Join(t.TempDir(), "s.json"), learners))
	tab := NewTab(t, NewLedger(t), "Ada")
	life := home.Start()
	tab.Join(life)
	bareRealm(tab)
	tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "my chat"})
	chat, _ := tab.ledger.conversation("my chat")
	tab.Do("say", &wire.ChatSend{ConversationID: chat.ConversationID, Content: "the ravens"})
	var shown *world.KnowledgeUpdated
	tab.Until("an insight", func() bool {
		for _, ev := range tab.ledger.Events() {
			if b, ok := ev.Body.(*world.KnowledgeUpdated); ok {
				shown = b
			}
		}
		return shown != nil
	})
	for n := range 3 { // the second opening begins with what the first one knew
		life.Kill()
		life = home.Start()
		tab.Join(life)
		tab.ledger.AskAgain(tab, life)
		var details wire.AgentDetails
		answer := tab.Do(fmt.Sprint("details-", n), &wire.GetAgentDetails{AgentID: shown.AgentID}).Answer
		must(t, json.Unmarshal(answer, &details))
		found := 0
		for _, in := range details.Insights {
			if in.Area == shown.Area && in.Text == shown.Text {
				found++
			}
		}
		if found == 0 {
			t.Errorf("after kill %d: %s was shown to have learned %q, and knows %+v", n+1, shown.AgentID, shown.Text, details.Insights)
		}
	}
}
