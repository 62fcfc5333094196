package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S2-B3, S2-10: the real binary exports a session of a party as a file, from a running server and from a stopped
// folder. Another realm imports the file, whether it has the team or not, and exports the same file again. P14.17.
func TestASessionGoesOutAndIn(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "party.json")
	file(t, script, strings.Replace(partyTalk, `{"say": "word ", "repeat": 5000, "chunkMs": 2}`, `{"say": "One moment."}, {"stall": true}`, 1))
	home := NewHome(t, server, "-pace", "instant", "-script", script)
	file(t, filepath.Join(home.Worlds, "teams", "crew.json"), crew(t, "sentinel", "architect"))
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	bareRealm(tab)
	tab.Do("set", &wire.TeamSet{TeamID: "crew"})
	id := partyOf(tab).ConversationID
	tab.Do("w1", &wire.ChatSend{ConversationID: id, Content: "Who is <there>?\n[TEAM_TASK: hold the gate] [NEXT: sentinel]"})
	waits := func() bool { return tab.World.Party.Status == world.PartyPaused && tab.World.Party.Executing == nil }
	tab.Until("both have spoken", func() bool { return waits() && len(tab.ledger.script(id)) == 3 })
	tab.Do("w2", &wire.ChatSend{ConversationID: id, Content: "Take your time, slowly.\n[NEXT: architect]"})
	tab.Until("a turn is under way", func() bool { return tab.World.Party.Executing != nil })
	tab.Until("words stream", func() bool { return len(tab.ledger.script(id)) == 5 })
	l.Kill() // the turn is cut off
	l = home.Start()
	tab.Join(l)
	tab.ledger.AskAgain(tab, l)
	tab.Until("it waits again", waits)

	export := func(h *Home, args ...string) (string, string) {
		t.Helper()
		code, stdout, stderr := h.Run(append([]string{"export", "-worlds", h.Worlds}, args...)...)
		if code != 0 {
			t.Fatalf("export %v: exit code %d, %s", args, code, stderr)
		}
		return stdout, stderr
	}
	refuses := func(want int, text string, args ...string) {
		t.Helper()
		code, stdout, stderr := home.Run(append([]string{"export", "-worlds", home.Worlds}, args...)...)
		if code != want || !strings.Contains(stderr, text) || stdout != "" {
			t.Errorf("export %v: exit code %d, %q, %q; want %d and %q", args, code, stdout, stderr, want, text)
		}
	}
	talk := tab.World.ProcessState.ConversationID
	out, _ := export(home, "-session", id)
	for _, part := range []string{`"sessionId": "` + id + `"`, `"teamTask": "hold the gate"`, `"displayName": "The sentinel"`, `"status": "interrupted"`, `"schemaVersion": "1.0"`} {
		if !strings.Contains(out, part) {
			t.Errorf("the file has no %s:\n%s", part, out)
		}
	}
	for _, where := range []string{"beside a server", "on a stopped folder"} {
		refuses(1, "there is no session", "-session", "nowhere")
		refuses(1, "export -conversation "+talk+" writes its report", "-session", talk)
		refuses(1, "that makes a report", "-conversation", id)
		if report, _ := export(home, "-conversation", talk); !strings.HasPrefix(report, "# ") {
			t.Errorf("%s: the report of the process is\n%s", where, report)
		}
		refuses(2, "exclude each other", "-session", id, "-format", "json")
		if again, _ := export(home, "-session", id); again != out {
			t.Errorf("%s:\n%s\nwant\n%s", where, again, out)
		}
		if where == "beside a server" {
			tab.Close()
			if code := l.Stop(); code != 0 {
				t.Fatal(code)
			}
		}
	}

	for _, knows := range []bool{false, true} {
		other := NewHome(t, server, "-pace", "instant", "-script", script)
		if knows {
			file(t, filepath.Join(other.Worlds, "teams", "crew.json"), crew(t, "sentinel", "architect"))
		}
		l := other.Start()
		eve := NewTab(t, NewLedger(t), "Eve")
		eve.Join(l)
		bareRealm(eve)
		realm := eve.World.Realm.ID
		if code := l.Stop(); code != 0 {
			t.Fatal(code)
		}
		path := filepath.Join(other.Worlds, realm, "sessions", "taken.json")
		file(t, path, out)
		if code, _, stderr := other.Run("export", "-worlds", other.Worlds, "-session", id); code != 1 || !strings.Contains(stderr, "sessions/taken.json") {
			t.Errorf("before it is taken in: exit code %d, %s", code, stderr)
		}
		l = other.Start()
		if again, _ := export(other, "-session", id); again != out { // the export waits until the file is imported
			t.Errorf("team known %v: it comes out as\n%s\nwent in as\n%s", knows, again, out)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("its file stays: %v", err)
		}
		eve.Close()
		if code := l.Stop(); code != 0 {
			t.Fatal(code)
		}
		if again, _ := export(other, "-session", id); again != out {
			t.Errorf("team known %v, on a stopped folder it comes out as\n%s\nwent in as\n%s", knows, again, out)
		}
	}
}
