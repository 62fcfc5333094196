package crashfs

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file and, if synced is set, syncs its bytes.
func put(t *testing.T, fsys afero.Fs, name, text string, synced bool) {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	if synced {
		must(t, f.Sync())
	}
	must(t, f.Close())
}

func syncDir(t *testing.T, fsys afero.Fs, name string) {
	t.Helper()
	f, err := fsys.Open(name)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
}

// outcomes returns what a file may hold after a power cut at this moment; "-" means that there is no file.
func outcomes(t *testing.T, d *Disk, name string) []string {
	t.Helper()
	seen := map[string]bool{}
	for _, loss := range d.Losses() {
		for seed := range uint64(50) {
			loss.Seed = seed
			b, err := afero.ReadFile(d.Crash(loss), name)
			switch {
			case err == nil:
				seen[string(b)] = true
			case errors.Is(err, fs.ErrNotExist):
				seen["-"] = true
			default:
				t.Fatal(err)
			}
		}
	}
	var out []string
	for s := range seen {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func TestPowerCut(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(*Disk)
		want []string
	}{
		{"nothing synced", func(d *Disk) { put(t, d, "/a", "ab", false) }, []string{"", "\x00\x00", "-", "a", "ab"}},
		{"only the file synced", func(d *Disk) { put(t, d, "/a", "ab", true) }, []string{"-", "ab"}},
		{"only the folder synced", func(d *Disk) {
			put(t, d, "/a", "ab", false)
			syncDir(t, d, "/")
		}, []string{"", "\x00\x00", "a", "ab"}},
		{"both synced", func(d *Disk) {
			put(t, d, "/a", "ab", true)
			syncDir(t, d, "/")
		}, []string{"ab"}},
		{"written over", func(d *Disk) {
			put(t, d, "/a", "old", true)
			syncDir(t, d, "/")
			put(t, d, "/a", "n", false)
		}, []string{"", "n", "o", "old"}},
		{"replaced by an unsynced file", func(d *Disk) {
			put(t, d, "/a", "old", true)
			syncDir(t, d, "/")
			put(t, d, "/b", "new", false)
			must(t, d.Rename("/b", "/a"))
		}, []string{"", "\x00\x00\x00", "n", "ne", "new", "old"}},
		{"replaced by a synced file", func(d *Disk) {
			put(t, d, "/a", "old", true)
			syncDir(t, d, "/")
			put(t, d, "/b", "new", true)
			must(t, d.Rename("/b", "/a"))
		}, []string{"new", "old"}},
		{"removed", func(d *Disk) {
			put(t, d, "/a", "old", true)
			syncDir(t, d, "/")
			must(t, d.Remove("/a"))
		}, []string{"-", "old"}},
		{"its folder is not synced", func(d *Disk) {
			must(t, d.Mkdir("/dir", 0o700))
			put(t, d, "/dir/a", "ab", true)
			syncDir(t, d, "/dir")
			must(t, d.Rename("/dir", "/a.dir"))
		}, []string{"-"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := NewDisk()
			tc.do(d)
			if got := outcomes(t, d, "/a"); !slices.Equal(got, tc.want) {
				t.Errorf("a power cut may leave %q, want %q", got, tc.want)
			}
		})
	}
}

// Syncing a folder also syncs the changes that its own changes depend on: a file that was moved
// into the folder is not in both folders after a power cut.
func TestSyncSettlesWhatItNeeds(t *testing.T) {
	d := NewDisk()
	must(t, d.Mkdir("/one", 0o700))
	must(t, d.Mkdir("/two", 0o700))
	syncDir(t, d, "/")
	put(t, d, "/one/a", "x", true)
	must(t, d.Rename("/one/a", "/two/a"))
	syncDir(t, d, "/two")
	for _, loss := range d.Losses() {
		after := d.Crash(loss)
		if _, err := after.Stat("/one/a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: the file is still in its old folder: %v", loss, err)
		}
		if _, err := after.Stat("/two/a"); err != nil {
			t.Errorf("%+v: the file is not in its new folder: %v", loss, err)
		}
	}
}

func TestCutAt(t *testing.T) {
	d := NewDisk()
	put(t, d, "/a", "ab", true) // create, write, sync
	if d.Ops() != 3 {
		t.Fatalf("%d operations, want 3", d.Ops())
	}
	d.CutAt(2)
	f, err := d.Create("/b")
	must(t, err)
	n, err := f.WriteString("12345678")
	if n != 4 || !errors.Is(err, ErrCut) {
		t.Errorf("a torn write: %d, %v", n, err)
	}
	for what, err := range map[string]error{"sync": f.Sync(), "remove": d.Remove("/a"), "close": f.Close()} {
		if !errors.Is(err, ErrCut) {
			t.Errorf("%s without power: %v", what, err)
		}
	}
	if _, err := d.Stat("/a"); !errors.Is(err, ErrCut) || !d.Cut() {
		t.Errorf("stat without power: %v", err)
	}
	kept := d.Crash(Loss{Entries: 2, Data: DataKept})
	if b, err := afero.ReadFile(kept, "/b"); err != nil || string(b) != "1234" {
		t.Errorf("after the cut the file holds %q, %v", b, err)
	}
	put(t, kept, "/c", "works", true)
}

func TestKill(t *testing.T) {
	d := NewDisk()
	put(t, d, "/a", "ab", true)
	next := d.Kill()
	if _, err := d.Stat("/a"); !errors.Is(err, ErrCut) {
		t.Errorf("a killed process still reads: %v", err)
	}
	if b, err := afero.ReadFile(next, "/a"); err != nil || string(b) != "ab" {
		t.Errorf("the next process reads %q, %v", b, err)
	}
	if got := outcomes(t, next, "/a"); !slices.Equal(got, []string{"-", "ab"}) {
		t.Errorf("a power cut after a kill may leave %q", got)
	}
}

// Disk behaves as the file system of the machine does: the same operations succeed and leave the
// same tree.
func TestDiskIsPOSIX(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		real := afero.NewBasePathFs(afero.NewOsFs(), t.TempDir())
		disk := NewDisk()
		names := []string{"/a", "/b", "/d", "/d/a", "/d/b", "/d/e", "/d/e/f"}
		name := func() string { return names[rng.IntN(len(names))] }
		for step := range 60 {
			what, do := randomStep(rng, name)
			want, got := do(real), do(disk)
			if (want == nil) != (got == nil) {
				t.Fatalf("seed %d step %d: %s: real %v, disk %v", seed, step, what, want, got)
			}
			if want, got := tree(t, real), tree(t, disk); want != got {
				t.Fatalf("seed %d step %d: after %s real is\n%s\ndisk is\n%s", seed, step, what, want, got)
			}
		}
	}
}

func randomStep(rng *rand.Rand, name func() string) (what string, do func(afero.Fs) error) {
	a, b, n := name(), name(), rng.IntN(9)
	switch rng.IntN(8) {
	case 0:
		return "mkdir " + a, func(f afero.Fs) error { return f.Mkdir(a, 0o700) }
	case 1:
		return "mkdirall " + a, func(f afero.Fs) error { return f.MkdirAll(a, 0o700) }
	case 2:
		return "remove " + a, func(f afero.Fs) error { return f.Remove(a) }
	case 3:
		return "rename " + a + " " + b, func(f afero.Fs) error { return f.Rename(a, b) }
	case 4:
		return "create exclusively " + a, func(f afero.Fs) error { return edit(f, a, os.O_CREATE|os.O_EXCL|os.O_WRONLY, n) }
	case 5:
		return "append " + a, func(f afero.Fs) error { return edit(f, a, os.O_APPEND|os.O_WRONLY, n) }
	case 6:
		return "removeall " + a, func(f afero.Fs) error {
			if a == "/d" {
				return f.RemoveAll(a)
			}
			return nil
		}
	default:
		return "write " + a, func(f afero.Fs) error { return edit(f, a, os.O_CREATE|os.O_RDWR, n) }
	}
}

func edit(fsys afero.Fs, name string, flag, n int) error {
	f, err := fsys.OpenFile(name, flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Repeat("x", n))
	if err == nil && flag&os.O_RDWR != 0 && n > 4 {
		_, err = f.WriteAt([]byte("at"), int64(n))
		err = errors.Join(err, f.Truncate(int64(n+1)))
		b := make([]byte, 3)
		if _, readErr := f.ReadAt(b, 1); readErr != nil || string(b) != "xxx" {
			err = errors.Join(err, fmt.Errorf("read %q, %w", b, readErr))
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func tree(t *testing.T, fsys afero.Fs) string {
	t.Helper()
	var b strings.Builder
	must(t, afero.Walk(fsys, "/", func(path string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			fmt.Fprintln(&b, filepath.ToSlash(path), "/")
			return err
		}
		data, err := afero.ReadFile(fsys, path)
		fmt.Fprintln(&b, filepath.ToSlash(path), info.Mode(), info.Size(), string(data))
		return err
	}))
	return b.String()
}

func TestFaults(t *testing.T) {
	for _, base := range []afero.Fs{afero.NewMemMapFs(), NewDisk()} {
		f := NewFaults(base)
		f.FailAt(2, syscall.ENOSPC)
		file, err := f.Create("/a")
		must(t, err)
		n, err := file.Write([]byte("12345678"))
		if n != 4 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("a faulty write: %d, %v", n, err)
		}
		if _, err := file.Write([]byte("9")); err != nil {
			t.Errorf("after the fault: %v", err)
		}
		f.FailFrom(1, syscall.EIO)
		if err := file.Close(); !errors.Is(err, syscall.EIO) {
			t.Errorf("a faulty close: %v", err)
		}
		if _, err := f.Stat("/a"); !errors.Is(err, syscall.EIO) {
			t.Errorf("a faulty stat: %v", err)
		}
		if err := f.Rename("/a", "/b"); !errors.Is(err, syscall.EIO) {
			t.Errorf("a faulty rename: %v", err)
		}
		f.Heal()
		if b, err := afero.ReadFile(f, "/a"); err != nil || string(b) != "12349" {
			t.Errorf("the file holds %q, %v", b, err)
		}
		var seen []string
		f.Script(func(op Op) error { seen = append(seen, op.Name+" "+op.Path); return nil })
		must(t, f.Rename("/a", "/b"))
		if !slices.Equal(seen, []string{"rename /b"}) {
			t.Errorf("the script saw %q", seen)
		}
	}
}
