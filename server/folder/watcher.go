package folder

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// Watcher tells who follows linked folders what happens in them. There is one in a
// process: the kernel gives each user few of them. Folders are watched, never
// files, for a file that is replaced loses its watch.
type Watcher struct {
	log    zerolog.Logger
	began  time.Time // see untilLook
	events *fsnotify.Watcher
	failed chan struct{} // holds one; see drain
	done   sync.WaitGroup

	mu sync.Mutex
	// dirs says who follows a watched folder, by absolute path. The kernel bounds how
	// many there may be; at that bound follower.add says so.
	dirs map[string]map[*mailbox]bool
	all  map[*mailbox]bool
	full bool // the bound was told
}

// NewWatcher makes the process's watcher. Close ends it.
func NewWatcher(log zerolog.Logger) (*Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch folders: %w", err)
	}
	out := &Watcher{
		log: log, began: time.Now(), events: w, failed: make(chan struct{}, 1),
		dirs: map[string]map[*mailbox]bool{}, all: map[*mailbox]bool{},
	}
	out.done.Go(out.dispatch)
	out.done.Go(out.drain)
	return out, nil
}

// Close ends all watching; who follows hears nothing more.
func (w *Watcher) Close() error {
	err := w.events.Close()
	w.done.Wait()
	return err
}

// dispatch is the watcher's goroutine. It never waits for who follows.
func (w *Watcher) dispatch() {
	for {
		select {
		case ev, ok := <-w.events.Events:
			if !ok {
				return
			}
			w.pass(ev)
		case <-w.failed:
			w.missed()
		}
	}
}

// drain takes errors as they come, in a goroutine of its own that waits for no lock: fsnotify
// reports some while it holds the lock that adding and removing a watch needs, and dispatch or
// a follower may be doing that.
func (w *Watcher) drain() {
	for err := range w.events.Errors {
		// The queue ran over, or something else was missed: all look again.
		if !errors.Is(err, fsnotify.ErrEventOverflow) {
			w.log.Warn().Err(err).Msg("watching folders failed for a moment; they are read again")
		}
		select {
		case w.failed <- struct{}{}:
		default: // dispatch is told already
		}
	}
}

func (w *Watcher) pass(ev fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, dir := range []string{ev.Name, filepath.Dir(ev.Name)} {
		for m := range w.dirs[dir] {
			m.put(ev)
		}
	}
	if ev.Op.Has(fsnotify.Rename) && w.dirs[ev.Name] != nil {
		w.forget(ev.Name)
	}
}

// forget ends the watches of a folder that was renamed, and of all below it: the kernel
// watches folders, not names, so these watches went with the folders and would tell of them
// under their old names. Nor could they be ended later: a folder that is watched under its
// new name has the same watch. Everybody adds their watches anew. mu is held.
func (w *Watcher) forget(renamed string) {
	for dir := range w.dirs {
		if inside(dir, renamed) {
			delete(w.dirs, dir)
			w.end(dir)
		}
	}
	w.lost(nil)
}

// end ends a watch and says whether there was one. One that was deleted has no watch any
// more: that is what was wanted.
func (w *Watcher) end(dir string) bool {
	err := w.events.Remove(dir)
	if err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) && !errors.Is(err, fsnotify.ErrClosed) {
		w.log.Debug().Err(err).Msg("end a watch")
	}
	return err == nil
}

// lost has everybody but one add their watches anew: the one that was ended may have been
// theirs under another name. mu is held.
func (w *Watcher) lost(but *mailbox) {
	for m := range w.all {
		if m != but {
			m.lostSome()
		}
	}
}

// missed lets everybody read their folder again.
func (w *Watcher) missed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for m := range w.all {
		m.missedSome()
	}
}

// add watches a folder for m, anew where it is watched already: another folder may
// have taken its place. It is false where the kernel allows no more.
func (w *Watcher) add(m *mailbox, dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.events.Add(dir)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		if !w.full {
			w.full = true
			w.log.Warn().Err(err).Msg("no more folders can be watched: changes are seen by reading them now and then (on Linux, raise fs.inotify.max_user_watches)")
		}
		return false
	}
	if err != nil {
		return true // it has gone, or cannot be read: the scan says so
	}
	if w.dirs[dir] == nil {
		w.dirs[dir] = map[*mailbox]bool{}
	}
	w.dirs[dir][m], w.all[m] = true, true
	return true
}

// remove ends the watch of a folder for m.
func (w *Watcher) remove(m *mailbox, dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(m, dir)
}

func (w *Watcher) drop(m *mailbox, dir string) {
	if !w.dirs[dir][m] {
		return
	}
	delete(w.dirs[dir], m)
	if len(w.dirs[dir]) == 0 {
		delete(w.dirs, dir)
		if w.end(dir) {
			w.lost(m)
		}
	}
}

// leave ends all watches of m.
func (w *Watcher) leave(m *mailbox) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for dir, who := range w.dirs {
		if who[m] {
			w.drop(m, dir)
		}
	}
	delete(w.all, m)
}

// mailbox gathers what happens for one who follows, until they look.
type mailbox struct {
	kick chan struct{} // holds one

	mu sync.Mutex
	// touched are absolute paths and what happened to them, at most maxTouched;
	// beyond that only that something was missed is known.
	touched map[string]fsnotify.Op
	missed  bool
	lost    bool // watches: all are to be added anew
}

// maxTouched bounds what is remembered between two looks; with more, everything is
// compared, which is as right and tells less.
const maxTouched = 20_000

func newMailbox() *mailbox {
	return &mailbox{kick: make(chan struct{}, 1), touched: map[string]fsnotify.Op{}}
}

func (m *mailbox) put(ev fsnotify.Event) {
	if ev.Op == fsnotify.Chmod {
		return // nothing of a mode is shown
	}
	m.mu.Lock()
	if _, known := m.touched[ev.Name]; known || len(m.touched) < maxTouched {
		m.touched[ev.Name] |= ev.Op
	} else {
		m.missed = true
	}
	m.mu.Unlock()
	m.wake()
}

func (m *mailbox) missedSome() {
	m.mu.Lock()
	m.missed = true
	m.mu.Unlock()
	m.wake()
}

func (m *mailbox) lostSome() {
	m.mu.Lock()
	m.lost = true
	m.mu.Unlock()
	m.wake()
}

func (m *mailbox) wake() {
	select {
	case m.kick <- struct{}{}:
	default: // it will look anyway
	}
}

// news is what a mailbox has gathered.
type news struct {
	touched      map[string]fsnotify.Op
	missed, lost bool
}

// take empties the box.
func (m *mailbox) take() news {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := news{m.touched, m.missed, m.lost}
	m.touched, m.missed, m.lost = map[string]fsnotify.Op{}, false, false
	return n
}
