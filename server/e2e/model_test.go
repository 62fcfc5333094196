package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const secret = "sk-e2e-0123456789abcdefghij"

// modelHome returns a home whose servers have agents that s plays.
func modelHome(t *testing.T, s *modeltest.Server) *Home {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return NewHome(t, server, "-pace", "instant", "-model-url", s.Serve(t), "-model", "m-1", "-model-key-file", key)
}

// finishes gives the signal of an explicit_signal stage if the turn offers it, and speaks in any case.
func finishes(r *modeltest.Reply) {
	r.Say("I have thought about it: ")
	r.Say("we begin with the smallest thing that helps.")
	if strings.Contains(r.Request.Body, "complete_stage") && !strings.Contains(r.Request.Body, `"role":"tool"`) {
		r.Call(0, "call_1", "complete_stage", `{"summary":"done"}`)
		r.End("tool_calls")
		return
	}
	r.End("stop")
}

// A model plays a brainstorm with all the faults of real model servers: refusals with Retry-After, status 500, a stream
// that is cut within a chunk, garbage. The server is killed during an answer. The process reaches its end, and no file
// or log has the key.
func TestModelPlaysABrainstorm(t *testing.T) {
	t.Parallel()
	s := modeltest.New(
		modeltest.Refuses(429, "slow down, "+secret, "Retry-After", "0"),
		modeltest.Refuses(500, "the key was "+secret),
		finishes,
		modeltest.Streams(func(r *modeltest.Reply) { r.Say("half a sent"); r.Raw("data: {\"choices\":[{\"del"); r.Cut() }),
		modeltest.Streams(func(r *modeltest.Reply) { r.Raw("<html>busy</html>\n\n") }),
		finishes,
		modeltest.Streams(func(r *modeltest.Reply) { r.Say("I am thinking about "); r.Stall() }), // until the kill
		finishes,
	)
	home := modelHome(t, s)
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	tab.Do("start", &wire.StartProcess{Problem: "What do we build next?", TemplateID: "standard_brainstorm", Bare: true})
	tab.Until("a word of the answer that never ends", func() bool {
		for _, st := range tab.segments {
			if strings.HasPrefix(string(st.text), "I am thinking") {
				return true
			}
		}
		return false
	})
	l.Kill()
	log := l.Log()
	l = home.Start()
	if err := tab.Connect(l); err != nil {
		t.Fatal(err)
	}
	tab.Until("live again", func() bool { return tab.Live() })
	for n := 0; ; n++ {
		tab.Within(Patience, func() bool {
			return tab.World.ProcessState.Status != world.StatusRunning || tab.World.ProcessState.Waiting != nil
		})
		_, w := tab.Position()
		if w.ProcessState.Status == world.StatusCompleted {
			break
		}
		if n == 5 {
			t.Fatalf("the process does not end: %+v", w.ProcessState)
		}
		tab.Do(fmt.Sprint("resume", n), &wire.PlayerCommand{Text: "/resume"})
	}
	ledger.Check()
	models := 0
	for _, ev := range ledger.Events() {
		if b, ok := ev.Body.(*world.ChatStarted); ok && b.Model == "m-1" {
			models++
		}
	}
	if models == 0 {
		t.Error("no run names its model")
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	log += l.Log()
	if strings.Contains(log, secret) {
		t.Errorf("the key stands in the log")
	}
	for _, ev := range ledger.frames {
		if bytes.Contains(ev, []byte(secret)) {
			t.Errorf("the key stands in a frame: %s", ev)
		}
	}
	if err := filepath.WalkDir(home.Worlds, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// A council and a chat with a model: the second speaker's prompt has the words of the first one, and the second
// question of the chat comes with the first. If a model calls tools without end, or says nothing, its run ends with
// an error in the transcript.
func TestModelTalks(t *testing.T) {
	t.Parallel()
	s := modeltest.New(modeltest.Says("Start ", "small."), modeltest.Says("I agree."))
	l := modelHome(t, s).Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	bareRealm(tab)
	tab.Do("pause", &wire.PlayerCommand{Text: "/pause"})
	tab.Until("paused", func() bool { return tab.World.ProcessState.Status == world.StatusPaused })
	s.Then(modeltest.Says("Start ", "small."), modeltest.Says("I agree."))
	before := s.Asked()
	tab.Do("council", &wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: []string{"ideator", "facilitator"}, TaskPrompt: "Where do we begin?", MaxTurns: 2})
	over := func(title, want string) func() bool {
		return func() bool { _, got := tab.ledger.conversation(title); return got == want }
	}
	tab.Until("the council's end", over("Where do we begin?", world.ConversationCompleted))
	requests := s.Requests()
	if len(requests) != before+2 || !strings.Contains(requests[before+1].Body, "Start small.") || !strings.Contains(requests[before+1].Body, "Where do we begin?") {
		t.Errorf("the second speaker is told: %.3000s", requests[len(requests)-1].Body)
	}
	tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "with the model"})
	c, _ := tab.ledger.conversation("with the model")
	ask := func(id, words string) []string {
		t.Helper()
		tab.Do(id, &wire.ChatSend{ConversationID: c.ConversationID, Content: words})
		ended := false
		tab.Until("the answer to "+id, func() bool {
			for _, ev := range tab.ledger.Events() {
				switch b := ev.Body.(type) {
				case *world.ChatDone:
					ended = ended || b.RequestID == id
				case *world.ChatError:
					ended = ended || b.RequestID == id
				}
			}
			return ended
		})
		return tab.ledger.script(c.ConversationID)
	}
	s.Then(modeltest.Says("Blue."))
	ask("q1", "Which colour?")
	s.Then(modeltest.Says("Because."))
	ask("q2", "And why?")
	last := s.Requests()[len(s.Requests())-1].Body
	if !strings.Contains(last, "Which colour?") || !strings.Contains(last, "Blue.") || strings.Contains(last, "Start small.") {
		t.Errorf("the second question comes with %.3000s", last)
	}
	s.Then(modeltest.Calls("", "call_1", "remember", `{"area":"x","insight":"y"}`))
	if rows := ask("q3", "Again and again?"); !strings.Contains(rows[len(rows)-1], "system::Chat error:") {
		t.Errorf("a model that loops on tools: %q", rows[len(rows)-1])
	}
	s.Then(modeltest.Says())
	if rows := ask("q4", "Nothing?"); !strings.Contains(rows[len(rows)-1], "system::Chat error:") {
		t.Errorf("a model that says nothing: %q", rows[len(rows)-1])
	}
	s.Then(modeltest.Says("[NEXT: facilitator] ", "[FROM: Ada] and so on. ", "[NEXT: me]"))
	if rows := ask("q5", "Markers?"); !strings.Contains(rows[len(rows)-1], "[NEXT: facilitator] [FROM: Ada] and so on. [NEXT: me]:done") {
		t.Errorf("a model that speaks in markers: %q", rows[len(rows)-1])
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}
