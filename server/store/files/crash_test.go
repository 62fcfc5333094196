package files_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/retention"
	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// newest returns the seq of the checkpoint that a start would use: of state.json, or else of state.prev.json. A power
// cut never leaves a damaged one.
func newest(t *testing.T, home *files.Realm) int64 {
	t.Helper()
	for _, name := range []string{files.StateFile, files.PreviousFile} {
		c, err := home.LoadCheckpoint(name)
		if err == nil {
			return c.Seq
		}
		if !errors.Is(err, disk.ErrMissing) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return 0
}

// saves writes the checkpoints after from, up to to. It returns the last one that was acknowledged and the last one
// that was tried.
func saves(files *files.Realm, t *testing.T, epoch string, from, to int64) (acked, tried int64) {
	acked = from
	for seq := from + 1; seq <= to; seq++ {
		tried = seq
		if err := files.WriteCheckpoint(storetest.CheckpointOf(t, epoch, storetest.WorldAt("r", seq))); err != nil {
			return acked, tried
		}
		acked = seq
	}
	return acked, tried
}

// After a power cut in any operation, whatever part of the unsynced data survives, there is a whole checkpoint: the
// acknowledged one or the one under way, never an older one or none (B10, S3-17). A second process on the same disk,
// after the cut or after a kill, is cut in any operation too.
func TestCheckpointsSurvivePowerCuts(t *testing.T) {
	const first, second = 3, 6
	for k := 1; ; k++ {
		disk := crashfs.NewDisk()
		disk.CutAt(k)
		acked, tried := saves(files.OpenRealm(disk, "/w/r"), t, "e1", 0, first)
		whole := !disk.Cut()
		losses := disk.Losses()
		for i, loss := range losses {
			after := disk.Crash(loss)
			found := newest(t, files.OpenRealm(after, "/w/r"))
			if found < acked || found > tried {
				t.Fatalf("cut at %d, %+v: found %d, acknowledged %d, tried %d", k, loss, found, acked, tried)
			}
			if i%5 == 0 || whole {
				secondLife(t, fmt.Sprintf("cut at %d, %+v", k, loss), found, second, func() *crashfs.Disk { return disk.Crash(loss) })
			}
		}
		found := newest(t, files.OpenRealm(disk.Crash(losses[len(losses)-1]), "/w/r"))
		secondLife(t, fmt.Sprintf("killed at %d", k), found, second, func() *crashfs.Disk {
			// Make the disk anew for each call, because the second process changes it.
			again := crashfs.NewDisk()
			again.CutAt(k)
			saves(files.OpenRealm(again, "/w/r"), t, "e1", 0, first)
			return again.Kill()
		})
		if whole {
			return
		}
	}
}

func secondLife(t *testing.T, before string, from, to int64, start func() *crashfs.Disk) {
	t.Helper()
	for k := 1; ; k++ {
		disk := start()
		disk.CutAt(k)
		home := files.OpenRealm(disk, "/w/r")
		if found := newest(t, home); found != from {
			t.Fatalf("%s: found %d, then %d", before, from, found)
		}
		acked, tried := saves(home, t, "e2", from, to)
		if acked == from {
			acked = 0 // this process has acknowledged nothing, and a cut after a kill may lose more
		}
		for _, loss := range disk.Losses() {
			if found := newest(t, files.OpenRealm(disk.Crash(loss), "/w/r")); found < acked || found > tried {
				t.Fatalf("%s, then cut at %d, %+v: found %d, acknowledged %d, tried %d", before, k, loss, found, acked, tried)
			}
		}
		if !disk.Cut() {
			if acked != to {
				t.Fatalf("%s: the next life saved %d of %d", before, acked, to)
			}
			return
		}
	}
}

// A fault in any operation, once or until it ends, is returned as an error and leaves the old or the new checkpoint,
// and the next write succeeds (B10, B24).
func TestCheckpointsSurviveFaults(t *testing.T) {
	faultKinds := []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS}
	for _, lasting := range []bool{false, true} {
		onEach(t, func(t *testing.T, base afero.Fs, dir string) {
			for k := 1; ; k++ {
				fault := faultKinds[k%len(faultKinds)]
				faults := crashfs.NewFaults(base)
				at := fmt.Sprintf("%s/r%d", dir, k)
				home := files.OpenRealm(faults, at)
				if acked, _ := saves(home, t, "e1", 0, 2); acked != 2 {
					t.Fatal("it fails without a fault")
				}
				if lasting {
					faults.FailFrom(k, fault)
				} else {
					faults.FailAt(k, fault)
				}
				ops := faults.Ops()
				acked, tried := saves(home, t, "e1", 2, 4)
				over := faults.Ops()-ops < k
				faults.Heal()
				if over != (acked == 4) {
					t.Fatalf("fault at %d: it was not told; acknowledged %d", k, acked)
				}
				if found := newest(t, files.OpenRealm(faults, at)); found < acked || found > tried {
					t.Fatalf("fault at %d: found %d, acknowledged %d, tried %d", k, found, acked, tried)
				}
				if acked, _ := saves(home, t, "e1", 4, 6); acked != 6 {
					t.Fatalf("fault at %d: it does not save afterwards", k)
				}
				if found := newest(t, files.OpenRealm(faults, at)); found != 6 {
					t.Fatalf("fault at %d: found %d afterwards", k, found)
				}
				if over {
					break
				}
			}
		})
	}
}

// view is the content of the server's own files, as an opened worlds folder returns it.
type view struct {
	realms map[string]int // findings by id
	active string
	passed world.Time // retention.json: the last pass
	vault  string     // the newest insight in the vault of realm a
}

func (v view) equal(o view) bool {
	return maps.Equal(v.realms, o.realms) && v.active == o.active && v.passed == o.passed && v.vault == o.vault
}

func (v view) with(change func(*view)) view {
	v.realms = maps.Clone(v.realms)
	change(&v)
	return v
}

func look(t *testing.T, s *files.Worlds) view {
	t.Helper()
	watch, err := s.LoadWatch()
	storetest.Must(t, err)
	v := view{realms: map[string]int{}, active: home(s).LastActive(), passed: watch.PassedAt}
	for _, e := range all(s) {
		v.realms[e.ID] = e.Findings
		files, err := of(s, e.Tenant).RealmFiles(e.ID)
		storetest.Must(t, err)
		if e.ID != "a" {
			continue
		}
		vaults, bad, err := files.LoadVaults()
		storetest.Must(t, err)
		if len(bad) > 0 {
			t.Fatalf("a vault is damaged: %q", bad)
		}
		for _, vault := range vaults {
			v.vault = vault.Insights[0].Text
		}
	}
	return v
}

// step is one change of the server's own files with its result.
type step struct {
	name string
	do   func(*files.Worlds) error
	want func(*view)
}

func steps() []step {
	create := func(id string) step {
		return step{"create " + id, func(s *files.Worlds) error {
			_, err := home(s).Create(world.Realm{ID: id, Name: id})
			return err
		}, func(v *view) { v.realms[id] = 0 }}
	}
	active := func(id string) step {
		return step{"activate " + id, func(s *files.Worlds) error { return home(s).SetLastActive(id) }, func(v *view) { v.active = id }}
	}
	vault := func(text string) step {
		return step{"vault " + text, func(s *files.Worlds) error {
			files, err := home(s).RealmFiles("a")
			if err != nil {
				return err
			}
			return files.WriteVault(world.Vault{AgentID: "scout", Insights: []world.Insight{{Text: text}}})
		}, func(v *view) { v.vault = text }}
	}
	passed := func(at world.Time) step {
		return step{fmt.Sprint("pass at ", int64(at)), func(s *files.Worlds) error {
			return s.SaveWatch(retention.Watch{PassedAt: at})
		}, func(v *view) { v.passed = at }}
	}
	return []step{
		{"create g", func(s *files.Worlds) error { // a guests' realm, in a folder of its own
			_, err := of(s, "guests").Create(world.Realm{ID: "g", Name: "g", Tenant: "guests"})
			return err
		}, func(v *view) { v.realms["g"] = 0 }},
		{"save g", func(s *files.Worlds) error {
			files, err := of(s, "guests").RealmFiles("g")
			if err != nil {
				return err
			}
			return files.WriteCheckpoint(world.Checkpoint{Epoch: "e1", World: json.RawMessage("{}")})
		}, func(*view) {}},
		{"remove g", func(s *files.Worlds) error { return of(s, "guests").Remove("g") }, func(v *view) { delete(v.realms, "g") }},
		create("a"), active("a"), vault("one"), passed(20),
		{"update a", func(s *files.Worlds) error {
			e, _ := home(s).Get("a")
			e.Findings = 7
			return home(s).Update(e.RealmInfo)
		}, func(v *view) { v.realms["a"] = 7 }},
		create("b"), active("b"), vault("two"), passed(30),
		{"remove a", func(s *files.Worlds) error { return home(s).Remove("a") }, func(v *view) { delete(v.realms, "a"); v.vault = "" }},
		{"remove b", func(s *files.Worlds) error { return home(s).Remove("b") }, func(v *view) { delete(v.realms, "b"); v.active = "" }},
	}
}

// After a power cut in any operation each of the server's own files, also the key, is as the last acknowledged change
// or the one under way has made it (B2, B10, S3-16).
func TestOwnFilesSurvivePowerCuts(t *testing.T) {
	for k := 1; ; k++ {
		disk := crashfs.NewDisk()
		disk.CutAt(k)
		acked := view{realms: map[string]int{}}
		next := acked
		var key []byte
		s, err := files.Open(disk, "/worlds", zerolog.Nop())
		if err == nil && !disk.Cut() {
			key = s.Secret()
			for _, st := range steps() {
				next = acked.with(st.want)
				if err := st.do(s); err != nil {
					storetest.MustBe(t, err, crashfs.ErrCut)
					break
				}
				acked = next
			}
		}
		for _, loss := range disk.Losses() {
			after, log := storetest.Open(t, disk.Crash(loss), "/worlds")
			if got := look(t, after); !got.equal(acked) && !got.equal(next) {
				t.Fatalf("cut at %d, %+v: found %+v, acknowledged %+v, about to be %+v\n%s", k, loss, got, acked, next, log)
			}
			if key != nil && !slices.Equal(after.Secret(), key) {
				t.Fatalf("cut at %d, %+v: another key\n%s", k, loss, log)
			}
			for _, dir := range []string{"/worlds", "/worlds/a", "/worlds/a/knowledge"} {
				if _, err := (*after.RootRef()).FS.Stat(dir); err != nil {
					continue
				}
				for _, name := range storetest.Names(t, (*after.RootRef()).FS, dir) {
					if name[0] == '.' && name != lock.FileName {
						t.Fatalf("cut at %d, %+v: %s/%s is left over", k, loss, dir, name)
					}
				}
			}
			if _, err := home(after).Create(world.Realm{Name: "after"}); err != nil {
				t.Fatalf("cut at %d, %+v: no realm can be made: %v", k, loss, err)
			}
		}
		if !disk.Cut() {
			if len(acked.realms) != 0 || acked.passed != 30 {
				t.Fatalf("the life was not whole: %+v", acked)
			}
			return
		}
	}
}

// A checkpoint that a start has read survives a power cut, even if the previous process was killed before it had
// synced it.
func TestWhatAStartHasReadStays(t *testing.T) {
	for k := 1; ; k++ {
		disk := crashfs.NewDisk()
		disk.CutAt(k)
		acked, _ := saves(files.OpenRealm(disk, "/r"), t, "e1", 0, 3)
		disk = disk.Kill()
		shown := newest(t, files.OpenRealm(disk, "/r"))
		for _, loss := range disk.Losses() {
			if found := newest(t, files.OpenRealm(disk.Crash(loss), "/r")); found != shown {
				t.Fatalf("killed at %d, then %+v: found %d, shown was %d", k, loss, found, shown)
			}
		}
		if acked == 3 {
			break
		}
	}
	for k := 1; ; k++ {
		disk := crashfs.NewDisk()
		disk.CutAt(k)
		if s, err := files.Open(disk, "/worlds", zerolog.Nop()); err == nil {
			for _, st := range steps() {
				if st.do(s) != nil {
					break
				}
			}
		}
		whole := !disk.Cut()
		killed := disk.Kill()
		s, _ := storetest.Open(t, killed, "/worlds")
		shown, key := look(t, s), s.Secret()
		for _, loss := range killed.Losses() {
			after, log := storetest.Open(t, killed.Crash(loss), "/worlds")
			if got := look(t, after); !got.equal(shown) || !slices.Equal(after.Secret(), key) {
				t.Fatalf("killed at %d, then %+v: found %+v, shown was %+v\n%s", k, loss, got, shown, log)
			}
		}
		if whole {
			return
		}
	}
}

// A fault in any operation of the server's own files is returned as an error and loses nothing. When it has ended,
// the same change succeeds (B10, B24). Readers find the old or the new state, in this process and after the next
// start.
func TestOwnFilesSurviveFaults(t *testing.T) {
	faultKinds := []error{syscall.ENOSPC, syscall.EIO}
	onEach(t, func(t *testing.T, base afero.Fs, dir string) {
		for n, st := range steps() {
			for k := 1; ; k++ {
				fault := faultKinds[k%len(faultKinds)]
				faults := crashfs.NewFaults(base)
				s, _ := storetest.Open(t, faults, fmt.Sprintf("%s/%d-%d", dir, n, k))
				for _, before := range steps()[:n] {
					storetest.Must(t, before.do(s))
				}
				old := look(t, s)
				want := old.with(st.want)
				faults.FailAt(k, fault)
				ops := faults.Ops()
				err := st.do(s)
				over := faults.Ops()-ops < k
				faults.Heal()
				if over && err != nil {
					t.Fatalf("%s without a fault: %v", st.name, err)
				}
				if err != nil {
					storetest.MustBe(t, err, fault)
				}
				got := look(t, s)
				if !got.equal(want) && (err == nil || !got.equal(old)) {
					t.Fatalf("%s, fault at %d (%v): seen %+v, was %+v, wanted %+v", st.name, k, err, got, old, want)
				}
				if err != nil && got.equal(old) {
					storetest.Must(t, st.do(s))
				}
				s, log := reopen(t, s)
				if got := look(t, s); !got.equal(want) {
					t.Fatalf("%s, fault at %d (%v): found %+v, wanted %+v\n%s", st.name, k, err, got, want, log)
				}
				storetest.Must(t, s.Close())
				if over {
					break
				}
			}
		}
	})
}

// A fault in any operation of Open affects only that start and loses nothing.
func TestOpenSurvivesFaults(t *testing.T) {
	onEach(t, func(t *testing.T, base afero.Fs, dir string) {
		s, _ := storetest.Open(t, base, dir)
		for _, st := range steps()[:12] {
			storetest.Must(t, st.do(s))
		}
		want, key := look(t, s), s.Secret()
		storetest.Must(t, s.Close())
		for k := 1; ; k++ {
			faults := crashfs.NewFaults(base)
			faults.FailAt(k, syscall.EIO)
			s, err := files.Open(faults, dir, zerolog.Nop())
			over := faults.Ops() < k
			faults.Heal()
			if err == nil {
				if _, err := home(s).Create(world.Realm{ID: fmt.Sprint("new", k), Name: "new"}); err != nil {
					t.Fatalf("fault at %d: %v", k, err)
				}
				if over {
					want.realms[fmt.Sprint("new", k)] = 0
				} else {
					storetest.Must(t, home(s).Remove(fmt.Sprint("new", k)))
				}
				storetest.Must(t, s.Close())
			} else if !errors.Is(err, syscall.EIO) {
				t.Fatalf("fault at %d: %v", k, err)
			}
			s, log := storetest.Open(t, base, dir)
			if got := look(t, s); !got.equal(want) || !slices.Equal(s.Secret(), key) {
				t.Fatalf("fault at %d (%v): found %+v, wanted %+v\n%s", k, err, got, want, log)
			}
			storetest.Must(t, s.Close())
			if over {
				return
			}
		}
	})
}
