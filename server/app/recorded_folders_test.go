package app_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/world"
)

// recordedDir is the folder that contains the linked folders of the recorded realms. Its path is fixed, because the
// realms store it. When the realms are opened, only the linked folder of the reviews exists.
const recordedDir = "/tmp/agentdungeon-recorded"

// flawed is a folder in which the scouts have findings.
var flawed = map[string]string{
	"go.mod":    "module example.org/flawed\n\ngo 1.26\n",
	"README.md": "# flawed\n\nRead [the guide](docs/guide.md).\n",
	"main.go": "package main\n\nimport (\n\t\"example.org/flawed/a\"\n\t\"os/exec\"\n)\n\nfunc main() {\n\ta.Do()\n\tname := \"x\"\n" +
		"\t_ = exec.Command(\"sh\", \"-c\", \"rm \"+name).Run()\n}\n",
	"a/a.go":          "package a\n\nimport \"example.org/flawed/b\"\n\n// Do does it.\nfunc Do() { b.Do() }\n",
	"b/b.go":          "package b\n\nimport \"example.org/flawed/a\"\n\n// Do does it.\nfunc Do() { a.Do() }\n",
	"src/Old.go.orig": "package old\n",
	"notes.txt":       "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
}

// folders lists the recorded worlds folders by the moment at which the server was killed. Each has one realm.
var folders = []string{
	"cut-process", "paused-process", "cut-council", "cut-tool", "cut-party", "cut-forge", "whole", "erased", "resumed",
	"review-analysing", "review-crossing", "review-judging", "review-whole",
}

// files has the files of a recorded folder by path.
type files map[string]string

// session writes the files of f to the disk, except those named in without, and returns a session that can play on
// this worlds folder.
func (f files) session(t *testing.T, cast string, without ...string) *session {
	t.Helper()
	dir := t.TempDir()
	lay(t, dir, f)
	s := &session{t: t, dir: dir, worlds: dir, repo: filepath.Join(recordedDir, "flawed"), cast: cast}
	for path, text := range f {
		if strings.HasSuffix(path, "/state.json") {
			var c world.Checkpoint
			if err := json.Unmarshal([]byte(text), &c); err != nil {
				t.Fatal(err)
			}
			s.epoch = c.Epoch
		}
		if slices.Contains(without, filepath.Base(path)) {
			if err := os.Remove(filepath.Join(dir, path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// opened plays a script on a recorded folder, a day after the recording.
func opened(t *testing.T, f files, cast, script string, without ...string) (log string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pass(24 * time.Hour)
		s := f.session(t, filepath.Join(recorded, cast), without...)
		s.play(read(t, script))
		log = s.normal(s.log.String())
	})
	return log
}

// Each recorded folder opens with the same world, journal and transcripts as in the recorded version.
func TestRecordedFoldersOpen(t *testing.T) {
	alone(t)
	all := unpacked(t)
	var log strings.Builder
	for _, name := range folders {
		fmt.Fprintf(&log, "== %s\n%s", name, opened(t, all[name], "still.json", "open.txt"))
	}
	same(t, log.String(), "opened.zst")
}

// Without its checkpoints a recorded realm has the same world, folded from its journal.
func TestRecordedJournalsFold(t *testing.T) {
	alone(t)
	all := unpacked(t)
	for _, name := range folders {
		got := worldOf(t, opened(t, all[name], "still.json", "open.txt", "state.json", "state.prev.json"))
		if want := worldOf(t, opened(t, all[name], "still.json", "open.txt")); got != want {
			t.Errorf("%s: folded from its journal it is\n%.2000s\nfrom its checkpoint\n%.2000s", name, got, want)
		}
	}
}

// worldOf returns the world of the first snapshot in a log, without the fields that depend on the disk.
func worldOf(t *testing.T, log string) string {
	t.Helper()
	for line := range strings.Lines(log) {
		if _, frame, ok := strings.Cut(line, "< "); ok && strings.Contains(frame, `"type":"world:state"`) {
			var state struct{ World map[string]any }
			if err := json.Unmarshal([]byte(frame), &state); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"map", "mapTree", "country"} {
				delete(state.World, name)
			}
			text, err := json.MarshalIndent(state.World, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
	t.Fatal("there is no snapshot")
	return ""
}

// Work that a kill of the recorded version cut off continues to its end, as it did in that version.
func TestRecordedFoldersGoOn(t *testing.T) {
	alone(t)
	all := unpacked(t)
	var log strings.Builder
	for _, name := range folders {
		if strings.HasPrefix(name, "cut-") || name == "paused-process" {
			fmt.Fprintf(&log, "== %s\n%s", name, opened(t, all[name], "cast.json", "go-on.txt"))
		}
	}
	same(t, log.String(), "gone-on.zst")
}

// A review that was cut off ends with the findings of an undisturbed one. A second review continues from the
// first one and detects mended findings.
func TestRecordedReviewsGoOn(t *testing.T) {
	alone(t)
	all := unpacked(t)
	var log strings.Builder
	for _, name := range folders {
		if strings.HasPrefix(name, "review-") {
			lay(t, filepath.Join(recordedDir, "flawed"), flawed)
			s := all[name].session(t, "")
			s.pace = world.PaceInstant
			s.play(read(t, "review-again.txt"))
			fmt.Fprintf(&log, "== %s\n%s", name, s.normal(s.log.String()))
		}
	}
	same(t, log.String(), "reviewed.zst")
}

// alone locks the linked folder of the recorded realms for the duration of a test. Only tests of reviews create that
// folder, and a test in another process must not see how it appears and disappears.
func alone(t *testing.T) {
	t.Helper()
	lock, err := os.OpenFile(recordedDir+".lock", os.O_CREATE|os.O_RDWR, 0o666)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(os.RemoveAll(recordedDir), lock.Close()); err != nil {
			t.Error(err)
		}
	})
}

// record records the folders of the reviews and packs all recorded folders.
func record(t *testing.T, dir string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &session{t: t, dir: recordedDir, worlds: t.TempDir(), repo: filepath.Join(recordedDir, "flawed"), record: dir}
		lay(t, s.repo, flawed)
		s.play(read(t, "review.txt"))
	})
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range folders {
		root := filepath.Join(dir, name)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") || d.Name() == ".lock" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if err == nil {
				err = w.WriteHeader(&tar.Header{Name: filepath.ToSlash(rel), Mode: 0o600, Size: int64(len(data))})
			}
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		})
		if err = errors.Join(err, os.RemoveAll(root)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	squeeze(t, filepath.Join(dir, "folders.tar.zst"), out.Bytes())
}

// unpacked returns the files of the recorded folders by folder and path.
func unpacked(t *testing.T) map[string]files {
	t.Helper()
	all := map[string]files{}
	r := tar.NewReader(bytes.NewReader(unsqueeze(t, "folders.tar.zst")))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		data, readErr := io.ReadAll(r)
		if err = errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		folder, path, _ := strings.Cut(h.Name, "/")
		if all[folder] == nil {
			all[folder] = files{}
		}
		all[folder][path] = string(data)
	}
}
