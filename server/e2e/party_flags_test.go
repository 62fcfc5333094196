package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S2-B7, S2-05, S2-06: the flags and the variables of a unit file that resume an earlier session, with and without
// such a session. In each case the real binary writes its exact text to the right stream and has the right exit code.
func TestResumeByFlagsAndVariables(t *testing.T) {
	t.Parallel()
	const (
		note     = "Note: Previous session exists. Use --resume to restore, or --no-resume to suppress this message."
		required = "Error: --team is required\n"
		both     = "Error: --resume and --no-resume exclude each other\n"
		none     = "No previous session to resume for team 'crew'. Start a new session.\n"
	)
	script := filepath.Join(t.TempDir(), "party.json")
	file(t, script, partyTalk)
	home := NewHome(t, server, "-pace", "instant", "-script", script)
	file(t, filepath.Join(home.Worlds, "teams", "crew.json"), crew(t, "sentinel", "architect"))
	file(t, filepath.Join(home.Worlds, "teams", "other.json"), strings.Replace(crew(t, "architect"), `"id":"crew"`, `"id":"other"`, 1))
	unknown := "Session 'nowhere' not found for team 'crew'.\nUse --resume without ID to restore the latest session, or start a new session.\n"

	fails := func(want, args, env string) {
		t.Helper()
		home.Env = strings.Fields(env)
		code, stdout, stderr := home.Run(append([]string{"-worlds", home.Worlds, "-addr", "127.0.0.1:0", "-log-level", "error"}, strings.Fields(args)...)...)
		if code != 1 || stderr != want || strings.Contains(stdout, "Note") {
			t.Errorf("%s %s: exit code %d, %q, want %q\n%s", env, args, code, stderr, want, stdout)
		}
		home.Env = nil
	}
	// There was no session before.
	fails(required, "--resume", "")
	fails(required, "--resume nowhere", "")
	fails(required, "", "AGENTDUNGEON_RESUME=1")
	fails(both, "-resume -no-resume", "")
	fails(both, "", "AGENTDUNGEON_RESUME=1 AGENTDUNGEON_NO_RESUME=1")
	fails(none, "--resume --team crew", "")
	fails(none, "", "AGENTDUNGEON_RESUME=true AGENTDUNGEON_TEAM=crew")
	fails(unknown, "--team crew --resume nowhere", "")

	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	bareRealm(tab)
	session := func(id, words string) string {
		t.Helper()
		tab.Do("set-"+id, &wire.TeamSet{TeamID: "crew"})
		at := tab.World.Party.ConversationID
		if words != "" {
			tab.Do("say-"+id, &wire.ChatSend{ConversationID: at, Content: words})
		}
		return at
	}
	first, second, empty := session("a", "First words."), session("b", "Second words."), session("c", "")
	stop := func(l *Life, want ...string) {
		t.Helper()
		if code := l.Stop(); code != 0 || !slices.Equal(l.Printed(), want) {
			t.Errorf("exit code %d, printed %q, want %q", code, l.Printed(), want)
		}
	}
	stop(l)

	starts := func(want, args, env string, printed ...string) {
		t.Helper()
		home.Env = strings.Fields(env)
		l := home.Start(strings.Fields(args)...)
		home.Env = nil
		tab := NewTab(t, NewLedger(t), "Eve")
		tab.Join(l)
		switch {
		case want == "" && tab.World != nil:
			t.Errorf("%s %s opens a realm", env, args)
		case want != "":
			// Wait: the port is open before the session is restored.
			tab.Until(env+" "+args+" is there", func() bool { return tab.World != nil && tab.World.Party.ConversationID == want })
			if p := tab.World.Party; p.Status != world.PartyPaused || p.WaitingFor != "captain" {
				t.Errorf("%s %s: %+v", env, args, p)
			}
		}
		tab.Close()
		stop(l, printed...)
	}
	starts(empty, "", "", note)
	fails(unknown, "--resume=nowhere", "")
	fails(unknown, "", "AGENTDUNGEON_RESUME=nowhere")
	fails("No previous session to resume for team 'other'. Start a new session.\n", "-resume -team other", "")
	starts(empty, "", "AGENTDUNGEON_RESUME=0", note) // the failed starts have not changed the current session
	starts("", "-no-resume", "")
	starts("", "", "AGENTDUNGEON_NO_RESUME=true")
	starts("", "--no-resume", "AGENTDUNGEON_RESUME="+first)
	starts(second, "-resume", "AGENTDUNGEON_NO_RESUME=1")
	starts(second, "", "")
	starts(first, "", "AGENTDUNGEON_RESUME="+first)
	starts(second, "--resume "+second, "AGENTDUNGEON_RESUME="+first)
	starts(first, "", "AGENTDUNGEON_TEAM=crew AGENTDUNGEON_RESUME="+first)
	starts(second, "--resume="+second+" --team crew", "")
	fails("Session teamId mismatch: snapshot is for team 'crew', but current team is 'other'.\nPlease use the correct team configuration.\n", "--team other --resume "+first, "")
	l = home.Start() // the team is set, and there is no session
	idle := NewTab(t, NewLedger(t), "Ida")
	idle.Join(l)
	if p := idle.World.Party; p.TeamID != "other" || p.Status != world.PartyIdle || p.ConversationID != "" {
		t.Errorf("after a mismatch: %+v", p)
	}
	idle.Close()
	stop(l)
	starts(first, "--team crew --resume "+first, "")
}
