package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// checkpoint measures encoding and writing a world of 10 MB, without an actor.
func (b *bench) checkpoint() {
	encode := b.row(seconds, noAim, "copying its JSON", "encoding a world of 10 MB")
	write := b.row(seconds, noAim, "os.WriteFile + fsync", "checkpoint of 10 MB: check, indent, write, fsync, keep the old")
	w := world.New(world.Realm{ID: "large", Name: "Large", Tenant: "default"})
	for i := range 9_000 {
		w.Findings = append(w.Findings, finding(i, lampText).Finding)
	}
	dir := b.folder()
	home := files.OpenRealm(afero.NewOsFs(), dir)
	b.warmTimes(2*b.runs, func() {
		w.Tick++
		begin := time.Now()
		raw := get(json.Marshal(w))
		encoded := time.Since(begin)
		begin = time.Now()
		_ = append([]byte(nil), raw...)
		encode.addTook(encoded, time.Since(begin))
		begin = time.Now()
		must(home.WriteCheckpoint(world.Checkpoint{Epoch: "e", Seq: w.Tick, SavedAt: 1, World: raw}))
		written := time.Since(begin)
		data := get(os.ReadFile(filepath.Join(dir, files.StateFile)))
		begin = time.Now()
		f := get(os.OpenFile(b.file("plain"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600))
		_, err := f.Write(data)
		must(err, f.Sync(), f.Close())
		write.addTook(written, time.Since(begin))
	})
}

// probeEvery is the pause between two probes: short enough that a pause of half a millisecond
// delays one of them, long enough to leave the cores almost idle.
const probeEvery = 250 * time.Microsecond

// saves is the number of checkpoints of a repetition. Each comes a second after a change.
const saves = 12

// timedFiles reports the begin and the end of each write of a checkpoint.
type timedFiles struct {
	realm.Files
	wrote chan [2]time.Time
}

func (f timedFiles) WriteCheckpoint(c world.Checkpoint) error {
	begin := time.Now()
	err := f.Files.WriteCheckpoint(c)
	f.wrote <- [2]time.Time{begin, time.Now()}
	return err
}

type noTemplates struct{}

func (noTemplates) All() []*world.Template { return nil }

func (noTemplates) Template(string) (*world.Template, error) {
	return nil, errors.New("there are no templates")
}

type noDrivers struct{}

func (noDrivers) Driver(*world.Template, world.Role) driver.Driver { return nil }

// run starts the actor of an opened realm. The scope's end stops the actor.
func (b *bench) run(o *recovery.Opened, change func(*realm.Config)) *realm.Realm {
	config := realm.Config{
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Kinds: kinds.All(), Templates: noTemplates{}, Drivers: noDrivers{},
		Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {},
	}
	if change != nil {
		change(&config)
	}
	r := realm.Start(config)
	b.after(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), startTime)
		defer cancel()
		_, err := r.Stop(ctx)
		must(err)
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

// probe is one attach: when it began and how long the actor's step took.
type probe struct {
	at   time.Time
	took time.Duration
}

// pause measures the delay of the actor's steps while a world of 10 MB is saved. The probe is
// an attach that has missed nothing: it needs one step and little else. It runs in this
// process, because the network's own delays are as long as the pause.
func (b *bench) pause() {
	killed := b.folder()
	id, _ := b.largeRealm(killed)
	const quiet = "the same, nothing saved"
	p99 := b.row(seconds, aim{below, 5e-3}, quiet, "actor's turn (attach) while 10 MB are saved, p99")
	worst := b.row(seconds, noAim, "world.Clone alone, p99", "actor's turn (attach) while 10 MB are saved, longest of each save")
	p50 := b.row(seconds, noAim, quiet, "actor's turn (attach) while 10 MB are saved, p50")
	snapshot := b.row(seconds, aim{below, 5e-3}, "an attach with a replay", "attach with a snapshot of 10 MB: the actor's turn")
	b.times(b.few(), func() {
		dir := b.folder()
		must(copyFolder(filepath.Join(killed, id), dir))
		o := b.handed(dir, world.Realm{ID: id, Name: "Large", Tenant: "default"})
		var clones []time.Duration
		for range 200 {
			begin := time.Now()
			o.Saved.World.Clone()
			clones = append(clones, time.Since(begin))
		}
		files := timedFiles{o.Files, make(chan [2]time.Time, 4*saves)}
		r := b.run(o, func(c *realm.Config) { c.Files = files })
		during, alone, longest := b.probed(r, files)
		p50.add(percentile(during, 50), percentile(alone, 50))
		p99.add(percentile(during, 99), percentile(alone, 99))
		worst.add(percentile(longest, 50), percentile(clones, 99))
		var took []time.Duration
		for range 20 { // attaches without a position, each of which needs the whole world
			begin := time.Now()
			v := get(r.Attach(b.ctx, watch.Position{}))
			took = append(took, time.Since(begin))
			v.Close()
		}
		snapshot.add(percentile(took, 50), percentile(alone, 50))
	})
}

// probed attaches again and again while the world is saved repeatedly. It returns the durations
// of the attaches during a save, those of the others, and the longest of each save.
func (b *bench) probed(r *realm.Realm, files timedFiles) (during, quiet, longest []time.Duration) {
	var probes []probe
	var failed error
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(probeEvery):
			}
			epoch, seq := r.Position()
			begin := time.Now()
			v, err := r.Attach(b.ctx, watch.Position{Epoch: &epoch, LastSeq: &seq})
			if failed = err; err != nil {
				return
			}
			probes = append(probes, probe{begin, time.Since(begin)})
			v.Close()
		}
	}()
	var windows [][2]time.Time
	b.scope(func() {
		b.after(func() { close(end); <-ended })
		for i := range saves + 1 { // the first checkpoint stores the changes of the opening
			if i > 0 {
				submit(r, nil, "", &wire.SpectatorSay{Text: say(i)})
			}
			select {
			case w := <-files.wrote:
				// The actor clones and encodes the world before the write, in less than 300 ms.
				windows = append(windows, [2]time.Time{w[0].Add(-300 * time.Millisecond), w[1]})
			case <-time.After(patience):
				must(fmt.Errorf("the actor wrote no checkpoint within %s", patience))
			}
		}
	})
	must(failed)
	longest = make([]time.Duration, len(windows)-1)
	for _, p := range probes {
		i := slices.IndexFunc(windows[1:], func(w [2]time.Time) bool { return p.at.Add(p.took).After(w[0]) && p.at.Before(w[1]) })
		if i < 0 {
			quiet = append(quiet, p.took)
			continue
		}
		during = append(during, p.took)
		longest[i] = max(longest[i], p.took)
	}
	return during, quiet, longest
}
