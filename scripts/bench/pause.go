package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// checkpoint measures encoding and writing a world of 10 MB, without an actor.
func (b *bench) checkpoint() {
	encode := b.row(seconds, noAim, "copying its JSON", "encoding a world of 10 MB")
	write := b.row(seconds, noAim, "os.WriteFile + fsync", "checkpoint of 10 MB: check, indent, write, fsync, keep the old")
	w := world.New(world.Realm{ID: "large", Name: "Large", Tenant: "default"})
	for i := range largeFindings {
		w.Findings = append(w.Findings, finding(i, lampText).Finding)
	}
	dir := b.folder()
	home := files.OpenRealm(afero.NewOsFs(), dir)
	b.warmTimes(2*b.runs, func() {
		w.Tick++
		var raw []byte
		encode.time(func() { raw = get(json.Marshal(w)) }, func() { _ = slices.Clone(raw) })
		written := timed(func() {
			must(home.WriteCheckpoint(world.Checkpoint{Epoch: "e", Seq: w.Tick, SavedAt: 1, World: raw}))
		})
		data := get(os.ReadFile(filepath.Join(dir, files.StateFile)))
		write.addTook(written, timed(func() {
			f := get(os.OpenFile(b.file("plain"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600))
			_, err := f.Write(data)
			must(err, f.Sync(), f.Close())
		}))
	})
}

// probeEvery is the pause between two probes: short enough that a pause of half a millisecond delays one of them, long
// enough to leave the cores almost idle.
const probeEvery = 250 * time.Microsecond

// saves is the number of checkpoints of a repetition. Each comes a second after a change.
const saves = 12

// span is a time with a beginning and an end.
type span struct{ begin, end time.Time }

func (s span) long() time.Duration { return s.end.Sub(s.begin) }

// timedFiles sends the beginning and end of each write of a checkpoint to wrote.
type timedFiles struct {
	realm.Files
	wrote chan span
}

func (f timedFiles) WriteCheckpoint(c world.Checkpoint) error {
	begin := time.Now()
	err := f.Files.WriteCheckpoint(c)
	f.wrote <- span{begin, time.Now()}
	return err
}

// pause measures the delay of the actor's steps while a world of 10 MB is saved. The probe is an attach that has missed
// nothing: it needs one step and little else. It runs in this process, because the network's own delays are as long as
// the pause.
func (b *bench) pause() {
	killed := b.folder()
	id, _ := b.largeRealm(killed)
	const quiet, turn = "the same, nothing saved", "actor's turn (attach) while 10 MB are saved, "
	p99 := b.row(seconds, aim{below, 5e-3}, quiet, turn+"p99")
	worst := b.row(seconds, noAim, "world.Clone alone, p99", turn+"longest of each save")
	p50 := b.row(seconds, noAim, quiet, turn+"p50")
	snapshot := b.row(seconds, aim{below, 5e-3}, "an attach with a replay", "attach with a snapshot of 10 MB: the actor's turn")
	b.times(b.few(), func() {
		dir := b.folder()
		copyFolder(filepath.Join(killed, id), dir)
		o := b.handed(dir, world.Realm{ID: id, Name: "Large", Tenant: "default"})
		var clones []time.Duration
		for range 200 {
			clones = append(clones, timed(func() { o.Saved.World.Clone() }))
		}
		files := timedFiles{o.Files, make(chan span, 4*saves)}
		r := b.run(o, func(c *realm.Config) { c.Files = files })
		during, alone, longest := b.probed(r, files)
		p50.addPercentile(50, during, alone)
		p99.addPercentile(99, during, alone)
		worst.add(percentile(longest, 50), percentile(clones, 99))
		var took []time.Duration
		for range 20 {
			took = append(took, b.attach(r, watch.Position{}).long()) // no position: needs the whole world
		}
		snapshot.addPercentile(50, took, alone)
	})
}

// attach attaches a viewer to a realm, closes the viewer, and returns when the attach began and ended.
func (b *bench) attach(r *realm.Realm, at watch.Position) span {
	begin := time.Now()
	v := get(r.Attach(b.ctx, at))
	took := span{begin, time.Now()}
	v.Close()
	return took
}

// probed attaches one viewer after the other while saveAll saves the world repeatedly. It returns the durations of the
// attaches during a save (during), of all other attaches (quiet), and of the longest attach of each save (longest).
func (b *bench) probed(r *realm.Realm, files timedFiles) (during, quiet, longest []time.Duration) {
	var probes, written []span
	meanwhile(func() { written = b.saveAll(r, files) }, func() {
		time.Sleep(probeEvery)
		epoch, seq := r.Position()
		probes = append(probes, b.attach(r, watch.Position{Epoch: &epoch, LastSeq: &seq}))
	})
	longest = make([]time.Duration, len(written))
	for _, p := range probes {
		i := slices.IndexFunc(written, func(w span) bool { return p.end.After(w.begin) && p.begin.Before(w.end) })
		if i < 0 {
			quiet = append(quiet, p.long())
			continue
		}
		during = append(during, p.long())
		longest[i] = max(longest[i], p.long())
	}
	return during, quiet, longest
}

// saveAll changes the world and waits for the checkpoint, again and again. It returns the time of each save.
func (b *bench) saveAll(r *realm.Realm, files timedFiles) (written []span) {
	for i := range saves + 1 {
		if i > 0 {
			submit(r, nil, "", &wire.SpectatorSay{Text: say()})
		}
		w := await(b.patient("a checkpoint"), files.wrote)
		w.begin = w.begin.Add(-300 * time.Millisecond) // the actor clones and encodes the world before, in less time
		written = append(written, w)
	}
	return written[1:] // the first checkpoint stores the changes of the opening
}
