package folder

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/world"
)

// What changed between the map of an earlier run and the first scan is reported like any other change
// (P10.6): by its size, and by its time if it kept its size. The time of a change is that of the file, and only what
// changed within the last hour has a mark.
func TestFollowTellsWhatChangedBefore(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().Truncate(time.Millisecond)
	write := func(path, text string, ago time.Duration) {
		put(t, filepath.Join(dir, filepath.FromSlash(path)), text)
		must(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(path)), time.Time{}, now.Add(-ago)))
	}
	const week, day, minute = 7 * 24 * time.Hour, 24 * time.Hour, time.Minute
	for _, path := range []string{"src/longer.go", "src/same.go", "src/long ago.go", "src/old.go", "src/kept.go", "src/gone.go"} {
		write(path, "one", week)
	}
	write("src/ahead.go", "one", -week)
	tree, info, err := Scan(context.Background(), dir, Options{})
	must(t, err)
	first := &dungeon.Survey{Tree: tree, Head: info.Map}
	first.Head.ScannedAt = world.TimeOf(now.Add(-2 * day))

	write("src/longer.go", "longer", minute)
	write("src/same.go", "two", minute)
	write("src/long ago.go", "two", day)
	write("src/old.go", "longer", week) // as a copy that keeps the time
	write("src/new.go", "new", minute)
	write("new/a.go", "new", minute) // within a folder that is new itself
	must(t, os.Remove(filepath.Join(dir, "src", "gone.go")))

	w, err := NewWatcher(zerolog.Nop())
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	f := followFrom(t, w, dir, first)
	f.mu.Lock()
	told, last := f.changes[0], f.last
	f.mu.Unlock()
	if !told.All || told.Moment != "" {
		t.Errorf("all: %t, moment: %q", told.All, told.Moment)
	}
	ago := map[string]time.Duration{} // the age of files that were written since; any other change is from now
	var files []string
	for _, c := range told.Files {
		files = append(files, c.What+" "+c.Path)
		ago[c.Path] = now.Sub(c.At.Go())
	}
	want := []string{
		"created new", "created src/new.go", "removed src/gone.go", "changed src/long ago.go",
		"changed src/longer.go", "changed src/old.go", "changed src/same.go",
	}
	slices.Sort(want)
	if slices.Sort(files); !slices.Equal(files, want) {
		t.Errorf("told %q\nwant %q", files, want)
	}
	for path, want := range map[string]time.Duration{"src/longer.go": minute, "src/same.go": minute, "src/new.go": minute, "src/long ago.go": day} {
		if ago[path] != want {
			t.Errorf("%s changed %v ago, want %v", path, ago[path], want)
		}
	}
	for _, path := range []string{"src/old.go", "src/gone.go", "new"} {
		if ago[path] > 0 {
			t.Errorf("%s changed %v ago, want now", path, ago[path])
		}
	}
	marked := slices.Sorted(maps.Keys(last.Marks))
	if want := []string{"src/longer.go", "src/new.go", "src/old.go", "src/same.go"}; !slices.Equal(marked, want) {
		t.Errorf("marked are %q, want %q", marked, want)
	}
	if len(last.Gone) != 1 || last.Gone[0].Path != "src/gone.go" {
		t.Errorf("gone are %+v", last.Gone)
	}
}

// If a folder has not changed since the map of an earlier run, nothing is reported.
func TestFollowTellsNothingOfAFolderAsItWas(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "src", "a.go"), "one")
	must(t, os.Chtimes(filepath.Join(dir, "src", "a.go"), time.Time{}, time.Now().Add(-time.Minute)))
	tree, info, err := Scan(context.Background(), dir, Options{})
	must(t, err)
	w, err := NewWatcher(zerolog.Nop())
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	f := followFrom(t, w, dir, &dungeon.Survey{Tree: tree, Head: info.Map})
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.changes[0]; len(c.Files) > 0 || len(f.last.Marks) > 0 || c.Moment != "" {
		t.Errorf("told %+v, marked %+v", c, f.last.Marks)
	}
}

// A folder was scanned before it was watched, so that a change between both has no event. The scan that sees the
// change takes place even if the only events until then are of files that the map does not show.
func TestFollowLooksAgainWhateverHappens(t *testing.T) {
	dir := newRepo(t)
	put(t, filepath.Join(dir, ".gitignore"), "*.log\n")
	put(t, filepath.Join(dir, "src", "a.go"), "one")
	w, err := NewWatcher(zerolog.Nop())
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	f := &follower{w: w, path: dir, box: newMailbox(), dirs: map[string]bool{}}
	defer w.leave(f.box)
	_, info, err := Scan(context.Background(), dir, Options{Stamps: true})
	must(t, err)
	f.watch(&info, nil, false)
	f.box.put(fsnotify.Event{Name: filepath.Join(dir, "server.log"), Op: fsnotify.Write})
	f.box.put(fsnotify.Event{Name: filepath.Join(dir, ".git", "index.lock"), Op: fsnotify.Create})
	if !f.needsRescan(f.box.take()) {
		t.Error("no scan follows the one before the watch")
	}
	f.watch(&info, nil, false)
	f.box.put(fsnotify.Event{Name: filepath.Join(dir, "server.log"), Op: fsnotify.Write})
	if f.needsRescan(f.box.take()) {
		t.Error("a log that is ignored leads to a scan of what has been watched for long")
	}
}
