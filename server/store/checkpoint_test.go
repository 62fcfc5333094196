package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/shared/world"
)

func TestCheckpointRoundTrip(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := OpenFiles(fsys, dir)
		_, err := files.LoadCheckpoint(StateFile)
		mustBe(t, err, ErrMissing)
		for seq := range int64(4) {
			c := checkpointOf(t, "e1", worldAt("r", seq))
			must(t, files.WriteCheckpoint(c))
			got, err := OpenFiles(fsys, dir).LoadCheckpoint(StateFile)
			must(t, err)
			if !reflect.DeepEqual(got.Checkpoint, c) {
				t.Errorf("seq %d: read %+v, wrote %+v", seq, got.Checkpoint, c)
			}
			if want := worldAt("r", seq); !reflect.DeepEqual(got.World, want) {
				t.Errorf("seq %d: read %+v, wrote %+v", seq, got.World, want)
			}
			if seq == 0 {
				continue
			}
			prev, err := files.LoadCheckpoint(PreviousFile)
			must(t, err)
			if prev.Seq != seq-1 {
				t.Errorf("the previous generation of %d is %d", seq, prev.Seq)
			}
		}
		if got := names(t, fsys, dir); !slices.Equal(got, []string{"state.json", "state.prev.json"}) {
			t.Errorf("the folder holds %q", got)
		}
		text := readFile(t, fsys, filepath.Join(dir, StateFile))
		if !strings.Contains(text, "\n  \"seq\": 3,\n  \"savedAt\": \"2023-11-14T22:13:20.003Z\",\n") ||
			!strings.Contains(text, "\n    \"realm\": {\n      \"id\": \"r\",\n") {
			t.Errorf("a person cannot read it: %s", text)
		}
	})
}

// A world written by an earlier version lacks fields that this one has (S3-18).
func TestOlderCheckpointGetsDefaults(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		writeFile(t, fsys, filepath.Join(dir, StateFile), sealed(`{"realm":{"id":"r","name":"R"},"tick":7}`, 7))
		c, err := OpenFiles(fsys, dir).LoadCheckpoint(StateFile)
		must(t, err)
		want := world.New(world.Realm{ID: "r", Name: "R", Tenant: "default"})
		want.Tick = 7
		if !reflect.DeepEqual(c.World, want) {
			t.Errorf("loaded %+v, want %+v", c.World, want)
		}
	})
}

// sealed is a checkpoint's file around a compact world.
func sealed(world string, seq int64) string {
	return fmt.Sprintf(`{"schema":1,"epoch":"e1","seq":%d,"savedAt":"2026-01-02T03:04:05Z","checksum":%q,"world":%s}`,
		seq, checksum([]byte(world)), world)
}

func TestLoadCheckpointOfBadFile(t *testing.T) {
	good, err := encodeCheckpoint(checkpointOf(t, "e1", worldAt("r", 3)), 0)
	must(t, err)
	text := string(good)
	cases := []struct {
		name, text string
		want       error
	}{
		{"empty", "", ErrCorrupt},
		{"zeros", strings.Repeat("\x00", 100), ErrCorrupt},
		{"not an object", `[1]`, ErrCorrupt},
		{"null", `null`, ErrCorrupt},
		{"no schema", strings.Replace(text, `"schema": 1`, `"schema": 0`, 1), ErrCorrupt},
		{"schema is a word", strings.Replace(text, `"schema": 1`, `"schema": "1"`, 1), ErrCorrupt},
		{"newer", strings.Replace(text, `"schema": 1`, `"schema": 2`, 1), ErrNewer},
		{"newer and different", `{"schema":2,"seq":"x","world":7}`, ErrNewer},
		{"no world", `{"schema":1,"epoch":"e1","seq":0,"checksum":""}`, ErrCorrupt},
		{"world is null", sealed("null", 0), ErrCorrupt},
		{"other seq", strings.Replace(text, `"seq": 3`, `"seq": 4`, 1), ErrCorrupt},
		{"other checksum", strings.Replace(text, `"checksum": "sha256:`, `"checksum": "sha256:0`, 1), ErrCorrupt},
		{"one letter of the world", strings.Replace(text, "The Cellar", "The cellar", 1), ErrCorrupt},
		{"something after it", text + "{}", ErrCorrupt},
		{"a world that cannot be", sealed(`{"tick":0,"processState":{"status":"running"}}`, 0), ErrCorrupt},
		{"wrong types", sealed(`{"tick":"many"}`, 0), ErrCorrupt},
		{"too deep", sealed(`{"tick":0,"x":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)+"}", 0), ErrCorrupt},
		{"too deep a tree", sealed(`{"mapTree":`+strings.Repeat(`{"children":[`, 20_000)+strings.Repeat(`]}`, 20_000)+"}", 0), ErrCorrupt},
	}
	for at := 1; at < len(text)-1; at += 7 { // cut anywhere (S3-17)
		cases = append(cases, struct {
			name, text string
			want       error
		}{fmt.Sprintf("cut at %d", at), text[:at], ErrCorrupt})
	}
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := OpenFiles(fsys, dir)
		for _, tc := range cases {
			writeFile(t, fsys, filepath.Join(dir, StateFile), tc.text)
			c, err := files.LoadCheckpoint(StateFile)
			if c != nil || err == nil {
				t.Errorf("%s: loaded %+v", tc.name, c)
				continue
			}
			for _, kind := range []error{ErrMissing, ErrCorrupt, ErrNewer} {
				if got := errors.Is(err, kind); got != (kind == tc.want) {
					t.Errorf("%s: error %v is %v: %v", tc.name, err, kind, got)
				}
			}
		}
		// What the JSON means is what counts, not how it is laid out.
		var indented bytes.Buffer
		must(t, json.Indent(&indented, good, "\t", "    "))
		var fields map[string]json.RawMessage
		must(t, json.Unmarshal(good, &fields))
		sorted, err := json.Marshal(fields)
		must(t, err)
		for _, text := range []string{indented.String(), "\n " + string(sorted)} {
			writeFile(t, fsys, filepath.Join(dir, StateFile), text)
			if _, err := files.LoadCheckpoint(StateFile); err != nil {
				t.Errorf("%.60s...: %v", text, err)
			}
		}
	})
}

func TestLoadCheckpointOfStrangeFile(t *testing.T) {
	dir := t.TempDir()
	fsys := afero.NewOsFs()
	files := OpenFiles(fsys, dir)
	path := filepath.Join(dir, StateFile)

	must(t, syscall.Mkfifo(path, 0o600)) // reading it would wait for ever
	_, err := files.LoadCheckpoint(StateFile)
	mustBe(t, err, ErrCorrupt)
	must(t, fsys.Remove(path))

	must(t, fsys.Mkdir(path, 0o700))
	_, err = files.LoadCheckpoint(StateFile)
	mustBe(t, err, ErrCorrupt)
	must(t, fsys.Remove(path))

	f, err := fsys.Create(path)
	must(t, err)
	must(t, f.Truncate(maxStateBytes+1)) // sparse: no bytes on disk
	must(t, f.Close())
	_, err = files.LoadCheckpoint(StateFile)
	mustBe(t, err, ErrCorrupt)
}

// An error of the disk says nothing about the file: it is neither missing nor
// damaged, and nothing is set aside or overwritten for it.
func TestDiskErrorIsNotDamage(t *testing.T) {
	faults := crashfs.NewFaults(afero.NewMemMapFs())
	must(t, OpenFiles(faults, "/r").WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 1))))
	ops := faults.Ops()
	_, err := OpenFiles(faults, "/r").LoadCheckpoint(StateFile)
	must(t, err)
	for k := range faults.Ops() - ops {
		files := OpenFiles(faults, "/r")
		faults.FailAt(k+1, syscall.EIO)
		// The last operations only settle the folder: what was read stands.
		c, err := files.LoadCheckpoint(StateFile)
		if (c == nil) != errors.Is(err, syscall.EIO) {
			t.Errorf("operation %d: loaded %+v, %v", k+1, c, err)
		}
		if errors.Is(err, ErrMissing) || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNewer) {
			t.Errorf("operation %d: %v", k+1, err)
		}
		faults.FailAt(k+1, syscall.EIO)
		if err := OpenFiles(faults, "/r").WriteCheckpoint(checkpointOf(t, "e2", worldAt("r", 2))); err != nil {
			mustBe(t, err, syscall.EIO)
		}
		faults.Heal()
		if got := names(t, faults, "/r"); slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "aside") }) {
			t.Fatalf("operation %d: %q", k+1, got)
		}
	}
}

// A damaged state.json must not push out the last good generation (B10), and is
// kept for a person.
func TestDamagedStateDoesNotBecomePrevious(t *testing.T) {
	for name, damaged := range map[string]string{"damaged": "{", "newer": `{"schema": 99}`} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
				files := OpenFiles(fsys, dir)
				must(t, files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 1))))
				must(t, files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 2))))
				writeFile(t, fsys, filepath.Join(dir, StateFile), damaged)

				files = OpenFiles(fsys, dir)
				must(t, files.WriteCheckpoint(checkpointOf(t, "e2", worldAt("r", 3))))
				now, err := files.LoadCheckpoint(StateFile)
				must(t, err)
				prev, err := files.LoadCheckpoint(PreviousFile)
				must(t, err)
				if now.Seq != 3 || prev.Seq != 1 {
					t.Errorf("state.json is %d, state.prev.json %d; want 3 and 1", now.Seq, prev.Seq)
				}
				aside := names(t, fsys, dir)[0]
				if !strings.HasPrefix(aside, "state.aside-") || readFile(t, fsys, filepath.Join(dir, aside)) != damaged {
					t.Errorf("the damaged file was not kept: %q", names(t, fsys, dir))
				}
			})
		})
	}
}

// Of one line, an older checkpoint never replaces a newer one; a new line may
// begin lower.
func TestOlderCheckpointIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := OpenFiles(fsys, dir)
		must(t, files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 2))))
		if err := files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 1))); err == nil {
			t.Error("an older checkpoint was written")
		}
		must(t, files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 2))))
		must(t, files.WriteCheckpoint(checkpointOf(t, "e2", worldAt("r", 1))))
	})
}

func TestWriteCheckpointRefusesWhatItCouldNotLoad(t *testing.T) {
	files := OpenFiles(afero.NewMemMapFs(), "/r")
	for _, raw := range []string{"", "{", "{} {}"} {
		if err := files.WriteCheckpoint(world.Checkpoint{Epoch: "e1", World: json.RawMessage(raw)}); err == nil {
			t.Errorf("%q was written", raw)
		}
	}
}

func TestSetAside(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := OpenFiles(fsys, dir)
		all := map[string]bool{}
		for round := range 3 { // within a second: the names must differ all the same
			text := fmt.Sprint(round)
			for _, name := range []string{"realm.db", "realm.db-wal"} {
				writeFile(t, fsys, filepath.Join(dir, name), text)
			}
			got, err := files.SetAside("realm.db", "realm.db-wal", "realm.db-shm")
			must(t, err)
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
		if got := names(t, fsys, dir); len(got) != 6 {
			t.Errorf("the folder holds %q", got)
		}
		got, err := files.SetAside("realm.db", "state.json")
		if got != nil || err != nil {
			t.Errorf("nothing there: %q, %v", got, err)
		}
	})
}

// Writers at once never mix their bytes (B10).
func TestParallelWritesDoNotMix(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		files := OpenFiles(fsys, dir)
		done := make(chan error)
		const writers = 8
		for n := range writers {
			go func() {
				err := files.WriteCheckpoint(checkpointOf(t, fmt.Sprint("e", n), worldAt("r", int64(n+1))))
				if err == nil {
					err = files.WriteVault(world.Vault{AgentID: "scout", Insights: []world.Insight{{Area: fmt.Sprint(n)}}})
				}
				done <- err
			}()
		}
		for range writers {
			must(t, <-done)
		}
		for _, name := range []string{StateFile, PreviousFile} {
			if _, err := files.LoadCheckpoint(name); err != nil {
				t.Error(err)
			}
		}
		vaults, bad, err := files.LoadVaults()
		if len(vaults) != 1 || len(bad) != 0 || err != nil {
			t.Errorf("vaults %v, bad %v, %v", vaults, bad, err)
		}
	})
}

func FuzzLoadCheckpoint(f *testing.F) {
	good, err := encodeCheckpoint(checkpointOf(f, "e1", worldAt("r", 2)), 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, false)
	f.Add([]byte(sealed(`{"tick":7}`, 7)), false)
	f.Add(append([]byte(worldKey), fileEnd...), false)
	f.Add([]byte(`{"schema":2}`), false)
	f.Add([]byte(checkpointOf(f, "e1", worldAt("r", 2)).World), true)
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
		files := OpenFiles(fsys, "/r")
		c, err := files.LoadCheckpoint(StateFile)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) {
				t.Fatalf("the file is %v", err)
			}
			must(t, files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", 1))))
			return
		}
		if err := c.World.Validate(); err != nil {
			t.Fatalf("a bad world was loaded: %v", err)
		}
		must(t, files.WriteCheckpoint(c.Checkpoint))
		again, err := files.LoadCheckpoint(StateFile)
		must(t, err)
		if !reflect.DeepEqual(c, again) {
			t.Fatalf("written and read again it is %+v, was %+v", again, c)
		}
	})
}

// A folder in the place of a generation (a mistake of somebody's, or of a restore of a
// backup) is set aside: the next checkpoint is written, an erasure has an end, and what is
// in the folder stays and is named.
func TestFolderInThePlaceOfACheckpoint(t *testing.T) {
	fsys, dir := afero.NewOsFs(), t.TempDir()
	files := OpenFiles(fsys, dir)
	seq := int64(0)
	write := func() error {
		seq++
		return files.WriteCheckpoint(checkpointOf(t, "e1", worldAt("r", seq)))
	}
	instead := func(name string) {
		t.Helper()
		must(t, os.RemoveAll(filepath.Join(dir, name)))
		writeFile(t, fsys, filepath.Join(dir, name, "mine.txt"), "somebody's")
	}
	set := func(want int) {
		t.Helper()
		there := 0
		for _, name := range names(t, fsys, dir) {
			if strings.Contains(name, ".aside-") && readFile(t, fsys, filepath.Join(dir, name, "mine.txt")) == "somebody's" {
				there++
			}
		}
		if there != want {
			t.Errorf("%d folders are set aside, want %d: %q", there, want, names(t, fsys, dir))
		}
	}
	must(t, write())
	must(t, write())
	instead(PreviousFile)
	if err := write(); err != nil {
		t.Errorf("with a folder for the previous one: %v", err)
	}
	instead(StateFile)
	if err := write(); err != nil { // it was not looked for; the try after it looks
		seq--
		if err := write(); err != nil {
			t.Errorf("with a folder for the newest one: %v", err)
		}
	}
	if got, err := files.LoadCheckpoint(StateFile); err != nil || got.Seq != seq {
		t.Fatalf("%+v, %v", got, err)
	}
	set(2)
	instead(PreviousFile)
	_, left, err := files.Forget(seq, seq, nil)
	if err != nil || len(left) != 3 {
		t.Errorf("an erasure: %q, %v", left, err)
	}
	set(3)
}
