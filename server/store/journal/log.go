package journal

import "sync"

// logLimits say when the log is moved into the database, in bytes. Below Move it is
// cheap to read again at a start; Idle makes emptying it worth two syncs; at Stop,
// which commits without a pause, a disk that takes no checkpoints or a reader that
// never ends can cause, a commit moves it itself: the log never grows without bound.
type logLimits struct{ Idle, Move, Step, Stop int64 }

var defaultLogLimits = logLimits{Idle: 1 << 20, Move: 4 << 20, Step: 1 << 20, Stop: 64 << 20}

// logKeeper decides when the log of a database is moved.
type logKeeper struct {
	db   *database
	kick chan struct{} // holds one: the background goroutine has been asked already

	mu       sync.Mutex // taken before that of the database
	limits   logLimits
	nextKick int64 // size of the log that asks next
}

func newLogKeeper(db *database) *logKeeper {
	return &logKeeper{db: db, kick: make(chan struct{}, 1), limits: defaultLogLimits, nextKick: defaultLogLimits.Move}
}

// poke asks the background goroutine to move the log and to tidy.
func (l *logKeeper) poke() {
	select {
	case l.kick <- struct{}{}:
	default: // it has been asked
	}
}

// grown is called after each commit.
func (l *logKeeper) grown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := l.db.logBytes()
	switch {
	case size < l.limits.Move:
		l.nextKick = l.limits.Move
	case size >= l.limits.Stop:
		// Between two commits nobody appends, so all of it can go. An error is the disk's and the
		// next commit's to tell: the log still has everything.
		l.db.mu.Lock()
		defer l.db.mu.Unlock()
		if l.db.w == nil {
			return
		}
		l.db.moving.Lock() // the goroutine is through
		defer l.db.moving.Unlock()
		if all, err := l.db.w.Checkpoint("PASSIVE"); all && err == nil {
			l.nextKick = l.limits.Move
		}
	case size >= l.nextKick:
		l.nextKick = size + l.limits.Step
		l.poke()
	}
}

// idle empties the log when it is worth it. It does not wait for readers, because the next commit
// would wait with it: one that is in the way leaves the log to the next call. An error is the disk's
// and the next commit's to tell.
func (l *logKeeper) idle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.emptyFrom(l.limits.Idle)
}

// empty moves all of the log into the database and cuts it to nothing. done is false where a reader
// is in the way, or a write is in doubt.
func (l *logKeeper) empty() (done bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.emptyFrom(0)
}

// emptyFrom empties a log of at least so many bytes. mu is held.
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
