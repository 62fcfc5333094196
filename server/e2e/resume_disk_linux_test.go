package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
)

// S2-B7: a server with -resume starts on a disk that cannot be written. The start waits for the disk and says so, and
// one signal ends it with nothing lost; after the next start nothing is missing.
func TestResumeOnAFullDisk(t *testing.T) {
	t.Parallel()
	d := newDisk(t, 24)
	script := filepath.Join(t.TempDir(), "party.json")
	file(t, script, partyTalk)
	home := NewHome(t, server, "-script", script)
	home.Worlds = filepath.Join(d.dir, "worlds")
	file(t, filepath.Join(home.Worlds, "teams", "crew.json"), crew(t, "sentinel", "architect"))
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	bareRealm(tab)
	tab.Do("set", &wire.TeamSet{TeamID: "crew"})
	id := tab.World.Party.ConversationID
	tab.Do("say", &wire.ChatSend{ConversationID: id, Content: "Words of before."})
	if code := l.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}

	d.fill()
	for _, args := range [][]string{{"-resume"}, {"-resume", id}, {"-resume", "-team", "crew"}} {
		l = home.Spawn(args...)
		l.UntilLog("the start waits for -resume")
		code := l.Stop()
		if log := l.Log(); code != 0 || !strings.Contains(log, "signal=terminated") {
			t.Errorf("%q on a full disk: exit code %d:\n%s", args, code, log)
		}
	}
	d.free()

	l = home.Start("-resume")
	tab.MustReplay = true
	tab.Join(l)
	tab.Until("the session", func() bool { return tab.World.Party.ConversationID == id })
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
