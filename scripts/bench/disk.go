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

	"github.com/spf13/afero"

	"agentdungeon/server/folder"
	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// appendPace is how many events a second are committed, one a commit.
const appendPace = 500

// durable is one event of 1 KB a commit, at a steady pace: the journal alone, then
// the round trip of a command through the whole server.
func (b *bench) durable(ctx context.Context) ([]figure, error) {
	name := fmt.Sprintf("durable append of 1 KB at %d/s, ", appendPace)
	p50 := figure{name: name + "p50", unit: seconds, bare: "append, fsync"}
	p99 := figure{name: name + "p99", unit: seconds, bare: "append, fsync", aim: aim{below, 20e-3}}
	trip50 := figure{name: fmt.Sprintf("command to answer at %d/s (decided, committed, answered), p50", appendPace), unit: seconds, bare: "append, fsync"}
	trip99 := figure{name: fmt.Sprintf("command to answer at %d/s, p99", appendPace), unit: seconds, bare: "append, fsync", aim: aim{below, 20e-3}}
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "realm")
	realm := world.Realm{ID: "realm", Name: "Realm", Tenant: "default"}
	o, err := store.OpenRealm(ctx, afero.NewOsFs(), home, realm, world.DefaultSettings(), time.Now())
	if err != nil {
		return nil, err
	}
	defer o.Journal.Close()
	w := &writer{o: o, w: o.Saved.World}
	if err := w.commit(&world.RealmCreated{Realm: realm, Settings: world.DefaultSettings()}); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(b.file("appended-alone"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	line := []byte(strings.Repeat("x", 1200))
	worlds, err := b.folder()
	if err != nil {
		return nil, err
	}
	ours, err := b.serve(ctx, worlds)
	if err != nil {
		return nil, err
	}
	defer ours.kill()
	for range b.runs {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		took, err := pace(appendPace, b.during, func(i int) error {
			return w.commit(&world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: say(i)})
		})
		if err != nil {
			return nil, err
		}
		limit, err := pace(appendPace, b.during, func(int) error {
			_, err := log.Write(line)
			return errors.Join(err, log.Sync())
		})
		if err != nil {
			return nil, err
		}
		trips, err := steady(ours.addr, 2*appendPace/50, appendPace, b.during, func(i int) string {
			return `{"type":"spectator:command","text":"` + say(i) + `"}`
		})
		if err != nil {
			return nil, err
		}
		p50.ours, p50.limit = append(p50.ours, percentile(took, 50)), append(p50.limit, percentile(limit, 50))
		p99.ours, p99.limit = append(p99.ours, percentile(took, 99)), append(p99.limit, percentile(limit, 99))
		trip50.ours, trip50.limit = append(trip50.ours, percentile(trips, 50)), p50.limit
		trip99.ours, trip99.limit = append(trip99.ours, percentile(trips, 99)), p99.limit
	}
	return []figure{p50, p99, trip50, trip99}, nil
}

// pace does something so many times a second, as far as it can, and gives how long
// each took. What a slow one holds up is not counted twice: in the product such
// events share a commit (the row of commands shows that).
func pace(perSecond int, during time.Duration, do func(i int) error) ([]time.Duration, error) {
	base := time.Now()
	var took []time.Duration
	for i := range perSecond * int(during.Seconds()) {
		time.Sleep(time.Until(base.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
		begin := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}

// checkpoint is the saving of a world of 10 MB, all of it away from the actor.
func (b *bench) checkpoint(ctx context.Context) ([]figure, error) {
	write := figure{name: "checkpoint of 10 MB: check, indent, write, fsync, keep the old", unit: seconds, bare: "os.WriteFile + fsync"}
	encode := figure{name: "encoding a world of 10 MB", unit: seconds, bare: "copying its JSON"}
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	w := largeWorld()
	files := store.OpenFiles(afero.NewOsFs(), dir)
	for i := range 2*b.runs + 1 {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		begin := time.Now()
		raw, err := json.Marshal(w)
		if err != nil {
			return nil, err
		}
		encoded := time.Since(begin)
		begin = time.Now()
		_ = append([]byte(nil), raw...)
		copied := time.Since(begin)
		w.Tick++
		raw, err = json.Marshal(w)
		if err != nil {
			return nil, err
		}
		begin = time.Now()
		if err := files.WriteCheckpoint(world.Checkpoint{Epoch: "e", Seq: w.Tick, SavedAt: 1, World: raw}); err != nil {
			return nil, err
		}
		written := time.Since(begin)
		plain, err := writePlain(b.file("plain"), filepath.Join(dir, store.StateFile))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		write.ours, write.limit = append(write.ours, written.Seconds()), append(write.limit, plain.Seconds())
		encode.ours, encode.limit = append(encode.ours, encoded.Seconds()), append(encode.limit, copied.Seconds())
	}
	return []figure{encode, write}, nil
}

// writePlain writes a new file with the bytes of another and syncs it.
func writePlain(to, like string) (time.Duration, error) {
	data, err := os.ReadFile(like)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	return time.Since(begin), errors.Join(err, os.Remove(to))
}

// largeWorld is a world of about 10 MB of JSON.
func largeWorld() *world.World {
	w := world.New(world.Realm{ID: "large", Name: "Large", Tenant: "default"})
	text := strings.Repeat("the lamp is lit & the door stands open. ", 24)
	for i := range 9_000 {
		w.Findings = append(w.Findings, finding(i, text).Finding)
	}
	w.Tick = int64(len(w.Findings))
	return w
}

// scan is the reading of a linked folder of 20,000 files, without git: all of it is
// ours.
func (b *bench) scan(ctx context.Context) ([]figure, error) {
	f := figure{name: "scanning 20,000 files", unit: seconds, bare: "filepath.WalkDir", aim: aim{ratioMax, 3}}
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	if err := make20k(dir); err != nil {
		return nil, err
	}
	for i := range 2*b.runs + 1 {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		begin := time.Now()
		n := 0
		err := filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error { n++; return err })
		walked := time.Since(begin)
		if err != nil {
			return nil, err
		}
		begin = time.Now()
		tree, _, err := folder.Scan(ctx, dir, folder.Options{Exclude: []string{filepath.Join(dir, "worlds")}})
		scanned := time.Since(begin)
		if err != nil {
			return nil, err
		}
		if tree.Files() != 20_002 || n < 20_002 {
			return nil, fmt.Errorf("%d files seen, %d entries walked", tree.Files(), n)
		}
		if i > 0 {
			f.ours, f.limit = append(f.ours, scanned.Seconds()), append(f.limit, walked.Seconds())
		}
	}
	return []figure{f}, nil
}

// make20k writes 20,000 files into 1,000 folders, three levels deep, and two files
// of ignore rules.
func make20k(dir string) error {
	for i := range 20 {
		for j := range 10 {
			for k := range 5 {
				leaf := filepath.Join(dir, fmt.Sprintf("module%02d/part%02d/leaf%d", i, j, k))
				if err := os.MkdirAll(leaf, 0o755); err != nil {
					return err
				}
				for f := range 20 {
					if err := os.WriteFile(filepath.Join(leaf, fmt.Sprintf("source_file_%d.go", f)), []byte("x"), 0o644); err != nil {
						return err
					}
				}
			}
		}
	}
	for name, text := range map[string]string{
		"notes.md":          "x",
		"module01/notes.md": "x",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
