package journal

import "sync"

// logLimits are the sizes in bytes at which the log is moved into the database. From Idle on, emptying it
// while nothing happens is worth two syncs. From Move on, and again after each further Step, the background
// goroutine moves it; a smaller log is cheap to read at a start. From Stop on a commit moves the log
// itself, so that it cannot grow without bound: commits without a pause, a disk that refuses checkpoints or
// a reader that never ends can let it grow that far.
type logLimits struct{ Idle, Move, Step, Stop int64 }

var defaultLogLimits = logLimits{Idle: 1 << 20, Move: 4 << 20, Step: 1 << 20, Stop: 64 << 20}

// logKeeper decides when a database's log is moved.
type logKeeper struct {
	db   *database
	kick chan struct{} // capacity 1: a signal is pending for the background goroutine

	mu       sync.Mutex // taken before that of the database
	limits   logLimits
	nextKick int64 // log size at which the next signal is sent
}

func newLogKeeper(db *database) *logKeeper {
	return &logKeeper{db: db, kick: make(chan struct{}, 1), limits: defaultLogLimits, nextKick: defaultLogLimits.Move}
}

// poke tells the background goroutine to move the log and to tidy.
func (l *logKeeper) poke() {
	select {
	case l.kick <- struct{}{}:
	default: // a signal is already pending
	}
}

// grown checks the log's size. Each commit calls it.
func (l *logKeeper) grown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := l.db.logBytes()
	switch {
	case size < l.limits.Move:
		l.nextKick = l.limits.Move
	case size >= l.limits.Stop:
		// No commit runs now, so the whole log can be moved. Errors are ignored: the next commit
		// meets the disk's error, and the log still has everything.
		l.db.mu.Lock()
		defer l.db.mu.Unlock()
		if l.db.w == nil {
			return
		}
		l.db.moving.Lock() // waits until the goroutine has moved the log
		defer l.db.moving.Unlock()
		if all, err := l.db.w.Checkpoint("PASSIVE"); all && err == nil {
			l.nextKick = l.limits.Move
		}
	case size >= l.nextKick:
		l.nextKick = size + l.limits.Step
		l.poke()
	}
}

// idle empties the log if it is large enough. It does not wait for readers, because the next commit
// would wait too: if a reader prevents it, the next call tries again. Errors are ignored, because the
// next commit meets them.
func (l *logKeeper) idle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.emptyFrom(l.limits.Idle)
}

// empty moves the whole log into the database and cuts it to nothing. done is false if a reader prevents
// it or the outcome of a write is unknown.
func (l *logKeeper) empty() (done bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.emptyFrom(0)
}

// emptyFrom empties a log of at least that many bytes. mu is held.
func (l *logKeeper) emptyFrom(least int64) (done bool, err error) {
	l.db.mu.Lock()
	defer l.db.mu.Unlock()
	if err := l.db.writable(); err != nil || l.db.unsure || l.db.logBytes() < least {
		return false, err
	}
	if done, err = l.db.emptyLog(); done && err == nil {
		l.nextKick = l.limits.Move
	}
	return done, err
}
