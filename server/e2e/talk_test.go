package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"

	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// talkers is a script for councils and chats. In a council each turn uses a tool that only reads, and speaks before
// and after it.
const talkers = `{"version": 1, "defaults": {"chunkMs": 2, "chunkWords": 2}, "turns": [
 {"match": {"kind": "chat", "words": "count"}, "steps": [{"say": "word ", "repeat": 400, "chunkMs": 1, "chunkWords": 1}]},
 {"match": {"kind": "chat"}, "steps": [{"say": "You said: {{words}}"}]},
 {"match": {"kind": "council"}, "steps": [
   {"say": "I look at it first, with some care."},
   {"tool": {"name": "look", "input": "{}", "output": "seen", "reads": true, "delayMs": 5, "always": true}},
   {"say": "{{role}} has seen it, turn {{n}} of this council."}]}
 ], "otherwise": [{"say": "Said by {{role}}."}, {"seal": "done"}]}`

// bareRealm makes a tab begin a realm without a folder, and waits until the tab is in it.
func bareRealm(tab *Tab) {
	tab.t.Helper()
	tab.Do("bare", &wire.StartProcess{Problem: "What now?", TemplateID: "standard_brainstorm", Bare: true})
	tab.Until("a realm", func() bool { return tab.Live() && tab.World != nil })
}

func talkHome(t *testing.T) *Home {
	t.Helper()
	script := filepath.Join(t.TempDir(), "talk.json")
	file(t, script, talkers)
	return NewHome(t, server, "-pace", "instant", "-script", script)
}

// script returns the closed rows of a conversation that clients were shown, as a person reads them.
func (l *Ledger) script(conversation string) []string {
	var out []string
	for _, m := range Rows(l.Events(), conversation) {
		out = append(out, m.Role+":"+m.MemberID+":"+m.Content+":"+m.Status)
	}
	return out
}

// conversation returns the conversation with this title and its status.
func (l *Ledger) conversation(title string) (c world.Conversation, status string) {
	for _, ev := range l.Events() {
		switch b := ev.Body.(type) {
		case *world.ConversationStarted:
			if b.Conversation.Title == title {
				c, status = b.Conversation, b.Conversation.Status
			}
		case *world.ConversationStatus:
			if b.ConversationID == c.ConversationID {
				status = b.Status
			}
		}
	}
	return c, status
}

// A council and a chat of the real binary are killed repeatedly. The council takes exactly its turns, in the order of
// its members; each of the chat's messages is taken once, however often it is sent; nothing that was shown is lost
// (S0-04, S0-11 to S0-18, S0-20, S4-13).
func TestTalksOutliveKills(t *testing.T) {
	t.Parallel()
	rng := seeded(t)(31)
	home := talkHome(t)
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	bareRealm(tab)
	tab.Do("council", &wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: []string{"ideator", "facilitator", "synthesizer"}, TaskPrompt: "Weigh it.", MaxTurns: 60})
	tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "my chat"})
	chat, _ := ledger.conversation("my chat")
	kills := number(t, "AGENTDUNGEON_TALK_KILLS", 15)
	over := func() bool { _, s := ledger.conversation("Weigh it."); return s == world.ConversationCompleted }
	for n := range kills {
		say := &wire.ChatSend{ConversationID: chat.ConversationID, Content: fmt.Sprint("count ", n)}
		until := 0
		tab.Look(func() {
			tab.Send(fmt.Sprint("say-", n), say)
			until = tab.Frames + 1 + rng.IntN(12)
		})
		tab.Within(time.Second, func() bool { return tab.Frames >= until })
		l.Kill()
		l = home.Start()
		if err := tab.Connect(l); err != nil {
			t.Fatalf("life %d: %v", n+2, err)
		}
		tab.Until("live again", func() bool { return tab.Live() })
		tab.Until("answered", func() bool { return len(tab.Pending) == 0 })
		ledger.AskAgain(tab, l)
		if _, s := ledger.conversation("Weigh it."); s == world.ConversationInterrupted { // after three starts without a turn
			c, _ := ledger.conversation("Weigh it.")
			tab.Do(fmt.Sprint("resume-", n), &wire.ConversationResume{ConversationID: c.ConversationID})
		}
	}
	if !tab.Within(Patience, over) {
		_, s := ledger.conversation("Weigh it.")
		t.Fatalf("the council is %s", s)
	}
	ledger.Check()
	c, _ := ledger.conversation("Weigh it.")
	turns := 0
	for _, line := range ledger.script(c.ConversationID) {
		if strings.Contains(line, "has seen it") && strings.HasSuffix(line, ":"+world.MessageDone) {
			want := fmt.Sprintf("assistant:%s:", []string{"ideator", "facilitator", "synthesizer"}[turns%3])
			turns++
			if !strings.HasPrefix(line, want) || !strings.Contains(line, fmt.Sprintf("turn %d of", turns)) {
				t.Errorf("turn %d: %s", turns, line)
			}
		}
	}
	if turns != 60 {
		t.Errorf("%d turns of 60", turns)
	}
	said := map[string]int{}
	for _, line := range ledger.script(chat.ConversationID) {
		if strings.HasPrefix(line, "user:") {
			said[line]++
		}
	}
	for n := range kills {
		if line := fmt.Sprintf("user::count %d:done", n); said[line] != 1 {
			t.Errorf("%q stands there %d times", line, said[line])
		}
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}

// A search finds rows by their words, also after a kill, and only in their own realm. An ended conversation can be
// opened and paged from its start. P9.19.
func TestSearchAndOpen(t *testing.T) {
	t.Parallel()
	home := talkHome(t)
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	bareRealm(tab)
	tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "my chat"})
	c, _ := tab.ledger.conversation("my chat")
	for i := range 40 {
		tab.Do(fmt.Sprint("s", i), &wire.ChatSend{ConversationID: c.ConversationID, Content: fmt.Sprintf("the wörd%d and \"more\" AND OR (", i)})
		// The next words would cut off an answer that has not ended, and one more row would say so.
		tab.Until("answered", func() bool {
			ended := 0
			for _, ev := range tab.ledger.Events() {
				if b, ok := ev.Body.(*world.ChatDone); ok && b.ConversationID == c.ConversationID {
					ended++
				}
			}
			return ended == i+1
		})
	}
	tab.Do("close", &wire.ConversationClose{ConversationID: c.ConversationID})
	l.Kill()
	l = home.Start()
	if err := tab.Connect(l); err != nil {
		t.Fatal(err)
	}
	tab.Until("live again", func() bool { return tab.Live() })
	tab.ledger.AskAgain(tab, l)
	_, w := tab.Position()
	find := func(words string) []world.SearchHit {
		var got struct{ Hits []world.SearchHit }
		if err := json.Unmarshal([]byte(get(t, "http://"+l.Addr+"/api/search?realm="+w.Realm.ID+"&q="+url.QueryEscape(words))), &got); err != nil {
			t.Fatal(err)
		}
		return got.Hits
	}
	hits := find("WORD17")
	if len(hits) != 2 || hits[0].ConversationID != c.ConversationID || hits[0].Title != "my chat" {
		t.Errorf("found %+v", hits)
	}
	for _, nonsense := range []string{"", "\"", "*", "AND OR", "NEAR(", "content:x", "'; DROP TABLE messages; --"} {
		find(nonsense) // find fails unless the status is 200
	}
	var ids []string
	before := wire.RowRef{}
	limit := 30
	for page := 0; ; page++ {
		cmd := tab.Do(fmt.Sprint("open", page), &wire.ConversationOpen{ConversationID: c.ConversationID, Before: before, Limit: &limit})
		var s wire.Snapshot
		if err := json.Unmarshal(cmd.Answer, &s); err != nil || s.Status != world.ConversationCompleted {
			t.Fatalf("page %d: %v %s", page, err, s.Status)
		}
		var part []string
		for _, m := range s.Messages {
			part = append(part, m.MessageID)
		}
		ids = append(part, ids...)
		if !s.HasMore {
			break
		}
		before = wire.RowRef{Seq: s.Messages[0].Seq}
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != 80 {
		t.Errorf("%d rows of 80", n)
	}
	// The operator's list is the same through the server and from the stopped folder. It has the words of conversations
	// only if the operator asks for them (S1-25).
	lists := func() (out [3]string) {
		for i, args := range [][]string{{}, {"-content"}, {"-content", "-json"}} {
			code, stdout, stderr := home.Run(append([]string{"conversations", "-worlds", home.Worlds}, args...)...)
			if code != 0 {
				t.Fatalf("conversations %v: %d %s", args, code, stderr)
			}
			out[i] = stdout
		}
		return out
	}
	served := lists()
	if !strings.Contains(served[0], "my chat") || !strings.Contains(served[0], "completed") || strings.Contains(served[0], "wörd17") {
		t.Errorf("without content:\n%s", served[0])
	}
	if strings.Count(served[1], "the wörd17 and") != 2 || strings.Index(served[1], "wörd17") > strings.Index(served[1], "wörd18") {
		t.Errorf("with content:\n%.2000s", served[1])
	}
	var all struct {
		Conversations []struct {
			ConversationID string
			Rows           []world.Message
		}
	}
	if err := json.Unmarshal([]byte(served[2]), &all); err != nil {
		t.Fatal(err)
	}
	for _, got := range all.Conversations {
		if got.ConversationID == c.ConversationID && len(got.Rows) != 80 {
			t.Errorf("%d rows of 80 as JSON", len(got.Rows))
		}
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	if stopped := lists(); stopped[1] == "" || stopped[2] != served[2] {
		t.Errorf("the stopped folder lists something else:\n%.1500s\n%.1500s", stopped[2], served[2])
	}
}
