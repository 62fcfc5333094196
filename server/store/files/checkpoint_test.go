package files_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

func TestCheckpointRoundTrip(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		home := files.OpenRealm(fsys, dir)
		_, err := home.LoadCheckpoint(files.StateFile)
		storetest.MustBe(t, err, disk.ErrMissing)
		for seq := range int64(4) {
			c := storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", seq))
			storetest.Must(t, home.WriteCheckpoint(c))
			got, err := files.OpenRealm(fsys, dir).LoadCheckpoint(files.StateFile)
			storetest.Must(t, err)
			if got.Epoch != c.Epoch || got.Seq != c.Seq || got.SavedAt != c.SavedAt {
				t.Errorf("seq %d: read %+v, wrote %+v", seq, got, c)
			}
			if want := storetest.WorldAt("r", seq); !reflect.DeepEqual(got.World, want) {
				t.Errorf("seq %d: read %+v, wrote %+v", seq, got.World, want)
			}
			if seq == 0 {
				continue
			}
			prev, err := home.LoadCheckpoint(files.PreviousFile)
			storetest.Must(t, err)
			if prev.Seq != seq-1 {
				t.Errorf("the previous generation of %d is %d", seq, prev.Seq)
			}
		}
		if got := storetest.Names(t, fsys, dir); !slices.Equal(got, []string{"state.json", "state.prev.json"}) {
			t.Errorf("the folder holds %q", got)
		}
		text := readFile(t, fsys, filepath.Join(dir, files.StateFile))
		if !strings.Contains(text, "\n  \"seq\": 3,\n  \"savedAt\": \"2023-11-14T22:13:20.003Z\",\n") ||
			!strings.Contains(text, "\n    \"realm\": {\n      \"id\": \"r\",\n") {
			t.Errorf("a person cannot read it: %s", text)
		}
	})
}

// A checkpoint of an earlier version lacks fields that this version has: they get their defaults
// (S3-18).
func TestOlderCheckpointGetsDefaults(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		writeFile(t, fsys, filepath.Join(dir, files.StateFile), sealed(`{"realm":{"id":"r","name":"R"},"tick":7}`, 7))
		c, err := files.OpenRealm(fsys, dir).LoadCheckpoint(files.StateFile)
		storetest.Must(t, err)
		want := world.New(world.Realm{ID: "r", Name: "R", Tenant: "default"})
		want.Tick = 7
		if !reflect.DeepEqual(c.World, want) {
			t.Errorf("loaded %+v, want %+v", c.World, want)
		}
	})
}

// sealed returns the content of state.json for a compact world.
func sealed(world string, seq int64) string {
	return fmt.Sprintf(`{"schema":1,"epoch":"e1","seq":%d,"savedAt":"2026-01-02T03:04:05Z","checksum":%q,"world":%s}`,
		seq, files.Checksum([]byte(world)), world)
}

func TestLoadCheckpointOfBadFile(t *testing.T) {
	good, err := files.EncodeCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 3)), 0)
	storetest.Must(t, err)
	text := string(good)
	cases := []struct {
		name, text string
		want       error
	}{
		{"empty", "", disk.ErrCorrupt},
		{"zeros", strings.Repeat("\x00", 100), disk.ErrCorrupt},
		{"not an object", `[1]`, disk.ErrCorrupt},
		{"null", `null`, disk.ErrCorrupt},
		{"no schema", strings.Replace(text, `"schema": 1`, `"schema": 0`, 1), disk.ErrCorrupt},
		{"schema is a word", strings.Replace(text, `"schema": 1`, `"schema": "1"`, 1), disk.ErrCorrupt},
		{"newer", strings.Replace(text, `"schema": 1`, `"schema": 2`, 1), disk.ErrNewer},
		{"newer and different", `{"schema":2,"seq":"x","world":7}`, disk.ErrNewer},
		{"no world", `{"schema":1,"epoch":"e1","seq":0,"checksum":""}`, disk.ErrCorrupt},
		{"world is null", sealed("null", 0), disk.ErrCorrupt},
		{"other seq", strings.Replace(text, `"seq": 3`, `"seq": 4`, 1), disk.ErrCorrupt},
		{"other checksum", strings.Replace(text, `"checksum": "sha256:`, `"checksum": "sha256:0`, 1), disk.ErrCorrupt},
		{"one letter of the world", strings.Replace(text, "The Cellar", "The cellar", 1), disk.ErrCorrupt},
		{"something after it", text + "{}", disk.ErrCorrupt},
		{"a world that cannot be", sealed(`{"tick":0,"processState":{"status":"running"}}`, 0), disk.ErrCorrupt},
		{"wrong types", sealed(`{"tick":"many"}`, 0), disk.ErrCorrupt},
		{"too deep", sealed(`{"tick":0,"x":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)+"}", 0), disk.ErrCorrupt},
		{"too deep a tree", sealed(`{"mapTree":`+strings.Repeat(`{"children":[`, 20_000)+strings.Repeat(`]}`, 20_000)+"}", 0), disk.ErrCorrupt},
	}
	for at := 1; at < len(text)-1; at += 7 { // cut anywhere (S3-17)
		cases = append(cases, struct {
			name, text string
			want       error
		}{fmt.Sprintf("cut at %d", at), text[:at], disk.ErrCorrupt})
	}
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		home := files.OpenRealm(fsys, dir)
		for _, tc := range cases {
			writeFile(t, fsys, filepath.Join(dir, files.StateFile), tc.text)
			c, err := home.LoadCheckpoint(files.StateFile)
			if c != nil || err == nil {
				t.Errorf("%s: loaded %+v", tc.name, c)
				continue
			}
			for _, kind := range []error{disk.ErrMissing, disk.ErrCorrupt, disk.ErrNewer} {
				if got := errors.Is(err, kind); got != (kind == tc.want) {
					t.Errorf("%s: error %v is %v: %v", tc.name, err, kind, got)
				}
			}
		}
		// An indented file with the same JSON is valid too.
		var indented bytes.Buffer
		storetest.Must(t, json.Indent(&indented, good, "\t", "    "))
		var fields map[string]json.RawMessage
		storetest.Must(t, json.Unmarshal(good, &fields))
		sorted, err := json.Marshal(fields)
		storetest.Must(t, err)
		for _, text := range []string{indented.String(), "\n " + string(sorted)} {
			writeFile(t, fsys, filepath.Join(dir, files.StateFile), text)
			if _, err := home.LoadCheckpoint(files.StateFile); err != nil {
				t.Errorf("%.60s...: %v", text, err)
			}
		}
	})
}

func TestLoadCheckpointOfStrangeFile(t *testing.T) {
	dir := t.TempDir()
	fsys := afero.NewOsFs()
	home := files.OpenRealm(fsys, dir)
	path := filepath.Join(dir, files.StateFile)

	storetest.Must(t, syscall.Mkfifo(path, 0o600)) // reading it would wait for ever
	_, err := home.LoadCheckpoint(files.StateFile)
	storetest.MustBe(t, err, disk.ErrCorrupt)
	storetest.Must(t, fsys.Remove(path))

	storetest.Must(t, fsys.Mkdir(path, 0o700))
	_, err = home.LoadCheckpoint(files.StateFile)
	storetest.MustBe(t, err, disk.ErrCorrupt)
	storetest.Must(t, fsys.Remove(path))

	f, err := fsys.Create(path)
	storetest.Must(t, err)
	storetest.Must(t, f.Truncate(files.MaxStateBytes+1)) // sparse: no bytes on disk
	storetest.Must(t, f.Close())
	_, err = home.LoadCheckpoint(files.StateFile)
	storetest.MustBe(t, err, disk.ErrCorrupt)
}

// After an error of the disk a file counts neither as missing nor as damaged, and nothing is set aside or
// overwritten.
func TestDiskErrorIsNotDamage(t *testing.T) {
	faults := crashfs.NewFaults(afero.NewMemMapFs())
	storetest.Must(t, files.OpenRealm(faults, "/r").WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1))))
	ops := faults.Ops()
	_, err := files.OpenRealm(faults, "/r").LoadCheckpoint(files.StateFile)
	storetest.Must(t, err)
	for k := range faults.Ops() - ops {
		home := files.OpenRealm(faults, "/r")
		faults.FailAt(k+1, syscall.EIO)
		// The last operations only sync the folder: their failure does not make the checkpoint
		// invalid.
		c, err := home.LoadCheckpoint(files.StateFile)
		if (c == nil) != errors.Is(err, syscall.EIO) {
			t.Errorf("operation %d: loaded %+v, %v", k+1, c, err)
		}
		if errors.Is(err, disk.ErrMissing) || errors.Is(err, disk.ErrCorrupt) || errors.Is(err, disk.ErrNewer) {
			t.Errorf("operation %d: %v", k+1, err)
		}
		faults.FailAt(k+1, syscall.EIO)
		if err := files.OpenRealm(faults, "/r").WriteCheckpoint(storetest.CheckpointOf(t, "e2", storetest.WorldAt("r", 2))); err != nil {
			storetest.MustBe(t, err, syscall.EIO)
		}
		faults.Heal()
		if got := storetest.Names(t, faults, "/r"); slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "aside") }) {
			t.Fatalf("operation %d: %q", k+1, got)
		}
	}
}

// A damaged state.json does not replace the last good state.prev.json (B10), and is kept for a person.
func TestDamagedStateDoesNotBecomePrevious(t *testing.T) {
	for name, damaged := range map[string]string{"damaged": "{", "newer": `{"schema": 99}`} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
				home := files.OpenRealm(fsys, dir)
				storetest.Must(t, home.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1))))
				storetest.Must(t, home.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 2))))
				writeFile(t, fsys, filepath.Join(dir, files.StateFile), damaged)

				home = files.OpenRealm(fsys, dir)
				storetest.Must(t, home.WriteCheckpoint(storetest.CheckpointOf(t, "e2", storetest.WorldAt("r", 3))))
				now, err := home.LoadCheckpoint(files.StateFile)
				storetest.Must(t, err)
				prev, err := home.LoadCheckpoint(files.PreviousFile)
				storetest.Must(t, err)
				if now.Seq != 3 || prev.Seq != 1 {
					t.Errorf("state.json is %d, state.prev.json %d; want 3 and 1", now.Seq, prev.Seq)
				}
				aside := storetest.Names(t, fsys, dir)[0]
				if !strings.HasPrefix(aside, "state.aside-") || readFile(t, fsys, filepath.Join(dir, aside)) != damaged {
					t.Errorf("the damaged file was not kept: %q", storetest.Names(t, fsys, dir))
				}
			})
		})
	}
}

// A file may have its fields in any order, and whatever stands around its world must be JSON.
func TestLoadCheckpointOfAnotherLayout(t *testing.T) {
	good, err := files.EncodeCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 3)), 5)
	storetest.Must(t, err)
	want, err := files.DecodeCheckpoint(good)
	storetest.Must(t, err)
	var fields map[string]json.RawMessage
	storetest.Must(t, json.Unmarshal(good, &fields))
	inOrder := func(names ...string) string {
		out := "{"
		for i, name := range names {
			if i > 0 {
				out += ","
			}
			out += strconv.Quote(name) + " : " + string(fields[name])
		}
		return out + "}"
	}
	names := []string{"schema", "epoch", "seq", "savedAt", "messages", "checksum", "world"}
	fields["other"] = json.RawMessage(`{"world": [1, {"world": {}}]}`)
	for _, text := range []string{
		inOrder(names...), inOrder("world", "checksum", "messages", "savedAt", "seq", "epoch", "schema"),
		inOrder(append([]string{"other"}, names...)...), inOrder(append(slices.Clone(names), "other")...),
	} {
		if got, err := files.DecodeCheckpoint([]byte(text)); !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("read %+v, %v; want %+v: %.200s", got, err, want, text)
		}
	}
	text := inOrder(names...)
	for _, bad := range []string{
		strings.Replace(text, `"world" :`, `"world" `, 1), strings.Replace(text, `"world" :`, `"world" ;`, 1),
		text[:len(text)-1], text[:len(text)-1] + "]", text + "}", text[1:], "[" + text[1:],
		strings.Replace(text, ",", ",,", 1), strings.Replace(text, `"world" :`, `"world" : {}, "world" :`, 1) + " x",
	} {
		if got, err := files.DecodeCheckpoint([]byte(bad)); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("read %+v, %v: %.200s", got, err, bad)
		}
	}
}

// An older checkpoint never replaces a newer one of the same epoch. A new epoch may begin with a lower seq.
func TestOlderCheckpointIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := files.OpenRealm(fsys, dir)
		storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 2))))
		if err := files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1))); err == nil {
			t.Error("an older checkpoint was written")
		}
		storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 2))))
		storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e2", storetest.WorldAt("r", 1))))
	})
}

func TestWriteCheckpointRefusesWhatItCouldNotLoad(t *testing.T) {
	files := files.OpenRealm(afero.NewMemMapFs(), "/r")
	for _, raw := range []string{"", "{", "{} {}"} {
		if err := files.WriteCheckpoint(world.Checkpoint{Epoch: "e1", World: json.RawMessage(raw)}); err == nil {
			t.Errorf("%q was written", raw)
		}
	}
}

func TestSetAside(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := files.OpenRealm(fsys, dir)
		all := map[string]bool{}
		for round := range 3 { // within a second: the names must differ all the same
			text := fmt.Sprint(round)
			for _, name := range []string{"realm.db", "realm.db-wal"} {
				writeFile(t, fsys, filepath.Join(dir, name), text)
			}
			got, err := files.SetAside("realm.db", "realm.db-wal", "realm.db-shm")
			storetest.Must(t, err)
			if len(got) != 2 || got[1] != got[0]+"-wal" || !strings.HasPrefix(got[0], "realm.aside-2") {
				t.Fatalf("new names are %q", got)
			}
			for _, name := range got {
				if all[name] || readFile(t, fsys, filepath.Join(dir, name)) != text {
					t.Errorf("round %d: %s was overwritten or is not the file", round, name)
				}
				all[name] = true
			}
		}
		if got := storetest.Names(t, fsys, dir); len(got) != 6 {
			t.Errorf("the folder holds %q", got)
		}
		got, err := files.SetAside("realm.db", "state.json")
		if got != nil || err != nil {
			t.Errorf("nothing there: %q, %v", got, err)
		}
	})
}

// Concurrent writers never mix their bytes (B10).
func TestParallelWritesDoNotMix(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		home := files.OpenRealm(fsys, dir)
		done := make(chan error)
		const writers = 8
		for n := range writers {
			go func() {
				err := home.WriteCheckpoint(storetest.CheckpointOf(t, fmt.Sprint("e", n), storetest.WorldAt("r", int64(n+1))))
				if err == nil {
					err = home.WriteVault(world.Vault{AgentID: "scout", Insights: []world.Insight{{Area: fmt.Sprint(n)}}})
				}
				done <- err
			}()
		}
		for range writers {
			storetest.Must(t, <-done)
		}
		for _, name := range []string{files.StateFile, files.PreviousFile} {
			if _, err := home.LoadCheckpoint(name); err != nil {
				t.Error(err)
			}
		}
		vaults, bad, err := home.LoadVaults()
		if len(vaults) != 1 || len(bad) != 0 || err != nil {
			t.Errorf("vaults %v, bad %v, %v", vaults, bad, err)
		}
	})
}

func FuzzLoadCheckpoint(f *testing.F) {
	good, err := files.EncodeCheckpoint(storetest.CheckpointOf(f, "e1", storetest.WorldAt("r", 2)), 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, false)
	f.Add([]byte(sealed(`{"tick":7}`, 7)), false)
	f.Add([]byte(",\n  \"world\": \n}\n"), false)
	f.Add([]byte(`{"schema":2}`), false)
	f.Add([]byte(storetest.CheckpointOf(f, "e1", storetest.WorldAt("r", 2)).World), true)
	f.Add([]byte(`{"processState":{"status":"running","template":{"stages":[{}]},"conversationId":"c","stageAttempt":1}}`), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal { // past the checksum
			var compact bytes.Buffer
			if json.Compact(&compact, data) != nil {
				return
			}
			var tick struct {
				Tick int64 `json:"tick"`
			}
			if json.Unmarshal(data, &tick) != nil {
				return
			}
			data = []byte(sealed(compact.String(), tick.Tick))
		}
		fsys := afero.NewMemMapFs()
		writeFile(t, fsys, "/r/state.json", string(data))
		home := files.OpenRealm(fsys, "/r")
		c, err := home.LoadCheckpoint(files.StateFile)
		if err != nil {
			if !errors.Is(err, disk.ErrCorrupt) && !errors.Is(err, disk.ErrNewer) {
				t.Fatalf("the file is %v", err)
			}
			storetest.Must(t, home.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1))))
			return
		}
		if err := c.World.Validate(); err != nil {
			t.Fatalf("a bad world was loaded: %v", err)
		}
		raw, err := world.EncodeState(c.World, c.Land)
		storetest.Must(t, err)
		storetest.Must(t, home.WriteCheckpoint(world.Checkpoint{Epoch: c.Epoch, Seq: c.Seq, SavedAt: c.SavedAt, World: raw}))
		again, err := home.LoadCheckpoint(files.StateFile)
		storetest.Must(t, err)
		again.Older = c.Older // an older world is written as one of today
		if !reflect.DeepEqual(c, again) {
			t.Fatalf("written and read again it is %+v, was %+v", again, c)
		}
	})
}

// A folder in the place of a checkpoint, made by a mistake or by the restore of a backup, is set aside with its
// content: the next checkpoint is written, and an erasure completes and names the folder.
func TestFolderInThePlaceOfACheckpoint(t *testing.T) {
	fsys, dir := afero.NewOsFs(), t.TempDir()
	home := files.OpenRealm(fsys, dir)
	seq := int64(0)
	write := func() error {
		seq++
		return home.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", seq)))
	}
	instead := func(name string) {
		t.Helper()
		storetest.Must(t, os.RemoveAll(filepath.Join(dir, name)))
		writeFile(t, fsys, filepath.Join(dir, name, "mine.txt"), "somebody's")
	}
	set := func(want int) {
		t.Helper()
		there := 0
		for _, name := range storetest.Names(t, fsys, dir) {
			if strings.Contains(name, ".aside-") && readFile(t, fsys, filepath.Join(dir, name, "mine.txt")) == "somebody's" {
				there++
			}
		}
		if there != want {
			t.Errorf("%d folders are set aside, want %d: %q", there, want, storetest.Names(t, fsys, dir))
		}
	}
	storetest.Must(t, write())
	storetest.Must(t, write())
	instead(files.PreviousFile)
	if err := write(); err != nil {
		t.Errorf("with a folder for the previous one: %v", err)
	}
	instead(files.StateFile)
	if err := write(); err != nil { // the first try does not look for a folder, the second does
		seq--
		if err := write(); err != nil {
			t.Errorf("with a folder for the newest one: %v", err)
		}
	}
	if got, err := home.LoadCheckpoint(files.StateFile); err != nil || got.Seq != seq {
		t.Fatalf("%+v, %v", got, err)
	}
	set(2)
	instead(files.PreviousFile)
	_, left, err := home.Forget(seq, seq, nil)
	if err != nil || len(left) != 3 {
		t.Errorf("an erasure: %q, %v", left, err)
	}
	set(3)
}
