package erasure

import (
	"context"
	"database/sql"
	"time"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// redaction removes the words of one erasure from the tables, in short transactions between commits.
type redaction struct {
	j         *journal.Journal
	scope     world.Scope
	event     *world.HistoryErased
	out       world.Redacted
	upTo      int64          // the seq of event: later events are not redacted
	seqs      map[int64]bool // the events that the redaction has changed, by seq; stored answers about them are deleted
	gaps      bool           // the journal has lost some events before upTo
	byRequest bool           // the erasure was requested; otherwise retention began it
}

// Limits of the rows that one transaction changes. A transaction that has lasted redactFor takes no further row, so
// that a commit need not wait long.
const (
	redactRows  = 64
	redactBytes = 256 << 10
)

var redactFor = 8 * time.Millisecond // tests lower it

// chunk collects changes of rows and commits them, several in a transaction.
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

// dropPage is the number of rows of an erased conversation that one query returns.
const dropPage = 500

// drop deletes the rows of erased conversations. The SQL query returns the keys of the rows of one conversation in
// order; its parameters are the conversation, the key after which to begin, and the maximum number of keys. The
// function remove deletes the row with a key. Several conversations share a transaction, because retention deletes
// hundreds of small ones at once.
func drop[K int64 | string](ctx context.Context, r *redaction, what, query string, size int,
	remove func(w *tables.Writer, conversation string, key K) error) error {
	c := &chunk{r: r, what: what}
	for _, id := range r.scope.Conversations {
		for last, full := *new(K), true; full; {
			var keys []K
			if err := r.j.View(func(db *sql.DB) (err error) {
				keys, err = sqlite.Column[K](ctx, db, query, id, last, dropPage)
				return err
			}); err != nil {
				return err
			}
			for _, key := range keys {
				last = key
				if err := c.add(ctx, size, func(w *tables.Writer) error { return remove(w, id, key) }); err != nil {
					return err
				}
			}
			if full = len(keys) == dropPage; full {
				if err := c.flush(ctx); err != nil {
					return err
				}
			}
		}
	}
	return c.flush(ctx)
}
