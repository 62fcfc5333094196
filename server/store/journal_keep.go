package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"

	"agentdungeon/shared/world"
)

// keptBases is how many worlds the journal keeps: the newest, and two more should
// it be damaged.
const keptBases = 3

// SaveBase keeps a world in the journal, so that older events may be trimmed and
// recovery has another place to begin. The newest three are kept.
func (j *Journal) SaveBase(c world.Checkpoint) error {
	return j.write("save a base", func() error {
		if c.Seq > j.head {
			return fmt.Errorf("%w: its seq %d is ahead of the head %d", errRefused, c.Seq, j.head)
		}
		if c.Seq < j.erasedAt {
			return nil // it holds what was erased since
		}
		return j.w.insertBase(c)
	})
}

func (w *writer) insertBase(c world.Checkpoint) error {
	if _, err := w.exec("INSERT OR REPLACE INTO bases (seq, epoch, saved_at, sum, world) VALUES (?, ?, ?, ?, ?)",
		c.Seq, c.Epoch, int64(c.SavedAt), frameSum(c.World, 0, ""), []byte(c.World)); err != nil {
		return err
	}
	_, err := w.exec("DELETE FROM bases WHERE seq NOT IN (SELECT seq FROM bases ORDER BY seq DESC LIMIT ?)", keptBases)
	return err
}

// trimChunk is how many events go in one transaction: commits come between.
const trimChunk = 2000

// Trim forgets the events before seq; transcripts stay. It never goes above the
// oldest kept base, so that recovery can always begin at one: what was asked for
// beyond that is an error and trims nothing. A block of events (journal_packs.go) goes
// as a whole or stays, so up to a block more than was asked for may be kept.
func (j *Journal) Trim(ctx context.Context, before int64) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("trim: %w", err)
		}
		var next int64
		err := j.write("trim", func() error {
			var oldest sql.NullInt64
			if err := one(context.Background(), j.w.conn, []any{&oldest}, "SELECT min(seq) FROM bases"); err != nil {
				return err
			}
			if !oldest.Valid || before > oldest.Int64+1 {
				return fmt.Errorf("%w: events from %d on are needed by the oldest base", errRefused, oldest.Int64+1)
			}
			next = min(before, j.floor.Load()+trimChunk)
			// A block goes as a whole, or stays.
			pack, err := packOf(context.Background(), j.w.conn, next, false)
			if err != nil {
				return err
			}
			if pack.from > 0 {
				next = pack.from
			}
			if next <= j.floor.Load() {
				next = j.floor.Load()
				return nil
			}
			if _, err := j.w.exec("DELETE FROM journal WHERE seq < ?", next); err != nil {
				return err
			}
			if _, err := j.w.exec("DELETE FROM journal_packs WHERE to_seq < ?", next); err != nil {
				return err
			}
			// A line that ended below the floor tells nobody anything any more.
			if _, err := j.w.exec("DELETE FROM line WHERE n < (SELECT max(n) FROM line WHERE from_seq <= ?)", next-1); err != nil {
				return err
			}
			return j.w.setMeta(metaFloor, strconv.FormatInt(next, 10))
		})
		if err != nil {
			return err
		}
		stuck := next <= j.floor.Load()
		j.floor.Store(next)
		if next >= before || stuck {
			return nil
		}
	}
}

// logLimits say when the log is moved into the database, in bytes. Below move it is
// cheap to read again at a start; idle makes emptying it worth two syncs; at stop,
// which commits without a pause, a disk that takes no checkpoints or a reader that
// never ends can cause, a commit moves it itself: the log never grows without bound.
type logLimits struct{ idle, move, step, stop int64 }

var defaultLogLimits = logLimits{idle: 1 << 20, move: 4 << 20, step: 1 << 20, stop: 64 << 20}

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
	case size < j.limits.move:
		j.nextKick = j.limits.move
	case size >= j.limits.stop:
		// Between two commits nobody appends, so all of it can go, once the mover is
		// through. An error is the disk's and the next commit's to tell: the log still
		// has everything.
		j.moving.Lock()
		defer j.moving.Unlock()
		if all, err := j.w.checkpoint("PASSIVE"); all && err == nil {
			j.nextKick = j.limits.move
		}
	case size >= j.nextKick:
		j.nextKick = size + j.limits.step
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
	if j.mover == nil { // only this goroutine sets it, only under gate's lock is it closed
		mover, err := openSQLite(context.Background(), j.driver, j.path, modeWrite, 1)
		if err != nil {
			return
		}
		j.mover = mover
	}
	if _, err := checkpoint(j.mover, "PASSIVE"); err != nil {
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
	if j.logBytes() < j.limits.idle {
		return
	}
	// It must not wait for a reader: the next commit would wait with it. An error is
	// the disk's and the next commit's to tell.
	if j.w.run("PRAGMA busy_timeout = 0") == nil {
		if all, err := j.w.checkpoint("TRUNCATE"); all && err == nil {
			j.nextKick = j.limits.move
		}
	}
	if err := j.w.run("PRAGMA busy_timeout = " + lockWait); err != nil {
		j.unsure = true // the handle is of no use; the next commit opens another
	}
}
