package journal

import "sync"

// logLimits are the sizes of the log, in bytes, at which it is moved into the database.
type logLimits struct {
	Idle int64 // when nothing waits to be committed, a log of this size or more is emptied, which takes two syncs
	Move int64 // a log of this size or more is moved by the background goroutine; an opening reads a smaller log quickly
	Step int64 // how much the log grows between two moves
	// Stop is the size from which a commit moves the log itself. The log can grow that far if commits follow each
	// other without a pause, if the disk refuses checkpoints, or if a reader never ends.
	Stop int64
}

var defaultLogLimits = logLimits{Idle: 1 << 20, Move: 4 << 20, Step: 1 << 20, Stop: 64 << 20}

// logKeeper decides when a database's log is moved into the database.
type logKeeper struct {
	db   *database
	kick chan struct{} // signals the background goroutine; capacity 1

	mu       sync.Mutex // lock order: this mutex before the database's
	limits   logLimits
	nextKick int64 // log size at which the next signal is sent
}

func newLogKeeper(db *database) *logKeeper {
	return &logKeeper{db: db, kick: make(chan struct{}, 1), limits: defaultLogLimits, nextKick: defaultLogLimits.Move}
}

// poke signals the background goroutine, which then moves the log into the database and tidies.
func (l *logKeeper) poke() {
	select {
	case l.kick <- struct{}{}:
	default: // a signal is already pending
	}
}

// grown is called after each commit. If the log is too large, grown moves the log or makes the background
// goroutine move it.
func (l *logKeeper) grown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := l.db.logBytes()
	switch {
	case size < l.limits.Move:
		l.nextKick = l.limits.Move
	case size >= l.limits.Stop:
		// While this goroutine holds the database's lock, no commit runs, so the whole log can be moved. Errors are dropped:
		// the log still has everything, and the next commit returns the disk's error.
		l.db.mu.Lock()
		defer l.db.mu.Unlock()
		if l.db.w == nil {
			return
		}
		l.db.moving.Lock() // if the background goroutine is moving the log, this waits until it has finished
		defer l.db.moving.Unlock()
		if all, err := l.db.w.Checkpoint("PASSIVE"); all && err == nil {
			l.nextKick = l.limits.Move
		}
	case size >= l.nextKick:
		l.nextKick = size + l.limits.Step
		l.poke()
	}
}

// empty moves the log into the database and truncates it, unless the log has less than minBytes. done is false if
// the log was not emptied: it was too short, a reader prevented it, or it is unknown whether the last transaction
// was stored.
func (l *logKeeper) empty(minBytes int64) (done bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.db.mu.Lock()
	defer l.db.mu.Unlock()
	if err := l.db.writable(); err != nil || l.db.unsure || l.db.logBytes() < minBytes {
		return false, err
	}
	if done, err = l.db.emptyLog(); done && err == nil {
		l.nextKick = l.limits.Move
	}
	return done, err
}
