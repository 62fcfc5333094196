package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/server/realm"
	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// probeEvery is how often the actor is asked for a turn: often enough to fall into
// every pause of half a millisecond, seldom enough to leave the cores alone.
const probeEvery = 250 * time.Microsecond

// saves is how many checkpoints are waited for; each comes a second after a change.
const saves = 12

// timedFiles notes when a checkpoint is written.
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

// probe is one turn that was asked for.
type probe struct {
	at   time.Time
	took time.Duration
}

// pause is how long others wait for the actor while a world of 10 MB is saved. The
// probe is an attach that has missed nothing: it needs a turn and little else. It
// runs in this process, because the wire's own delays are as long as the pause.
func (b *bench) pause(ctx context.Context) ([]figure, error) {
	killed, err := b.folder()
	if err != nil {
		return nil, err
	}
	id, _, err := largeRealm(killed)
	if err != nil {
		return nil, fmt.Errorf("make a large realm: %w", err)
	}
	const name = "actor's turn (attach) "
	p99 := figure{name: name + "while 10 MB are saved, p99", unit: seconds, bare: "the same, nothing saved", aim: aim{below, 5e-3}}
	worst := figure{name: name + "while 10 MB are saved, longest of each save", unit: seconds, bare: "world.Clone alone, p99"}
	p50 := figure{name: name + "while 10 MB are saved, p50", unit: seconds, bare: "the same, nothing saved"}
	snapshot := figure{name: "attach with a snapshot of 10 MB: the actor's turn", unit: seconds, bare: "an attach with a replay", aim: aim{below, 5e-3}}
	for range b.fewRuns() {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		if err := b.pauseOnce(ctx, filepath.Join(killed, id), &p50, &p99, &worst, &snapshot); err != nil {
			return nil, err
		}
	}
	return []figure{p50, p99, worst, snapshot}, nil
}

func (b *bench) pauseOnce(ctx context.Context, killed string, p50, p99, worst, snapshot *figure) (err error) {
	dir, err := b.folder()
	if err != nil {
		return err
	}
	if err := copyFolder(killed, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o, err := store.OpenRealm(ctx, afero.NewOsFs(), dir, world.Realm{ID: filepath.Base(killed), Name: "Large", Tenant: "default"}, world.DefaultSettings(), time.Now())
	if err != nil {
		return err
	}
	clones := make([]time.Duration, 0, 200)
	for range cap(clones) {
		begin := time.Now()
		o.Saved.World.Clone()
		clones = append(clones, time.Since(begin))
	}
	files := timedFiles{o.Files, make(chan [2]time.Time, 4*saves)}
	r := realm.Start(realm.Config{
		Saved: o.Saved, Journal: o.Journal, Files: files, Templates: noTemplates{}, Drivers: noDrivers{},
		Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {},
	})
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTime)
		defer cancel()
		_, stopErr := r.Stop(stop)
		err = errors.Join(err, stopErr)
	}()
	var probes []probe
	var failed error
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { probes, failed = prober(ctx, r, end) })
	// What the opening changed is saved first.
	var windows [][2]time.Time
	for i := range saves + 1 {
		if i > 0 {
			in := realm.Input{
				From:    realm.Person{SpectatorID: "s", Name: "person", Color: "#aabbcc", Role: wire.RoleHost},
				Command: &wire.SpectatorSay{Text: say(i)},
			}
			if e := r.Submit(in); e != nil {
				close(end)
				wg.Wait()
				return e
			}
		}
		select {
		case w := <-files.wrote:
			if i > 0 {
				// The clone and its encoding come before the writing, within less than this.
				windows = append(windows, [2]time.Time{w[0].Add(-300 * time.Millisecond), w[1]})
			}
		case <-time.After(patience):
			close(end)
			wg.Wait()
			return fmt.Errorf("no checkpoint in %s", patience)
		}
	}
	close(end)
	wg.Wait()
	if failed != nil {
		return failed
	}
	during, quiet, longest := sortProbes(probes, windows)
	p50.ours, p50.limit = append(p50.ours, percentile(during, 50)), append(p50.limit, percentile(quiet, 50))
	p99.ours, p99.limit = append(p99.ours, percentile(during, 99)), append(p99.limit, percentile(quiet, 99))
	worst.ours, worst.limit = append(worst.ours, percentile(longest, 50)), append(worst.limit, percentile(clones, 99))
	took, err := snapshots(ctx, r)
	snapshot.ours, snapshot.limit = append(snapshot.ours, percentile(took, 50)), append(snapshot.limit, percentile(quiet, 50))
	return err
}

// prober asks for turns until end.
func prober(ctx context.Context, r *realm.Realm, end <-chan struct{}) ([]probe, error) {
	var out []probe
	for {
		select {
		case <-end:
			return out, nil
		case <-time.After(probeEvery):
		}
		epoch, seq := r.Position()
		begin := time.Now()
		v, err := r.Attach(ctx, realm.Position{Epoch: &epoch, LastSeq: &seq})
		if err != nil {
			return out, err
		}
		out = append(out, probe{begin, time.Since(begin)})
		v.Close()
	}
}

// sortProbes tells those that a save may have held up from the rest, and gives the
// longest of each save.
func sortProbes(probes []probe, windows [][2]time.Time) (during, quiet, longest []time.Duration) {
	longest = make([]time.Duration, len(windows))
	for _, p := range probes {
		i := slices.IndexFunc(windows, func(w [2]time.Time) bool {
			return p.at.Add(p.took).After(w[0]) && p.at.Before(w[1])
		})
		if i < 0 {
			quiet = append(quiet, p.took)
			continue
		}
		during = append(during, p.took)
		longest[i] = max(longest[i], p.took)
	}
	return during, quiet, longest
}

// snapshots are newcomers: they need the whole world.
func snapshots(ctx context.Context, r *realm.Realm) ([]time.Duration, error) {
	var took []time.Duration
	for range 20 {
		begin := time.Now()
		v, err := r.Attach(ctx, realm.Position{})
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
		v.Close()
	}
	return took, nil
}
