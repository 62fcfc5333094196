package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// crew returns a team of one person and the named agents.
func crew(t *testing.T, agents ...string) string {
	t.Helper()
	team := world.Team{ID: "crew", Name: "The Crew", Members: []world.Member{
		{ID: "captain", Name: "Captain", DisplayName: "The Captain", Type: world.KindHuman, Role: "person", Color: "#112233"},
	}}
	for i, id := range agents {
		team.Members = append(team.Members, world.Member{
			ID: id, Name: strings.ToUpper(id[:1]) + id[1:], DisplayName: "The " + id, Type: world.KindAgent, Role: id, Color: "#445566", Order: i + 1,
		})
	}
	text, err := json.Marshal(team)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const partyTalk = `{"version": 1, "defaults": {"chunkMs": 2, "chunkWords": 1}, "turns": [
 {"match": {"kind": "party", "role": "sentinel"}, "steps": [{"say": "I watch, and then I ask.\n[NEXT: architect]"}]},
 {"match": {"kind": "party", "words": "slowly"}, "steps": [{"say": "word ", "repeat": 5000, "chunkMs": 2}]},
 {"match": {"kind": "party"}, "steps": [{"say": "{{role}} answers: {{words}}"}]}
 ], "otherwise": [{"say": "Well."}, {"seal": "done"}]}`

// S2-08, S2-09, S2-B7: a party of the real binary is killed during a turn, loses a member meanwhile, comes back
// Ready-Idle with the warning, and continues. Then it is resumed by the flag, and nothing that was shown is lost or
// doubled.
func TestPartyOutlivesKills(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "party.json")
	file(t, script, partyTalk)
	home := NewHome(t, server, "-pace", "instant", "-script", script)
	team := filepath.Join(home.Worlds, "teams", "crew.json")
	file(t, team, crew(t, "sentinel", "architect"))
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	bareRealm(tab)
	tab.Do("set", &wire.TeamSet{TeamID: "crew"})
	id := partyOf(tab).ConversationID
	tab.Do("w1", &wire.ChatSend{ConversationID: id, Content: "Who is there?\n[TEAM_TASK: hold the gate] [NEXT: sentinel]"})
	waits := func() bool { return tab.World.Party.Status == world.PartyPaused && tab.World.Party.Executing == nil }
	tab.Until("both have spoken", func() bool { return waits() && len(ledger.script(id)) == 3 })
	want := []string{
		"user:captain:Who is there?\n[TEAM_TASK: hold the gate]:done",
		"assistant:sentinel:I watch, and then I ask.:done",
		"assistant:architect:Architect answers: I watch, and then I ask.:done",
	}
	if got := ledger.script(id); !slices.Equal(got, want) {
		t.Fatalf("transcript %q", got)
	}
	tab.Do("w2", &wire.ChatSend{ConversationID: id, Content: "Take your time, slowly.\n[NEXT: architect, sentinel]"})
	tab.Until("a turn is under way", func() bool { return tab.World.Party.Executing != nil })
	until := 0
	tab.Look(func() { until = tab.Frames + 20 })
	tab.Within(5*time.Second, func() bool { return tab.Frames >= until })
	l.Kill()
	file(t, team, crew(t, "architect"))
	l = home.Start()
	if err := tab.Connect(l); err != nil {
		t.Fatal(err)
	}
	tab.Until("live again", func() bool { return tab.Live() })
	var warning *world.SessionWarning
	tab.Until("the warning", func() bool {
		for _, ev := range ledger.Events() {
			if b, ok := ev.Body.(*world.SessionWarning); ok {
				warning = b
			}
		}
		return warning != nil
	})
	if warning.Message != "⚠️  Some speakers in history are not in current team: Sentinel\n   Their messages will be displayed with original names." ||
		fmt.Sprint(warning.MissingMembers) != "[{sentinel Sentinel}]" {
		t.Errorf("S2-09: %+v", warning)
	}
	ledger.AskAgain(tab, l)
	if p := partyOf(tab); p.Status != world.PartyPaused || p.WaitingFor != "captain" || len(p.Queue) != 0 || p.Executing != nil || p.TeamTask != "hold the gate" {
		t.Errorf("S2-08: %+v", p)
	}
	tab.Do("w3", &wire.ChatSend{ConversationID: id, Content: "Go on.\n[NEXT: architect]"})
	tab.Until("an answer", func() bool {
		got := ledger.script(id)
		return waits() && got[len(got)-1] == "assistant:architect:Architect answers: Go on.:done"
	})
	tab.Do("other", &wire.TeamSet{TeamID: "crew"})
	if partyOf(tab).ConversationID == id {
		t.Fatal("no other session begins")
	}
	if code := l.Stop(); code != 0 {
		t.Fatalf("stopped with %d", code)
	}

	if code, _, stderr := home.Run("-worlds", home.Worlds, "-addr", "127.0.0.1:0", "--resume", "nowhere"); code != 1 ||
		!strings.HasSuffix(stderr, "Session 'nowhere' not found for team 'crew'.\nUse --resume without ID to restore the latest session, or start a new session.\n") {
		t.Errorf("S2-B7: exit code %d, %q", code, stderr)
	}
	l = home.Start("--resume", id)
	if err := tab.Connect(l); err != nil {
		t.Fatal(err)
	}
	tab.Until("resumed", func() bool { return tab.Live() && tab.World.Party.ConversationID == id })
	if p := partyOf(tab); p.Status != world.PartyPaused || p.WaitingFor != "captain" {
		t.Errorf("S2-B7: %+v", p)
	}
	if code := l.Stop(); code != 0 {
		t.Fatalf("stopped with %d", code)
	}
	if code, _, stderr := home.Run("-worlds", home.Worlds, "-addr", "127.0.0.1:0", "-resume", "-no-resume"); code != 1 ||
		stderr != "Error: --resume and --no-resume exclude each other\n" {
		t.Errorf("S2-B7: exit code %d, %q", code, stderr)
	}
	l = home.Start("-no-resume")
	other := NewTab(t, NewLedger(t), "Ben")
	if err := other.Connect(l); err != nil {
		t.Fatal(err)
	}
	other.Until("told that no realm is open", func() bool { return other.Live() })
	if _, w := other.Position(); w != nil {
		t.Error("S2-B7: -no-resume opens a realm")
	}
	if code := l.Stop(); code != 0 {
		t.Fatalf("stopped with %d", code)
	}
	l = home.Start("-resume") // the latest session is the only one
	if err := tab.Connect(l); err != nil {
		t.Fatal(err)
	}
	tab.Until("back", func() bool { return tab.Live() })
	if p := partyOf(tab); p.ConversationID != id || p.Status != world.PartyPaused {
		t.Errorf("S2-B7: %+v", p)
	}
	ledger.Check()
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}

func partyOf(tab *Tab) world.Party {
	_, w := tab.Position()
	return w.Party
}
