package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// watch returns a watcher for changes of the entries of folders. It ends with the test.
func watch(t *testing.T, dirs ...string) *fsnotify.Watcher {
	t.Helper()
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// until waits for an event for which is returns true, but not longer than the process lives.
func until(t *testing.T, w *fsnotify.Watcher, l *Life, is func(fsnotify.Event) bool) bool {
	t.Helper()
	for {
		select {
		case ev := <-w.Events:
			if is(ev) {
				return true
			}
		case err := <-w.Errors:
			t.Fatal(err)
		case <-l.Done():
			return false
		}
	}
}

// steps has the steps of a checkpoint in the form of file system events.
var steps = []struct {
	name string
	is   func(fsnotify.Event) bool
}{
	{"the temporary file is there", func(ev fsnotify.Event) bool { return ev.Has(fsnotify.Create) && isTemp(ev.Name) }},
	{"the temporary file has something in it", func(ev fsnotify.Event) bool { return ev.Has(fsnotify.Write) && isTemp(ev.Name) }},
	{"state.json is the previous one", func(ev fsnotify.Event) bool {
		return ev.Has(fsnotify.Create) && filepath.Base(ev.Name) == "state.prev.json"
	}},
	{"the new one is state.json", func(ev fsnotify.Event) bool {
		return ev.Has(fsnotify.Create) && filepath.Base(ev.Name) == "state.json"
	}},
}

func isTemp(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".state.json.") && strings.HasSuffix(name, ".tmp")
}

// The server is killed at the write and the renames of the checkpoint. Whichever of the two checkpoint files is left,
// the journal has the rest (B10, S3-17). A stop writes a checkpoint at once, so most kills happen during a stop. The
// other kills wait for the delay of a checkpoint.
func TestKillAtTheCheckpoint(t *testing.T) {
	t.Parallel()
	s, l := newSiege(t, seeded(t)(10))
	dir := filepath.Join(s.home.Worlds, s.tabs[0].RealmID)
	w := watch(t, dir)
	fat := strings.Repeat("a world that takes a while to be written ", 700)
	inWrite, between := 0, 0
	kills := watched(24, 12)
	for n := range kills {
		step := steps[n%len(steps)]
		// A longer problem makes the world larger; what spectators say would not, because it is no part of the world.
		s.live()
		if n == 3 {
			s.fatten(fat)
		}
		if n%6 < 5 {
			s.pass(time.Duration(s.rng.IntN(40)) * time.Millisecond)
			l.Signal(syscall.SIGTERM)
		} else {
			s.rest()
		}
		if !until(t, w, l, step.is) {
			t.Logf("life %d ended before: %s", s.lives, step.name) // the event came too late
		}
		l.Kill()
		temps, err := filepath.Glob(filepath.Join(dir, ".state.json.*.tmp"))
		if err != nil {
			t.Fatal(err)
		}
		inWrite += len(temps)
		if _, err := os.Stat(filepath.Join(dir, "state.json")); errors.Is(err, os.ErrNotExist) {
			between++
		}
		l = s.again()
		s.ask(l)
		for _, temp := range temps {
			if _, err := os.Stat(temp); err == nil {
				t.Errorf("%s is still there after the next start", filepath.Base(temp))
			}
		}
		s.work()
		if t.Failed() {
			t.Fatalf("life %d, %s", s.lives, step.name)
		}
	}
	t.Logf("%d kills: %d left half a file, %d left no state.json", kills, inWrite, between)
	s.settle(l)
}

// rest stops the load, so that the checkpoint's delay passes.
func (s *siege) rest() {
	for _, tab := range s.tabs {
		tab.Look(func() { tab.Act = nil })
	}
}

// fatten makes the world larger, so that writing it takes a while. It makes the problem of the process long, because a
// turn adds only a small finding to the world.
func (s *siege) fatten(text string) {
	operator := s.tabs[0]
	operator.Look(func() { operator.Act = nil })
	operator.Until("nothing to operate", func() bool { return len(operator.Pending) == 0 })
	for range 64 {
		status, seq := "", int64(0)
		operator.Look(func() { status, seq = operator.World.ProcessState.Status, operator.Seq })
		if status == world.StatusCompleted || status == world.StatusIdle {
			break
		}
		operator.Do(fmt.Sprintf("over-%d-%d", s.lives, seq), &wire.PlayerCommand{Text: "/skip"})
	}
	operator.Do(fmt.Sprintf("fat-%d", s.lives), &wire.StartProcess{Problem: text[:16<<10], TemplateID: "load"})
}

// S3-22, B12: the server is killed around the end of a stage. The process resumes in the next stage or in the old one,
// never between them: the ledger checks that no turn, artifact or stage comes twice.
func TestKillAtAStageAdvance(t *testing.T) {
	t.Parallel()
	s, l := newSiege(t, seeded(t)(11))
	kills := watched(20, 10)
	for n := range kills {
		s.live()
		if n%2 == 0 {
			s.advance()
		} else {
			s.lastTurn()
			s.pass(time.Duration(s.rng.IntN(30_000)) * time.Microsecond)
		}
		l.Kill()
		if t.Failed() {
			t.Fatalf("life %d", s.lives)
		}
		l = s.again()
		s.ask(l)
	}
	stages := 0
	for _, ev := range s.ledger.Events() {
		if _, ok := ev.Body.(*world.ProcessAdvanced); ok {
			stages++
		}
	}
	t.Logf("%d kills, %d stages ended", kills, stages)
	s.settle(l)
}

// lastTurn waits until only one turn is missing before the end of a stage.
func (s *siege) lastTurn() {
	tab := s.tabs[2]
	tab.Within(5*time.Second, func() bool {
		if tab.World == nil {
			return false
		}
		p := &tab.World.ProcessState
		st := p.Stage()
		return st != nil && p.Status == world.StatusRunning && p.StageTurnCounts[st.ID] == st.Turns*len(st.Acting())-1
	})
}

// The server is killed immediately after a reply was received. The command was carried out: the same command again gets
// the same reply, byte for byte, and has no second effect; another command with that requestId is a conflict (P6.2,
// across restarts).
func TestKillAfterAReply(t *testing.T) {
	t.Parallel()
	s, l := newSiege(t, seeded(t)(12))
	speaker := s.tabs[1]
	for n := range watched(15, 8) {
		s.live()
		speaker.Look(func() { speaker.Act = nil })
		id, said := fmt.Sprintf("replied-%d", n), &wire.SpectatorSay{Text: fmt.Sprintf("reply %d", n)}
		first := speaker.Do(id, said)
		l.Kill()
		l = s.again()
		s.ask(l)
		if again := speaker.Do(id, said); !bytes.Equal(again.Answer, first.Answer) || first.Code != "" {
			t.Errorf("the same command was answered\n%s\nand after the kill\n%s", first.Answer, again.Answer)
		}
		if other := speaker.Do(id, &wire.SpectatorSay{Text: "something else"}); other.Code != wire.Conflict {
			t.Errorf("another command under the same requestId was answered %s", other.Answer)
		}
	}
	s.settle(l)
}

// The server is killed repeatedly during its recovery. Then it comes back.
func TestKillDuringRecovery(t *testing.T) {
	t.Parallel()
	s, l := newSiege(t, seeded(t)(13))
	for range 3 {
		s.live()
		s.pass(time.Duration(100+s.rng.IntN(200)) * time.Millisecond)
		l.Kill()
		took := time.Second
		for range 6 {
			began := time.Now()
			l = s.home.Spawn()
			s.lives++
			select {
			case <-l.served: // the duration of a start on this machine
				took = time.Since(began)
			case <-time.After(time.Duration(s.rng.Int64N(int64(took)))):
			}
			l.Kill()
		}
		l = s.again()
		s.ask(l)
	}
	s.settle(l)
}

// The server is killed at any moment of the first link. Afterwards the folder has exactly one realm, whatever was on
// disk, and the link command that is sent again is answered (B2, B10; a realm folder that is not in the registry is
// adopted).
func TestKillDuringLink(t *testing.T) {
	t.Parallel()
	rng := seeded(t)(14)
	for n := range 8 {
		home := NewHome(t, server)
		if err := os.MkdirAll(home.Worlds, 0o755); err != nil {
			t.Fatal(err)
		}
		path := repository(t)
		tab := NewTab(t, NewLedger(t), "linker")
		l := home.Start()
		tab.Join(l)
		w := watch(t, home.Worlds)
		var link *Command
		for try := range 3 {
			if try == 0 {
				tab.Look(func() { link = tab.Send("link", &wire.LinkRepo{Path: path}) })
			}
			if n%2 == 0 { // at the k-th change in the worlds folder, or when there were no changes for a while
				for k := rng.IntN(12); k >= 0; k-- {
					select {
					case <-w.Events:
					case <-time.After(200 * time.Millisecond):
						k = 0
					}
				}
			} else {
				<-time.After(time.Duration(rng.IntN(60)) * time.Millisecond)
			}
			l.Kill()
			l = home.Start()
			if err := tab.Connect(l); err != nil {
				t.Fatal(err)
			}
		}
		tab.Await(link)
		if link.Code != "" {
			t.Fatalf("the link: %s", link.Answer)
		}
		tab.Until("the realm", func() bool { return tab.Live() && tab.World != nil && tab.World.Realm.Path == path })
		list := realmList(t, tab.Do("list", &wire.ListRealms{}))
		if len(list.Realms) != 1 || list.Realms[0].Path != path || list.LastActiveRealmID != list.Realms[0].ID {
			t.Errorf("after the kills: %+v", list)
		}
		l.Kill()
		l = home.Start()
		tab.Join(l)
		tab.Look(func() {
			if tab.Info.GamePhase != wire.PhasePlaying || tab.World.Realm.Path != path {
				t.Errorf("S3-12: after another kill: %+v", tab.Info)
			}
		})
		sameAsFresh(t, l, tab)
		if code := l.Stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

func realmList(t *testing.T, c *Command) wire.RealmList {
	t.Helper()
	var list wire.RealmList
	if err := json.Unmarshal(c.Answer, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// After three automatic resumes within ten minutes without a new turn, the process comes back paused, with the
// reason. /resume continues it.
func TestKillThreeTimesWithoutATurn(t *testing.T) {
	t.Parallel()
	script := file(t, filepath.Join(t.TempDir(), "stall.json"), `{"version":1,"turns":[{"steps":[{"say":"one moment"},{"stall":true}]}]}`)
	home := NewHome(t, server, "-script", script)
	tab := NewTab(t, NewLedger(t), "Ada")
	l := home.Start()
	tab.Join(l)
	tab.Do("start", &wire.StartProcess{Problem: "a server that dies of what it resumes"})
	words := func() bool {
		for _, s := range tab.segments {
			return string(s.text) == "one moment"
		}
		return false
	}
	tab.Until("a turn", words)
	for life := range 4 {
		l.Kill()
		l = home.Start()
		tab.Join(l)
		if life < 3 {
			tab.Until("the turn again", words)
			continue
		}
		tab.Until("paused, with the reason", func() bool {
			p := &tab.World.ProcessState
			return p.Status == world.StatusPaused && p.Reason != ""
		})
		if c := tab.Do("resume", &wire.PlayerCommand{Text: "/resume"}); c.Code != "" {
			t.Fatalf("/resume: %s", c.Answer)
		}
		tab.Until("the turn again", words)
	}
	tab.ledger.Check()
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
