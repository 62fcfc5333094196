package main

import (
	"path/filepath"
	"slices"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// probeEvery is the pause between two probes. It is short compared with a pause of the actor, and leaves the cores
// almost idle.
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

// pause measures how long saving a world of 10 MB delays the actor. The probe is a client that attaches and has
// missed nothing. It runs in this process, because the delays of the network are as long as the pause.
func (b *bench) pause() {
	killed := b.folder()
	id, _ := b.largeRealm(killed)
	const quiet, turn = "the same, nothing saved", "actor's turn (attach) while 10 MB are saved, "
	p99 := b.row(seconds, aim{below, 5e-3}, quiet, turn+"p99")
	p50 := b.row(seconds, noAim, quiet, turn+"p50")
	snapshot := b.row(seconds, aim{below, 5e-3}, "an attach with a replay", "attach with a snapshot of 10 MB: the actor's turn")
	b.times(b.few(), func() {
		dir := b.folder()
		copyFolder(filepath.Join(killed, id), dir)
		o := b.handed(dir, world.Realm{ID: id, Name: "Large", Tenant: "default"})
		files := timedFiles{o.Files, make(chan span, 4*saves)}
		r := b.run(o, func(c *realm.Config) { c.Files = files })
		during, alone := b.probed(r, files)
		p50.addPercentile(50, during, alone)
		p99.addPercentile(99, during, alone)
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
// attaches during a save and of all others.
func (b *bench) probed(r *realm.Realm, files timedFiles) (during, quiet []time.Duration) {
	var probes, written []span
	meanwhile(func() { written = b.saveAll(r, files) }, func() {
		time.Sleep(probeEvery)
		epoch, seq := r.Position()
		probes = append(probes, b.attach(r, watch.Position{Epoch: &epoch, LastSeq: &seq}))
	})
	for _, p := range probes {
		if slices.ContainsFunc(written, func(w span) bool { return p.end.After(w.begin) && p.begin.Before(w.end) }) {
			during = append(during, p.long())
		} else {
			quiet = append(quiet, p.long())
		}
	}
	return during, quiet
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
