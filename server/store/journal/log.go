package journal

import (
	"context"
	"os"

	"agentdungeon/server/store/sqlite"
)

// logLimits say when the log is moved into the database, in bytes. Below move it is
// cheap to read again at a start; idle makes emptying it worth two syncs; at stop,
// which commits without a pause, a disk that takes no checkpoints or a reader that
// never ends can cause, a commit moves it itself: the log never grows without bound.
type logLimits struct{ Idle, Move, Step, Stop int64 }

var defaultLogLimits = logLimits{Idle: 1 << 20, Move: 4 << 20, Step: 1 << 20, Stop: 64 << 20}

func (j *Journal) logBytes() int64 {
	info, err := os.Stat(j.path + "-wal") // opens nothing
	if err != nil {
		return 0
	}
	return info.Size()
}

// askMove is called after each commit, with mu held. The log is cut when it begins
// anew (journal_size_limit), so its size says how much it holds.
func (j *Journal) askMove() {
	if j.tidyDue() {
		j.poke()
	}
	size := j.logBytes()
	switch {
	case size < j.limits.Move:
		j.nextKick = j.limits.Move
	case size >= j.limits.Stop:
		// Between two commits nobody appends, so all of it can go, once the mover is
		// through. An error is the disk's and the next commit's to tell: the log still
		// has everything.
		j.moving.Lock()
		defer j.moving.Unlock()
		if all, err := j.w.Checkpoint("PASSIVE"); all && err == nil {
			j.nextKick = j.limits.Move
		}
	case size >= j.nextKick:
		j.nextKick = size + j.limits.Step
		j.poke()
	}
}

// poke asks the mover. mu is held, and the journal is not closed.
func (j *Journal) poke() {
	select {
	case j.kick <- struct{}{}:
	default: // it has been asked
	}
}

// move is the goroutine that moves the log beside the commits, on a connection of
// its own. PASSIVE waits for nobody and nobody waits for it. What it could not do
// the next kick does: the log has everything until then.
func (j *Journal) move() {
	for range j.kick {
		j.gate.RLock()
		j.moving.Lock()
		j.moveOnce()
		j.moving.Unlock()
		j.gate.RUnlock()
		j.tidy()
	}
}

func (j *Journal) moveOnce() {
	if j.reader == nil {
		return // being opened again
	}
	if j.mover == nil && j.location.check() != nil {
		return // it would open another file
	}
	if j.mover == nil { // only this goroutine sets it, only under gate's lock is it closed
		mover, err := sqlite.Open(context.Background(), j.path, sqlite.ModeWrite, 1)
		if err != nil {
			return
		}
		j.mover = mover
	}
	if _, err := sqlite.Checkpoint(j.mover, "PASSIVE"); err != nil {
		return
	}
}

// Idle empties the log when it is worth it. It is called when nothing waits to be
// committed; a reader under way stops it, and then the next call does it.
func (j *Journal) Idle() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writable() != nil || j.unsure {
		return
	}
	if j.tidyDue() {
		j.poke()
	}
	if j.logBytes() < j.limits.Idle {
		return
	}
	// It must not wait for a reader: the next commit would wait with it. An error is
	// the disk's and the next commit's to tell.
	if j.w.Run("PRAGMA busy_timeout = 0") == nil {
		if all, err := j.w.Checkpoint("TRUNCATE"); all && err == nil {
			j.nextKick = j.limits.Move
		}
	}
	if err := j.w.Run("PRAGMA busy_timeout = " + sqlite.LockWait); err != nil {
		j.unsure = true // the handle is of no use; the next commit opens another
	}
}
