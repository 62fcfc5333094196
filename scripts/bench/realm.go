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

// newWorlds makes a worlds folder with one realm, the last active one.
func (b *bench) newWorlds(worlds, name string) *talk {
	s := get(files.Open(afero.NewOsFs(), worlds, zerolog.Nop()))
	b.after(func() { must(s.Close()) })
	home := get(s.Tenant(world.DefaultTenant))
	e := get(home.Create(world.Realm{Name: name}))
	must(home.SetLastActive(e.ID))
	realm := world.Realm{ID: e.ID, Name: e.Name, Tenant: e.Tenant}
	t := b.talkIn(get(home.RealmDir(e.ID)), realm)
	t.commit(&world.RealmCreated{Realm: realm, Settings: s.Defaults()})
	return t
}

// handed opens a realm's folder and returns the result for an actor, which closes the journal.
func (b *bench) handed(dir string, realm world.Realm) *recovery.Opened {
	return get(recovery.Open(b.ctx, afero.NewOsFs(), dir, realm, world.DefaultSettings(), time.Now()))
}

func now() world.Time { return world.TimeOf(time.Now()) }

// commit commits events whose times are a millisecond apart, beginning now but after the previous event. It returns
// them.
func (w *talk) commit(bodies ...world.Body) *world.Batch {
	w.at = max(w.at, now()-1)
	batch := &world.Batch{}
	for i, body := range bodies {
		w.at++
		batch.Records = append(batch.Records, get(world.Event{Seq: w.w.Tick + 1 + int64(i), At: w.at, V: 1, Body: body}.Encode()))
	}
	must(w.o.Journal.Commit(batch))
	for _, rec := range batch.Records {
		world.Apply(w.w, rec.Event)
	}
	return batch
}

// checkpoint writes state.json as the actor does, with the land of a realm without a linked folder.
func (w *talk) checkpoint() world.Checkpoint {
	land := world.NewLand()
	land.Country = dungeon.Country(w.w.Realm.ID, nil)
	c := world.Checkpoint{Epoch: w.o.Saved.Epoch, Seq: w.w.Tick, SavedAt: w.at, World: get(world.EncodeState(w.w, land))}
	mark := world.VaultMark{Epoch: c.Epoch, Seq: c.Seq, Vaults: map[string]int64{}}
	must(w.o.Files.WriteCheckpoint(c), w.o.Journal.MarkVaults(mark))
	return c
}

// largeFindings is the number of findings in a world of 10 MB, which is about the largest that a world may be.
const largeFindings = 9_000

var lampText = strings.Repeat("the lamp is lit & the door stands open. ", 24)

func finding(n int, text string) *world.FindingPosted {
	return &world.FindingPosted{Finding: world.Finding{
		ID: fmt.Sprintf("f%d", n), AgentID: "scout", Severity: "low", Title: fmt.Sprintf("finding %d", n),
		Text: text, Path: "server/gate/socket.go", Line: n, At: now(),
	}}
}

// largeRealm makes a worlds folder in the state in which a killed server leaves it: a realm with a world of about
// 10 MB, and 200 events in the journal's log after its checkpoint. It returns the length of the encoded world in
// bytes.
func (b *bench) largeRealm(dir string) (id string, size int) {
	work := dir + ".work"
	b.scope(func() {
		b.after(func() { must(os.RemoveAll(work)) })
		w := b.newWorlds(work, "Large")
		for n := 0; n < largeFindings; n += 300 {
			var bodies []world.Body
			for i := range 300 {
				bodies = append(bodies, finding(n+i, lampText))
			}
			w.commit(bodies...)
		}
		id, size = w.w.Realm.ID, len(w.checkpoint().World)
		// Empty the log, as an idle server does. Otherwise the copy would have a log of any size, or be torn.
		must(w.o.Journal.Tidy(b.ctx), w.o.Journal.EmptyLog(b.ctx))
		for n := range 200 {
			w.commit(finding(largeFindings+n, "behind the checkpoint"))
		}
		copyFolder(work, dir)
	})
	return id, size
}

// player offers the template of a process with one member, and plays the member: it posts the findings that it
// receives from the channel.
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
func (b *bench) view(v *watch.Viewer, enough func(frame []byte) bool) {
	for ctx := b.patient("a frame of the realm"); ; {
		frames := get(v.Take(ctx, 256<<10))
		for _, f := range frames {
			if bytes.HasPrefix(f, []byte(`{"type":"error",`)) {
				failf("the realm answers with an error: %.300s", f)
			}
			if enough(f) {
				return
			}
		}
		if len(frames) == 0 {
			await(ctx, v.Ready())
		}
	}
}
