package erasure

import (
	"context"
	"time"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// How a redaction writes: in short transactions of its own, between which commits come.

// redaction is one erasure at work in the tables.
type redaction struct {
	j         *journal.Journal
	scope     world.Scope
	told      *world.HistoryErased
	out       world.Redacted
	upTo      int64          // the seq of told: later events are not erased
	seqs      map[int64]bool // of events that were changed: stored answers about them are deleted too
	gaps      bool           // some events before upTo are lost
	byRequest bool           // somebody asked for it
}

// Bounds of one transaction: a commit waits for redactFor at most, or for one row.
const (
	redactRows  = 64
	redactBytes = 256 << 10
)

var redactFor = 8 * time.Millisecond // tests lower it

// chunk collects writes and commits them in batches.
type chunk struct {
	r     *redaction
	what  string
	todo  []func(w *tables.Writer) error
	bytes int
}

func (c *chunk) add(ctx context.Context, size int, f func(w *tables.Writer) error) error {
	c.todo, c.bytes = append(c.todo, f), c.bytes+size
	if len(c.todo) < redactRows && c.bytes < redactBytes {
		return nil
	}
	return c.flush(ctx)
}

func (c *chunk) flush(ctx context.Context) error {
	j := c.r.j
	for len(c.todo) > 0 {
		began, n := time.Now(), 0
		err := j.Amend(c.what, func(w *tables.Writer) error {
			for n = 0; n < len(c.todo) && (n == 0 || time.Since(began) < redactFor); n++ {
				if err := c.todo[n](w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !j.IndexGone() && tables.MaybeIndex(err) {
			err = j.DropIndex()
			n = 0
		}
		if err != nil {
			return err
		}
		c.r.out.Changed[c.what] += n
		c.todo = c.todo[n:]
		if err := journal.Rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
	c.todo, c.bytes = nil, 0
	return ctx.Err()
}
