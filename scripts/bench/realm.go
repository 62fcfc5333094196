package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// newRealm makes a worlds folder with one realm, which is the last active one. The store stays open until the
// enclosing call of bench.scope ends.
func (b *bench) newRealm(worlds, name string) (realm world.Realm, dir string, defaults world.Settings) {
	s := get(files.Open(afero.NewOsFs(), worlds, zerolog.Nop()))
	b.after(func() { must(s.Close()) })
	home := get(s.Tenant(world.DefaultTenant))
	e := get(home.Create(world.Realm{Name: name}))
	must(home.SetLastActive(e.ID))
	return world.Realm{ID: e.ID, Name: e.Name, Tenant: e.Tenant}, get(home.RealmDir(e.ID)), s.Defaults()
}

// open opens a realm's folder as the server does. The realm's journal is closed when the enclosing call of bench.scope
// ends.
func (b *bench) open(dir string, realm world.Realm) *recovery.Opened {
	o := b.handed(dir, realm)
	b.after(func() { must(o.Journal.Close()) })
	return o
}

// handed opens a realm's folder for an actor, which closes the journal.
func (b *bench) handed(dir string, realm world.Realm) *recovery.Opened {
	return get(recovery.Open(b.ctx, afero.NewOsFs(), dir, realm, world.DefaultSettings(), time.Now()))
}

func now() world.Time { return world.TimeOf(time.Now()) }

// writer commits events as the actor does.
type writer struct {
	o     *recovery.Opened
	w     *world.World
	at    world.Time
	shown int64 // bytes of all committed frames
}

// commit commits events a millisecond apart. The first has the current time, but at least a millisecond more than the
// previous event.
func (w *writer) commit(bodies ...world.Body) {
	w.at = max(w.at, now()-1)
	w.commitAfter(bodies...)
}

// commitAfter commits events a millisecond apart. It does not read the clock.
func (w *writer) commitAfter(bodies ...world.Body) {
	batch := &world.Batch{}
	for i, body := range bodies {
		w.at++
		batch.Records = append(batch.Records, get(world.Event{Seq: w.w.Tick + 1 + int64(i), At: w.at, V: 1, Body: body}.Encode()))
	}
	must(w.o.Journal.Commit(batch))
	for _, rec := range batch.Records {
		w.shown += int64(len(rec.Frame))
		world.Apply(w.w, rec.Event)
	}
}

// checkpoint writes state.json as the actor does, with the land of a realm without a linked folder.
func (w *writer) checkpoint() world.Checkpoint {
	land := world.NewLand()
	land.Country = dungeon.Country(w.w.Realm.ID, nil)
	c := world.Checkpoint{Epoch: w.o.Saved.Epoch, Seq: w.w.Tick, SavedAt: w.at, World: get(world.EncodeState(w.w, land))}
	mark := world.VaultMark{Epoch: c.Epoch, Seq: c.Seq, Vaults: map[string]int64{}}
	must(w.o.Files.WriteCheckpoint(c), w.o.Journal.MarkVaults(mark))
	return c
}

// largeFindings is the number of findings of a world of 10 MB, the most that a world may have.
const largeFindings = 9_000

var lampText = strings.Repeat("the lamp is lit & the door stands open. ", 24)

func finding(n int, text string) *world.FindingPosted {
	return &world.FindingPosted{Finding: world.Finding{
		ID: fmt.Sprintf("f%d", n), AgentID: "scout", Severity: "low", Title: fmt.Sprintf("finding %d", n),
		Text: text, Path: "server/gate/socket.go", Line: n, At: now(),
	}}
}

// largeRealm makes a worlds folder as a killed server leaves it, with one realm, whose world has about 10 MB. The
// journal's log holds 200 events after the checkpoint, as after a SIGKILL within the five seconds that a checkpoint may
// take, and no file was closed. It returns the length of the encoded world in bytes.
func (b *bench) largeRealm(dir string) (id string, size int) {
	work := dir + ".work"
	b.scope(func() {
		b.after(func() { must(os.RemoveAll(work)) })
		realm, at, _ := b.newRealm(work, "Large")
		o := b.open(at, realm)
		w := &writer{o: o, w: o.Saved.World}
		w.commit(&world.RealmCreated{Realm: realm, Settings: world.DefaultSettings()})
		for n := 0; n < largeFindings; n += 300 {
			var bodies []world.Body
			for i := range 300 {
				bodies = append(bodies, finding(n+i, lampText))
			}
			w.commit(bodies...)
		}
		id, size = realm.ID, len(w.checkpoint().World)
		for n := range 200 {
			w.commit(finding(largeFindings+n, "behind the checkpoint"))
		}
		copyFolder(work, dir)
	})
	return id, size
}

// player offers the template of a process with one member and plays this member: it posts the findings that it receives
// from the channel. player(nil) posts none.
type player chan *world.Finding

func (p player) All() []*world.Template { return nil }

func (p player) Template(string) (*world.Template, error) {
	return &world.Template{
		ID: "t", Name: "T", Roles: []world.Role{{ID: "r", Name: "R", Color: "#112233"}},
		Stages: []world.Stage{{ID: "s", Name: "S", Goal: "g", Roles: []string{"r"},
			Structure: world.StructSingle, Completion: world.CompleteSignal}},
	}, nil
}

func (p player) Driver(*world.Template, world.Role) driver.Driver { return p }

func (p player) Run(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
	for {
		select {
		case f := <-p:
			if err := emit(driver.Chunk{Finding: f}); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// run starts the actor of an opened realm. The actor is stopped when the enclosing call of bench.scope ends.
func (b *bench) run(o *recovery.Opened, change func(*realm.Config)) *realm.Realm {
	config := realm.Config{
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Kinds: kinds.All(), Templates: player(nil), Drivers: player(nil),
		Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {},
	}
	change(&config)
	r := realm.Start(config)
	b.after(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), startTime)
		defer cancel()
		get(r.Stop(ctx))
	})
	return r
}

// submit sends a command to a realm in the name of the host.
func submit(r *realm.Realm, to *watch.Viewer, requestID string, c wire.Command) {
	who := realm.Person{SpectatorID: "s", Name: "person", Color: "#aabbcc", Role: wire.RoleHost}
	if e := r.Submit(realm.Input{From: who, To: to, RequestID: requestID, Command: c}); e != nil {
		must(e)
	}
}

// view takes a viewer's frames until enough returns true for one of them.
func view(ctx context.Context, v *watch.Viewer, enough func(frame []byte) bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the realm did not send all frames within %s", patience))
	defer cancel()
	for {
		frames := get(v.Take(ctx, 256<<10))
		for _, f := range frames {
			if bytes.HasPrefix(f, []byte(`{"type":"error",`)) {
				failf("the realm answers with an error: %.300s", f)
			}
			if enough(f) {
				return
			}
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-v.Ready():
		case <-ctx.Done():
			must(context.Cause(ctx))
		}
	}
}
