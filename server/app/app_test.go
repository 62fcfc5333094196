package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/keeper"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// quietListener is a listener without connections: in a synctest bubble, waiting for a real connection would stop the
// clock.
type quietListener struct{ closed chan struct{} }

func (l quietListener) Accept() (net.Conn, error) { <-l.closed; return nil, net.ErrClosed }
func (l quietListener) Addr() net.Addr            { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (l quietListener) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func nobodyListens(string) (net.Listener, error) { return quietListener{make(chan struct{})}, nil }

// start starts a server on a worlds folder of the real disk.
func start(t *testing.T, worlds string, change ...func(*Config)) *App {
	t.Helper()
	cfg := Config{
		Addr: "127.0.0.1:1", Worlds: worlds, Log: zerolog.Nop(), Version: "test",
		Listen: nobodyListens,
	}
	for _, c := range change {
		c(&cfg)
	}
	a, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func stop(t *testing.T, a *App) {
	t.Helper()
	if n, err := a.Stop(); n != 0 || err != nil {
		t.Fatalf("stop: %d events not shown, %v", n, err)
	}
}

// repo returns a folder to link.
func repo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	for name, text := range map[string]string{"README.md": "tools", "src/main.go": "package main", "src/a/b.go": "package a"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func castFile(t *testing.T, text string) func(*Config) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cast.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Script = path }
}

const stalled = `{"version":1,"turns":[{"steps":[{"say":"one moment"},{"stall":true}]}]}`

// home returns the default tenant.
func home(t *testing.T, a *App) *keeper.Tenant {
	t.Helper()
	h, err := a.home()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func link(t *testing.T, a *App, path string) *realm.Realm {
	t.Helper()
	r, err := home(t, a).Link(context.Background(), path, func(wire.RealmProgress) {})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return r
}

func submit(t *testing.T, r *realm.Realm, cmd wire.Command) {
	t.Helper()
	who := realm.Person{SpectatorID: "p1", Name: "Ada", Color: "#aabbcc", Role: wire.RoleHost}
	if e := r.Submit(realm.Input{From: who, Command: cmd}); e != nil {
		t.Fatal(e)
	}
	synctest.Wait()
}

// A realm is linked, and restored after a restart of the server.
func TestTheLastActiveRealmComesBack(t *testing.T) { // B1, B2, B3, S3-12, S3-13, S3-16
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		if p := home(t, a).Phase(); p != wire.PhaseOnboarding {
			t.Fatalf("S3-13: a fresh home is %s", p)
		}
		r := link(t, a, repo(t))
		list, err := home(t, a).List(context.Background())
		if err != nil || len(list.Realms) != 1 || list.LastActiveRealmID != r.ID() {
			t.Fatalf("B2: registered at its creation: %+v %v", list, err)
		}
		stop(t, a)
		for life := range 3 {
			a = start(t, worlds)
			if p := home(t, a).Phase(); p != wire.PhasePlaying {
				t.Fatalf("B3, S3-12: life %d is %s", life, p)
			}
			if again, ok := home(t, a).Current(); !ok || again.ID() != r.ID() {
				t.Fatalf("B1: life %d has another realm", life)
			}
			stop(t, a)
		}
	})
}

// A failed link changes nothing (B22).
// P6.6.
func TestAFailedLinkChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		r := link(t, a, repo(t))
		_, seq := r.Position()
		for _, path := range []string{"", "relative", "/", "/no/such/folder", worlds, filepath.Join(worlds, r.ID()), os.DevNull} {
			_, err := home(t, a).Link(context.Background(), path, func(wire.RealmProgress) {})
			var we *wire.Error
			if !errors.As(err, &we) || we.Message == "" {
				t.Errorf("link %q: a person is told why: %v", path, err)
			}
		}
		list, err := home(t, a).List(context.Background())
		if err != nil || len(list.Realms) != 1 {
			t.Fatalf("realms %v %v", list, err)
		}
		if again, ok := home(t, a).Current(); !ok || again != r {
			t.Fatal("the running realm was touched")
		}
		if _, now := r.Position(); now != seq {
			t.Fatalf("%d events more", now-seq)
		}
	})
}

// Linking a folder again opens its realm, however its path is written.
// P6.6.
func TestAFolderHasOneRealm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, filepath.Join(t.TempDir(), "worlds"))
		defer stop(t, a)
		dir := repo(t)
		r := link(t, a, dir)
		for _, path := range []string{dir, dir + "/", filepath.Join(dir, "src", "..")} {
			if again := link(t, a, path); again.ID() != r.ID() {
				t.Errorf("%s became another realm", path)
			}
		}
	})
}

// S3-07: when a person opens a realm without a process, the oracle appears. After a start of the server
// nobody is on the map.
func TestTheOracleComesToPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		r := link(t, a, repo(t))
		if got := agents(t, r); got != "oracle" {
			t.Fatalf("after linking: %q", got)
		}
		stop(t, a)
		a = start(t, worlds)
		r, ok := home(t, a).Current()
		synctest.Wait()
		if !ok || agents(t, r) != "" {
			t.Fatalf("S3-12: after a start: %q", agents(t, r))
		}
		if _, err := home(t, a).Resume(context.Background(), r.ID()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := agents(t, r); got != "oracle" {
			t.Fatalf("after /resume-realm: %q", got)
		}
		stop(t, a)
	})
}

// state attaches a viewer, reads the snapshot and the frames after it, and detaches.
func state(t *testing.T, r *realm.Realm) *world.World {
	t.Helper()
	v, err := r.Attach(context.Background(), watch.Position{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var w *world.World
	for {
		frames, err := v.Take(context.Background(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) == 0 {
			return w
		}
		for _, f := range frames {
			w = reduce(t, w, f)
		}
	}
}

func reduce(t *testing.T, w *world.World, frame []byte) *world.World {
	t.Helper()
	var s struct {
		Type  string       `json:"type"`
		At    string       `json:"at"`
		World *world.World `json:"world"`
	}
	mustDecode(t, frame, &s)
	switch {
	case s.Type == "world:state":
		s.World.Fill()
		return s.World
	case s.At != "":
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			t.Fatal(err)
		}
		world.Apply(w, ev)
	}
	return w
}

func agents(t *testing.T, r *realm.Realm) string {
	t.Helper()
	var ids []string
	for _, a := range state(t, r).Agents {
		ids = append(ids, a.ID)
	}
	return strings.Join(ids, " ")
}

// After a restart the process of every realm continues, not only that of the last active realm.
func TestEveryRunningProcessResumes(t *testing.T) { // S3-07, S3-12
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		cast := castFile(t, stalled)
		a := start(t, worlds, cast)
		first := link(t, a, repo(t))
		submit(t, first, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
		last := link(t, a, repo(t))
		if first.ID() == last.ID() {
			t.Fatal("two folders of one name are two realms")
		}
		time.Sleep(5 * time.Second) // meanwhile a checkpoint updates the registry
		stop(t, a)
		a = start(t, worlds, cast)
		defer stop(t, a)
		synctest.Wait()
		if cur, _ := home(t, a).Current(); cur.ID() != last.ID() {
			t.Fatal("the last active realm is another")
		}
		r, err := home(t, a).Open(context.Background(), first.ID())
		if err != nil || !r.Stats().Running || !r.Stats().Busy {
			t.Fatalf("the other process goes on: %+v %v", r.Stats(), err)
		}
	})
}

// The fourth automatic resume in a row without a turn pauses the process. A resume that a person requests
// does not.
func TestFourStartsWithoutATurnPause(t *testing.T) { // S3-07, P8.10
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		cast := castFile(t, stalled)
		a := start(t, worlds, cast)
		r := link(t, a, repo(t))
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
		for n := range 4 {
			synctest.Wait()
			stop(t, a)
			time.Sleep(time.Minute)
			a = start(t, worlds, cast)
			r, _ = home(t, a).Current()
			synctest.Wait()
			want := world.StatusRunning
			if n == 3 {
				want = world.StatusPaused
			}
			if got := state(t, r).ProcessState.Status; got != want {
				t.Errorf("after start %d in a row the process is %s, want %s", n+1, got, want)
			}
		}
		stop(t, a)
	})
}

// A realm that nobody watches and in which nothing runs is closed after ten minutes. The last active realm
// and those with running work stay open.
func TestIdleRealmsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, filepath.Join(t.TempDir(), "worlds"), castFile(t, stalled))
		defer stop(t, a)
		idle := link(t, a, repo(t))
		busy := link(t, a, repo(t))
		submit(t, busy, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
		watched := link(t, a, repo(t))
		v, err := watched.Attach(context.Background(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		last := link(t, a, repo(t))
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		ended := func(r *realm.Realm) bool {
			select {
			case <-r.Done():
				return true
			default:
				return false
			}
		}
		if !ended(idle) || ended(busy) || ended(watched) || ended(last) {
			t.Fatalf("closed: idle %v, busy %v, watched %v, last %v", ended(idle), ended(busy), ended(watched), ended(last))
		}
		v.Close()
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		if !ended(watched) {
			t.Fatal("nobody watches it any more")
		}
		if again, err := home(t, a).Open(context.Background(), idle.ID()); err != nil || again == idle {
			t.Fatalf("it opens again: %v", err)
		}
	})
}

// A linked folder contains the worlds folder. An idle hour causes no event and no write, and the worlds
// folder is not on the map.
func TestAnIdleHourWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := repo(t)
		worlds := filepath.Join(dir, "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		r := link(t, a, dir)
		v, err := r.Attach(context.Background(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if l := r.Land(); l.Map.Files != 3 {
			t.Fatalf("the worlds folder is on the map: %d files", l.Map.Files)
		}
		time.Sleep(2 * time.Minute) // until the work that linking has started is done
		synctest.Wait()
		_, seq := r.Position()
		before := listing(t, worlds)
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, now := r.Position(); now != seq {
			t.Errorf("%d events in an idle hour", now-seq)
		}
		if after := listing(t, worlds); after != before {
			t.Errorf("writes in an idle hour:\n%s\nwas\n%s", after, before)
		}
	})
}

// listing returns every file of a folder with its size and modification time.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !d.IsDir() {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Removing a realm deletes its folder and never the linked folder (B9, B24).
// P6.7.
func TestRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		dir := repo(t)
		r := link(t, a, dir)
		for _, id := range []string{"", ".", "..", "../tools", "templates", "nobody"} {
			var we *wire.Error
			if err := home(t, a).Remove(context.Background(), id); !errors.As(err, &we) {
				t.Errorf("B9: remove %q: %v", id, err)
			}
		}
		if _, err := os.Stat(filepath.Join(worlds, r.ID())); err != nil {
			t.Fatal(err)
		}
		if err := home(t, a).Remove(context.Background(), r.ID()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(worlds, r.ID())); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("its folder is still there: %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, "src", "main.go")); err != nil {
			t.Fatalf("the linked folder was touched: %v", err)
		}
		if home(t, a).Phase() != wire.PhaseOnboarding {
			t.Fatal("nothing is left to play")
		}
	})
}

// A start on a worlds folder that another server holds fails with an error that names that server.
func TestTwoServersOnOneFolder(t *testing.T) {
	worlds := filepath.Join(t.TempDir(), "worlds")
	a := start(t, worlds)
	_, err := Start(context.Background(), Config{Addr: "127.0.0.1:0", Worlds: worlds, Log: zerolog.Nop()})
	var locked *lock.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Address != "127.0.0.1:1" {
		t.Fatalf("second server: %v", err)
	}
	stop(t, a)
	stop(t, start(t, worlds))
}

func mustDecode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

// Templates of the worlds folder are offered and used as soon as their files exist. An invalid one is
// logged with file and field, and the others are still offered.
func TestTemplatesAreReadHot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		r := link(t, a, repo(t))
		folder := filepath.Join(worlds, "templates")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		put := func(name, text string) {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		const duet = `{"id":"duet","name":"Duet","roles":[{"id":"a","name":"A","color":"#aabbcc"}],"stages":[{"id":"s","name":"S","goal":"Say it.","roles":["a"],"structure":"single","completion":"turn_count","turns":1,"artifacts":[]}]}`
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "duet"})
		if state(t, r).ProcessState.Status != world.StatusIdle {
			t.Fatal("a template that is not there began")
		}
		put("duet.json", duet)
		put("broken.json", strings.Replace(strings.Replace(duet, "duet", "broken", 1), `"roles":["a"]`, `"roles":["b"]`, 1))
		templates := &templates{store: a.store, log: zerolog.Nop()}
		if _, err := templates.Template("broken"); err == nil || !strings.Contains(err.Error(), "broken.json: stages[0].roles[0]") {
			t.Errorf("file and field are named: %v", err)
		}
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "duet"})
		put("duet.json", strings.Replace(duet, `"turns":1`, `"turns":7`, 1))
		if p := state(t, r).ProcessState; p.Status != world.StatusRunning || p.Template.Stages[0].Turns != 1 {
			t.Fatalf("a process keeps the template it began with: %+v", p)
		}
	})
}
