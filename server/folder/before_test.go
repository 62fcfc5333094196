package folder

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

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
