package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// tailEvents is how many events lie behind the checkpoint of the large realm, as
// after a SIGKILL within the five seconds that a checkpoint may take.
const tailEvents = 200

// largeRealm makes a worlds folder with one realm whose world has about 10 MB, the
// most that a world may have, as a killed server leaves it: a checkpoint, a tail
// behind it in the journal's log, nothing closed. It gives the world's length.
func largeRealm(dir string) (id string, size int, err error) {
	work := dir + ".work"
	s, err := store.Open(afero.NewOsFs(), work, zerolog.Nop())
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, s.Close(), os.RemoveAll(work)) }()
	home, err := s.Tenant(world.DefaultTenant)
	if err != nil {
		return "", 0, err
	}
	e, err := home.Create(world.Realm{Name: "Large"})
	if err != nil {
		return "", 0, err
	}
	if err := home.SetLastActive(e.ID); err != nil {
		return "", 0, err
	}
	at, err := home.RealmDir(e.ID)
	if err != nil {
		return "", 0, err
	}
	realm := world.Realm{ID: e.ID, Name: e.Name, Tenant: e.Tenant}
	o, err := store.OpenRealm(context.Background(), afero.NewOsFs(), at, realm, world.DefaultSettings(), time.Now())
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	w := &writer{o: o, w: o.Saved.World}
	if size, err = w.grow(realm); err != nil {
		return "", 0, err
	}
	return e.ID, size, copyFolder(work, dir)
}

// writer commits events as the actor does.
type writer struct {
	o  *store.OpenedRealm
	w  *world.World
	at world.Time
	// shown are the bytes of the frames so far.
	shown int64
}

func (w *writer) commit(bodies ...world.Body) error {
	batch := &world.Batch{}
	for i, body := range bodies {
		w.at = max(w.at+1, world.TimeOf(time.Now()))
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

func finding(n int, text string) *world.FindingPosted {
	return &world.FindingPosted{Finding: world.Finding{
		ID: fmt.Sprintf("f%d", n), AgentID: "scout", Severity: "low", Title: fmt.Sprintf("finding %d", n),
		Text: text, Path: "server/gate/socket.go", Line: n, At: world.TimeOf(time.Now()),
	}}
}

func (w *writer) grow(realm world.Realm) (size int, err error) {
	if err := w.commit(&world.RealmCreated{Realm: realm, Settings: world.DefaultSettings()}); err != nil {
		return 0, err
	}
	text := strings.Repeat("the lamp is lit & the door stands open. ", 24)
	for n := 0; n < 9_000; n += 300 {
		var bodies []world.Body
		for i := range 300 {
			bodies = append(bodies, finding(n+i, text))
		}
		if err := w.commit(bodies...); err != nil {
			return 0, err
		}
	}
	raw, err := json.Marshal(w.w)
	if err != nil {
		return 0, err
	}
	if err := w.o.Files.WriteCheckpoint(world.Checkpoint{Epoch: w.o.Saved.Epoch, Seq: w.w.Tick, SavedAt: w.at, World: raw}); err != nil {
		return 0, err
	}
	for n := range tailEvents {
		if err := w.commit(finding(9_000+n, "behind the checkpoint")); err != nil {
			return 0, err
		}
	}
	return len(raw), nil
}

// copyFolder copies what a kill leaves on the disk: not -shm, which is memory, and
// no locks.
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
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o600)
	})
}
