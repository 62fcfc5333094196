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

// Watcher reports file system events in linked folders to their followers. A process has only one Watcher, because
// the kernel limits the number of watchers for each user. It watches folders and not files: the watch of a file
// would end when the file is replaced.
type Watcher struct {
	log    zerolog.Logger
	began  time.Time // the times of root checks are counted from here; see untilRootCheck
	events *fsnotify.Watcher
	failed chan struct{} // capacity 1: drain reports lost events to dispatch
	done   sync.WaitGroup

	mu sync.Mutex
	// dirs has the followers of each watched folder, by absolute path. The kernel limits the number
	// of folders; beyond the limit, add returns false.
	dirs map[string]map[*mailbox]bool
	all  map[*mailbox]bool
	full bool // set once the server has logged that the limit is reached
}

// NewWatcher starts the process's watcher. Close ends it.
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

// Close ends all watching. Followers receive no more events.
func (w *Watcher) Close() error {
	err := w.events.Close()
	w.done.Wait()
	return err
}

// dispatch passes file system events to the mailboxes of the followers. It runs in the watcher's goroutine and never
// waits for followers.
func (w *Watcher) dispatch() {
	for {
		select {
		case ev, ok := <-w.events.Events:
			if !ok {
				return
			}
			w.deliver(ev)
		case <-w.failed:
			w.rescanAll()
		}
	}
}

// drain receives errors in a goroutine of its own that takes no lock. fsnotify sends some
// errors while it holds the lock for adding and removing watches, which dispatch or a
// follower may be waiting for.
func (w *Watcher) drain() {
	for err := range w.events.Errors {
		// Events were lost, so every follower scans again.
		if !errors.Is(err, fsnotify.ErrEventOverflow) {
			w.log.Warn().Err(err).Msg("file events were lost; the linked folders are scanned again")
		}
		select {
		case w.failed <- struct{}{}:
		default: // dispatch has not received the last signal yet
		}
	}
}

func (w *Watcher) deliver(ev fsnotify.Event) {
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

// forget removes the watches of a renamed folder and of all folders below it. A kernel watch belongs to the folder
// and not to its name, so these watches would report events under the old names. forget removes them before a
// follower watches the folder under its new name, because that would be the same kernel watch. All followers then
// add their watches again. The caller holds mu.
func (w *Watcher) forget(renamed string) {
	for dir := range w.dirs {
		if inside(dir, renamed) {
			delete(w.dirs, dir)
			w.removeWatch(dir)
		}
	}
	w.rewatchAll(nil)
}

// removeWatch removes a kernel watch and reports whether there was one. A deleted folder has none.
func (w *Watcher) removeWatch(dir string) bool {
	err := w.events.Remove(dir)
	if err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) && !errors.Is(err, fsnotify.ErrClosed) {
		w.log.Debug().Err(err).Msg("the watch of a folder could not be removed")
	}
	return err == nil
}

// rewatchAll makes all followers add their watches again, except the one whose mailbox is the parameter but. A
// removed kernel watch may also have been the watch of another follower, under another name. The caller holds mu.
func (w *Watcher) rewatchAll(but *mailbox) {
	for m := range w.all {
		if m != but {
			m.demand(false, true)
		}
	}
}

// rescanAll makes all followers scan their folders again.
func (w *Watcher) rescanAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for m := range w.all {
		m.demand(true, false)
	}
}

// add watches a folder for m. It renews an existing watch, because another folder may have the path
// now. It returns false if the kernel allows no more watches.
func (w *Watcher) add(m *mailbox, dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.events.Add(dir)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		if !w.full {
			w.full = true
			w.log.Warn().Err(err).Msg("no more folders can be watched: " +
				"changes are found by scanning now and then (on Linux, raise fs.inotify.max_user_watches)")
		}
		return false
	}
	if err != nil {
		return true // deleted or unreadable: the scan reports it
	}
	if w.dirs[dir] == nil {
		w.dirs[dir] = map[*mailbox]bool{}
	}
	w.dirs[dir][m], w.all[m] = true, true
	return true
}

// remove ends m's watch of a folder.
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
		if w.removeWatch(dir) {
			w.rewatchAll(m)
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

// mailbox collects the events of one follower until its next scan.
type mailbox struct {
	kick chan struct{} // capacity 1

	mu sync.Mutex
	// touched maps the absolute paths of events to the operations of all events with that path. It has at most
	// maxTouched paths; if there are more, missed is set.
	touched map[string]fsnotify.Op
	missed  bool
	lost    bool // set if the follower must add all its watches again
	again   bool // set by repeat
}

// maxTouched is the maximum number of paths that a mailbox collects between two scans. If there are more, the
// follower compares everything, which gives the same result with less detail.
const maxTouched = 20_000

func newMailbox() *mailbox {
	return &mailbox{kick: make(chan struct{}, 1), touched: map[string]fsnotify.Op{}}
}

func (m *mailbox) put(ev fsnotify.Event) {
	if ev.Op == fsnotify.Chmod {
		return // the map does not show the modes of files
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

// demand asks the follower for another scan. The parameter missed says that touched lacks events, lost says that
// watches were lost. If lost is set, the follower also adds all its watches again.
func (m *mailbox) demand(missed, lost bool) {
	m.mu.Lock()
	m.missed, m.lost = m.missed || missed, m.lost || lost
	m.mu.Unlock()
	m.wake()
}

// repeat makes the follower scan once more, even if the collected events cannot change the map.
func (m *mailbox) repeat() {
	m.mu.Lock()
	m.again = true
	m.mu.Unlock()
	m.wake()
}

func (m *mailbox) wake() {
	select {
	case m.kick <- struct{}{}:
	default: // a signal is already pending
	}
}

// eventBatch has the events that a mailbox has collected.
type eventBatch struct {
	touched             map[string]fsnotify.Op
	missed, lost, again bool
}

// take empties the mailbox and returns what it contained.
func (m *mailbox) take() eventBatch {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := eventBatch{m.touched, m.missed, m.lost, m.again}
	m.touched, m.missed, m.lost, m.again = map[string]fsnotify.Op{}, false, false, false
	return n
}
