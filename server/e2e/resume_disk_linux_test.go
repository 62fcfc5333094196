package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
)

// leave leaves so many pages of 4 KiB free, and no byte more.
func (d *disk) leave(pages int64) {
	d.t.Helper()
	d.fill()
	path := filepath.Join(d.dir, "ballast")
	info, err := os.Stat(path)
	must(d.t, err)
	must(d.t, os.Truncate(path, (info.Size()>>12-pages)<<12))
}

// S2-B7: -resume on a disk that takes nothing. Where the realm cannot even be opened the
// start ends, and says that rather than that there is no session. Where it can, the start
// waits for the disk, says so, and ends by one signal; then nothing is missing.
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
		want := fmt.Sprintf("-resume: the last active realm, %s, could not be opened", tab.RealmID)
		if code := l.End(); code != 1 || !strings.Contains(l.Log(), want) {
			t.Errorf("%q on a full disk: exit code %d, want %q in\n%s", args, code, want, l.Log())
		}
	}
	d.free()

	// How much an opening needs is not known here, only that there is more to write
	// after it: where the one fits, sooner or later the other does not.
	waits := false
	for pages := int64(4); !waits; pages += 2 {
		d.leave(pages)
		l = home.Spawn("-resume")
		for over := false; !over && !waits; {
			select {
			case <-l.done:
				over = true
			case <-l.served:
				t.Fatalf("with %d pages everything fits", pages)
			case <-time.After(Beat):
				waits = strings.Contains(l.Log(), "the journal cannot be written")
			}
		}
		if !waits {
			d.free()
		}
	}
	l.UntilLog("the start waits for -resume")
	code := l.Stop()
	if log := l.Log(); code != 1 || !strings.Contains(log, "events were never shown") || !strings.Contains(log, "signal=terminated") {
		t.Errorf("exit code %d:\n%s", code, log)
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
