package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// accepting measures the time from the start of the process to the answer of /healthz, for a
// worlds folder without realms.
func (b *bench) accepting() {
	f := b.row(seconds, noAim, "smallest Go HTTP server", "start to accepting (/healthz)")
	b.times(3*b.runs, func() {
		addr, bareAddr := freeAddr(), freeAddr()
		ours := b.healthy(addr, b.server, "-worlds", b.folder(), "-addr", addr, "-log-level", "error")
		f.addTook(ours, b.healthy(bareAddr, b.bare, "-http", "-addr", bareAddr))
	})
}

func (b *bench) healthy(addr, program string, args ...string) time.Duration {
	begin := time.Now()
	c, _ := b.launch(program, args...)
	conn := c.knock(addr)
	defer conn.Close()
	dial := func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	client := http.Client{Transport: &http.Transport{DialContext: dial}}
	resp := get(client.Get("http://" + addr + "/healthz"))
	took := time.Since(begin)
	must(resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		must(fmt.Errorf("/healthz answers %s: %s", resp.Status, c.lastWords()))
	}
	c.kill()
	return took
}

// restart measures the time from the start of the process to the last byte of world:state, for
// a realm of 10 MB that a killed server left behind.
func (b *bench) restart() {
	killed := b.folder()
	_, size := b.largeRealm(killed)
	f := b.row(seconds, aim{below, 100e-3}, "stored bytes, raw TCP",
		"restart after SIGKILL to the first world:state, world of %.1f MB", float64(size)/(1<<20))
	stored := b.file("stored")
	b.warmTimes(2*b.runs, func() {
		worlds := b.folder()
		must(copyFolder(killed, worlds))
		ours, frame := b.firstState(worlds)
		must(os.WriteFile(stored, make([]byte, frame), 0o600))
		f.addTook(ours, b.storedBytes(stored, frame))
	})
}

func (b *bench) firstState(worlds string) (time.Duration, int) {
	addr, begin := freeAddr(), time.Now()
	c, _ := b.launch(b.server, "-worlds", worlds, "-addr", addr, "-log-level", "error")
	s, err := upgrade(c.knock(addr), addr)
	if err != nil {
		must(fmt.Errorf("%w: %s", err, c.lastWords()))
	}
	defer s.close()
	must(s.send(`{"type":"hello","protocol":1}`))
	p := get(s.until(`"type":"world:state"`))
	took := time.Since(begin)
	c.kill()
	return took, len(p)
}

// storedBytes measures the time from the start of a bare server to the last byte of its answer.
// The bare server only reads the file and sends it.
func (b *bench) storedBytes(file string, size int) time.Duration {
	addr, begin := freeAddr(), time.Now()
	c, _ := b.launch(b.bare, "-addr", addr, "-file", file)
	conn := c.knock(addr)
	defer conn.Close()
	get(conn.Write([]byte{'F'}))
	get(io.ReadFull(conn, make([]byte, size)))
	took := time.Since(begin)
	c.kill()
	return took
}

// tailEvents is the number of events after the checkpoint of the large realm, as after a
// SIGKILL within the five seconds that a checkpoint may take.
const tailEvents = 200

// largeRealm makes a worlds folder as a killed server leaves it, with one realm. The realm's world
// has about 10 MB, the most that a world may have. The journal's log holds tailEvents events after
// the checkpoint, and no file was closed. It returns the length of the encoded world in bytes.
func (b *bench) largeRealm(dir string) (id string, size int) {
	work := dir + ".work"
	b.scope(func() {
		b.after(func() { must(os.RemoveAll(work)) })
		realm, at, _ := b.newRealm(work, "Large")
		o := b.open(at, realm)
		id, size = realm.ID, (&writer{o: o, w: o.Saved.World}).grow(realm)
		must(copyFolder(work, dir))
	})
	return id, size
}

// newRealm makes a worlds folder with one realm, which is the last active one. The store
// is open until the scope ends.
func (b *bench) newRealm(worlds, name string) (realm world.Realm, dir string, defaults world.Settings) {
	s := get(files.Open(afero.NewOsFs(), worlds, zerolog.Nop()))
	b.after(func() { must(s.Close()) })
	home := get(s.Tenant(world.DefaultTenant))
	e := get(home.Create(world.Realm{Name: name}))
	must(home.SetLastActive(e.ID))
	return world.Realm{ID: e.ID, Name: e.Name, Tenant: e.Tenant}, get(home.RealmDir(e.ID)), s.Defaults()
}

// open opens a realm's folder as the server does; its journal closes with the scope.
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

func (w *writer) commit(bodies ...world.Body) error {
	w.at = max(w.at, now()-1)
	return w.commitAfter(bodies...)
}

// commitAfter commits events a millisecond apart. It does not read the clock.
func (w *writer) commitAfter(bodies ...world.Body) error {
	batch := &world.Batch{}
	for i, body := range bodies {
		w.at++
		rec, err := world.Event{Seq: w.w.Tick + 1 + int64(i), At: w.at, V: 1, Body: body}.Encode()
		if err != nil {
			return err
		}
		batch.Records = append(batch.Records, rec)
	}
	if err := w.o.Journal.Commit(batch); err != nil {
		return err
	}
	for _, rec := range batch.Records {
		w.shown += int64(len(rec.Frame))
		world.Apply(w.w, rec.Event)
	}
	return nil
}

// checkpoint writes state.json, as the actor does, with the land that every realm has.
func (w *writer) checkpoint() (world.Checkpoint, error) {
	land := world.NewLand()
	land.Country = dungeon.Country(w.w.Realm.ID, nil)
	raw, err := world.EncodeState(w.w, land)
	c := world.Checkpoint{Epoch: w.o.Saved.Epoch, Seq: w.w.Tick, SavedAt: w.at, World: raw}
	return c, errors.Join(err, w.o.Files.WriteCheckpoint(c), w.o.Journal.MarkVaults(world.VaultMark{
		Epoch: c.Epoch, Seq: c.Seq, Vaults: map[string]int64{},
	}))
}

var lampText = strings.Repeat("the lamp is lit & the door stands open. ", 24)

func (w *writer) grow(realm world.Realm) int {
	must(w.commit(&world.RealmCreated{Realm: realm, Settings: world.DefaultSettings()}))
	for n := 0; n < 9_000; n += 300 {
		var bodies []world.Body
		for i := range 300 {
			bodies = append(bodies, finding(n+i, lampText))
		}
		must(w.commit(bodies...))
	}
	c := get(w.checkpoint())
	for n := range tailEvents {
		must(w.commit(finding(9_000+n, "behind the checkpoint")))
	}
	return len(c.World)
}

// copyFolder copies a worlds folder as a kill leaves it on the disk: without -shm files, which
// are shared memory, and without locks.
func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(p, "-shm") || d.Name() == ".lock" {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
}
