package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// streaming is a script whose agents learn something, and then speak without an end.
const streaming = `{"version":1,"turns":[{"steps":[{"insight":{"area":"stop","text":"learned before the stop"}},
 {"say":"word ","repeat":100000,"chunkMs":5,"chunkWords":1},{"stall":true}]}]}`

// state is the content of state.json.
type state struct {
	Schema   int         `json:"schema"`
	Epoch    string      `json:"epoch"`
	Seq      int64       `json:"seq"`
	Checksum string      `json:"checksum"`
	World    world.World `json:"world"`
}

func load(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The server gets SIGTERM during an answer: clients get 1001, the exit code is 0, state and vaults are written, the
// cast stays, and so does the last active realm (S3-11, S3-05, S3-14, S3-16, B3, B23). The next start continues
// (S3-12): the tab comes back by replay, with the words that had streamed (P9.4), and no member has left.
func TestStopSavesEverything(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		script := file(t, filepath.Join(t.TempDir(), "s.json"), streaming)
		home := NewHome(t, server, "-script", script)
		ledger := NewLedger(t)
		tab, other := NewTab(t, ledger, "Ada"), NewTab(t, ledger, "")
		l := home.Start()
		tab.Join(l)
		tab.Do("start", &wire.StartProcess{Problem: "what a stop keeps", Path: repository(t)})
		other.Join(l)
		tab.Until("a stream", func() bool { return tab.Streams > 20 })
		var cast []world.Agent
		tab.Look(func() { cast = append(cast, tab.World.Agents...) })
		if len(cast) == 0 {
			t.Fatal("nobody is on the map")
		}
		l.Signal(sig)
		if code := l.End(); code != 0 {
			t.Errorf("%s: exit code %d\n%s", sig, code, l.Log())
		}
		streamed := ""
		for _, c := range []*Tab{tab, other} {
			c.Until("the end", func() bool { return c.Closed != 0 })
			c.Look(func() {
				if c.Closed != int(wire.CloseGoingAway) {
					t.Errorf("%s: %q was closed with %d", sig, c.Name, c.Closed)
				}
				for _, s := range c.segments {
					streamed = string(s.text)
				}
			})
		}

		dir := filepath.Join(home.Worlds, tab.RealmID)
		var saved state
		load(t, filepath.Join(dir, "state.json"), &saved)
		if saved.Epoch != tab.Epoch || saved.Seq < tab.Seq || saved.World.Tick != saved.Seq || len(saved.World.Agents) != len(cast) {
			t.Errorf("%s: state.json is at %s/%d with %d agents, the tab at %s/%d with %d", sig, saved.Epoch, saved.Seq, len(saved.World.Agents), tab.Epoch, tab.Seq, len(cast))
		}
		var registry struct {
			LastActiveRealmID string `json:"lastActiveRealmId"`
		}
		load(t, filepath.Join(home.Worlds, "realms.json"), &registry)
		if registry.LastActiveRealmID != tab.RealmID {
			t.Errorf("%s: B3: lastActiveRealmId is %q", sig, registry.LastActiveRealmID)
		}
		var vault world.Vault
		load(t, filepath.Join(dir, "knowledge", cast[0].ID+".json"), &vault)
		if len(vault.Insights) == 0 || vault.Insights[0].Text != "learned before the stop" {
			t.Errorf("%s: S3-14: the vault holds %+v", sig, vault)
		}

		l = home.Start()
		tab.MustReplay, other.MustReplay = true, true
		tab.Join(l)
		other.Join(l)
		tab.Until("another stream", func() bool { return len(tab.segments) > 0 })
		tab.Look(func() {
			if tab.Info.GamePhase != wire.PhasePlaying || fmt.Sprint(ids(tab.World.Agents)) != fmt.Sprint(ids(cast)) {
				t.Errorf("%s: S3-12: %s with %v, were %v", sig, tab.Info.GamePhase, ids(tab.World.Agents), ids(cast))
			}
		})
		kept := false
		var restored *world.RealmRestored
		for _, ev := range ledger.Events() {
			switch b := ev.Body.(type) {
			case *world.AgentLeft:
				if b.AgentID != "oracle" {
					t.Errorf("%s: seq %d: %s left (%s)", sig, ev.Seq, b.AgentID, b.Reason)
				}
			case *world.SegmentClosed:
				if b.Message.Status != world.MessageInterrupted || !strings.HasPrefix(b.Message.Content, streamed) {
					t.Errorf("%s: %d bytes had streamed, the row keeps %d as %s", sig, len(streamed), len(b.Message.Content), b.Message.Status)
				}
				kept = true
			case *world.RealmRestored:
				restored = b
			}
		}
		if !kept || restored == nil || restored.InterruptedRuns != 1 || restored.Source != world.RestoredFromCheckpoint {
			t.Errorf("%s: row kept: %v; %+v", sig, kept, restored)
		}
		ledger.Check()
		l.Kill()
	}
}

func ids(agents []world.Agent) (out []string) {
	for _, a := range agents {
		out = append(out, a.ID)
	}
	return out
}

// A stop waits for sockets that do not answer. A second signal ends the server at once, with exit code 1, and nothing
// that was shown is lost.
func TestSecondSignalExitsAtOnce(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server)
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	tab.Do("start", &wire.StartProcess{Problem: "in a hurry"})
	deaf := upgrade(t, l.Addr) // this client never answers a close frame
	deaf.hello()
	l.Signal(syscall.SIGTERM)
	l.UntilLog("stopping; a second signal exits at once")
	l.Signal(syscall.SIGTERM)
	if code := l.End(); code != 1 {
		t.Errorf("exit code %d\n%s", code, l.Log())
	}
	tab.MustReplay = true
	l = home.Start()
	tab.Join(l)
	tab.ledger.Check()
	if code := l.Stop(); code != 0 {
		t.Errorf("then exit code %d\n%s", code, l.Log())
	}
}

// Wrong usage is named and exits with 2, before any file is touched.
func TestWrongUsageExitsWith2(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-addr", "nonsense"}, "-addr"},
		{[]string{"--addr=nonsense"}, "-addr"},
		{[]string{"serve", "-addr", "127.0.0.1:0", "-pace", "fast"}, "-pace"},
		{[]string{"-log-format", "xml"}, "-log-format"},
		{[]string{"-log-level", "loud"}, "-log-level"},
		{[]string{"-no-such-flag"}, "no-such-flag"},
		{[]string{"serve", "something"}, "something"},
		{[]string{"dig"}, "dig"},
		{[]string{"realms", "-addr", "127.0.0.1:0"}, "addr"},
	} {
		args := c.args
		if args[0] != "dig" {
			args = append(append([]string{}, args...), "-worlds", home.Worlds)
			if c.says == "something" {
				args = []string{"serve", "-worlds", home.Worlds, "something"}
			}
		}
		code, _, stderr := home.Run(args...)
		if code != 2 || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: exit code %d, says %s", args, code, stderr)
		}
	}
	if _, err := os.Stat(home.Worlds); err == nil {
		t.Error("wrong usage made a worlds folder")
	}
	for _, args := range [][]string{{"-help"}, {"serve", "--help"}, {"version"}, {"help"}} {
		if code, _, stderr := home.Run(args...); code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	_, list, _ := home.Run("help")
	for _, command := range []string{"serve", "realms", "export", "conversations", "erase", "audit", "retention", "version"} {
		if !strings.Contains(list, "\n  "+command+" ") {
			t.Errorf("help does not name %s:\n%s", command, list)
		}
	}
}

// A server that cannot serve exits with 1 and names the cause.
func TestWhatCannotServeExitsWith1(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-script", filepath.Join(home.Dir, "no-such-script.json")}, "no-such-script.json"},
		{[]string{"-script", file(t, filepath.Join(home.Dir, "bad.json"), `{"version":1,"turns":[{"steps":[{"sing":"la"}]}]}`)}, "bad.json: turns[0].steps[0]"},
		{[]string{"-repo", filepath.Join(home.Dir, "no-such-folder")}, "no-such-folder"},
		{[]string{"-worlds", file(t, filepath.Join(home.Dir, "a-file"), "x")}, "a-file"},
	} {
		args := append([]string{"-worlds", home.Worlds, "-addr", "127.0.0.1:0"}, c.args...)
		code, _, stderr := home.Run(args...)
		if code != 1 || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: exit code %d, says %s", c.args, code, stderr)
		}
	}
}

// A second server on the same folder exits with 1 and names the process that holds the folder; the first server is not
// disturbed. After a kill the folder is free.
func TestSecondServerOnOneFolder(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server)
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	tab.Do("start", &wire.StartProcess{Problem: "one folder, one server"})
	code, _, stderr := home.Run("-worlds", home.Worlds, "-addr", "127.0.0.1:0")
	if code != 1 || !strings.Contains(stderr, fmt.Sprint(l.PID)) || !strings.Contains(stderr, l.Addr) {
		t.Errorf("exit code %d: %s\nwant pid %d and %s named", code, stderr, l.PID, l.Addr)
	}
	code, stdout, stderr := home.Run("realms", "-worlds", home.Worlds)
	if code != 0 || !strings.Contains(stdout, tab.RealmID) || !strings.Contains(stdout, fmt.Sprint(l.PID)) {
		t.Errorf("realms: exit code %d: %s%s", code, stdout, stderr)
	}
	if c := tab.Do("say", &wire.SpectatorSay{Text: "still here"}); c.Code != "" {
		t.Errorf("the first server: %s", c.Answer)
	}
	l.Kill()
	tab.MustReplay = true
	tab.Join(home.Start())
	tab.ledger.Check()
}

// S3-13: a server with a new worlds folder is in the phase onboarding and says that there is no realm.
func TestFreshHomeIsOnboarding(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server)
	l := home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	tab.Join(l)
	tab.Look(func() {
		if tab.Info.GamePhase != wire.PhaseOnboarding || tab.Info.RealmID != nil || tab.Welcome.Continuity != wire.ContinuityNone ||
			tab.Info.Offer == "" || tab.Info.Driver != wire.DriverScout || len(tab.Info.Templates) < 3 {
			t.Errorf("info %+v, welcome %+v", tab.Info, tab.Welcome)
		}
	})
	if c := tab.Do("list", &wire.ListRealms{}); len(realmList(t, c).Realms) != 0 {
		t.Errorf("%s", c.Answer)
	}
	eventually(t, "/readyz", func() bool {
		res, err := http.Get("http://" + l.Addr + "/readyz")
		if err != nil {
			return false
		}
		must(t, res.Body.Close())
		return res.StatusCode == http.StatusOK
	})
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
