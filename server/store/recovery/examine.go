package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Remains is the result of examining realm.db in a realm's folder.
type Remains struct {
	there   bool
	Damage  error // why the journal cannot be used: no database, cut short, a hole; nil if it is intact
	logLost bool  // the journal was not closed and its log is missing, with the events in it
	db      *sql.DB
	version int
	// index is why the journal must be rebuilt from its own tables, which are intact (Rewrite): the
	// search index, another index or the list of free pages is damaged. nil for no reason.
	index error

	deep bool // examine all pages and indexes, whatever the size; see check

	// What could be read. Of a damaged journal that may be nothing.
	Lines  []world.Line
	floor  int64
	Head   int64
	lastAt world.Time       // time of the last event, 0 if there is none
	Bases  []tables.BaseRow // newest first
	Packs  []tables.Span    // blocks of events in order: one for each few hundred
	told   *tables.Notice
	tenant string // the realm's tenant, "" if the journal does not have it
}

// Whole reports whether the journal exists and can be used.
func (r *Remains) Whole() bool { return r.there && r.Damage == nil }

func (r *Remains) Close() error {
	if r.db == nil {
		return nil
	}
	db := r.db
	r.db = nil
	return db.Close()
}

// examine examines a realm.db through read-only handles, which change neither it nor its log. It returns
// ErrNewer for a newer version, before it touches anything. Damage is in the result. Any other error comes
// from the disk and says nothing about the file. The caller closes the result.
func examine(ctx context.Context, path string) (*Remains, error) {
	r := &Remains{}
	info, err := os.Stat(path) // opens nothing
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", sqlite.JournalFile, err)
	}
	r.there = true
	switch {
	case !info.Mode().IsRegular():
		r.Damage = fmt.Errorf("%w: it is not a regular file", disk.ErrCorrupt)
		return r, nil
	case info.Size() == 0:
		// The driver would treat the file as a new database and delete its log.
		r.Damage = fmt.Errorf("%w: it is empty", disk.ErrCorrupt)
		return r, nil
	}
	if err := peekVersion(ctx, path); err != nil {
		return nil, err
	}
	logThere := disk.Exists(path + "-wal")
	r.db, err = sqlite.Open(ctx, path, sqlite.ModeRead, 1)
	if err == nil {
		err = r.look(ctx, logThere)
	}
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, disk.ErrNewer):
	case sqlite.IsDamage(err):
		r.Damage = err
		return r, nil
	case sqlite.Code(err) == sqlite3.SQLITE_READONLY && disk.Exists(path+"-journal"):
		// Only another program writes a rollback journal, and it was interrupted.
		r.Damage = fmt.Errorf("%w: another program has left it half written: %w", disk.ErrCorrupt, err)
		return r, nil
	}
	return nil, errors.Join(fmt.Errorf("examine %s: %w", sqlite.JournalFile, err), r.Close())
}

// peekVersion returns ErrNewer for a newer database, by its header alone: without a lock, a log or any other
// file. The version in the log is read later, and other damage is found then.
func peekVersion(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, sqlite.ModePeek, 1)
	if err == nil {
		_, err = tables.CheckVersion(ctx, db)
		err = errors.Join(err, db.Close())
	}
	if errors.Is(err, disk.ErrNewer) {
		return err
	}
	return nil
}

// look reads what decides whether the journal can be used. It fills in as much as can be read.
func (r *Remains) look(ctx context.Context, logThere bool) (err error) {
	if r.version, err = tables.CheckVersion(ctx, r.db); err != nil {
		return err
	}
	if err := r.lookAtTables(ctx); err != nil {
		return err
	}
	if r.floor, err = tables.ReadFloor(ctx, r.db); err != nil {
		return err
	}
	if r.Lines, err = tables.ReadLines(ctx, r.db); err != nil {
		return err
	}
	if r.Bases, err = tables.ReadBases(ctx, r.db); err != nil {
		return err
	}
	if r.told, err = tables.ReadNotice(ctx, r.db); err != nil {
		return err
	}
	var open string
	if err := sqlite.One(ctx, r.db, []any{&open}, "SELECT value FROM meta WHERE key = ?", tables.MetaOpen); err != nil {
		return err
	}
	if r.tenant, err = tables.ReadMeta(ctx, r.db, tables.MetaTenant); err != nil {
		return err
	}
	// While a journal is open it has a log, even if that is empty; a clean close clears the mark before
	// it removes the log.
	r.logLost = open == "1" && !logThere
	if err := r.lookAtNumbers(ctx); err != nil {
		return err
	}
	return r.check(ctx)
}

// lookAtTables checks that the tables are those of a journal, and that those of the search index are as this
// program created them.
func (r *Remains) lookAtTables(ctx context.Context) error {
	type object struct{ name, sql string }
	objects, err := sqlite.Collect(ctx, r.db, func(rows *sql.Rows) (o object, err error) {
		err = rows.Scan(&o.name, &o.sql)
		return o, err
	}, `SELECT name, ifnull(sql, '') FROM sqlite_schema
		WHERE type IN ('table', 'view', 'trigger') ORDER BY name LIMIT 100`)
	if err != nil {
		return err
	}
	var names, search []string
	made, asMade := tables.SearchMade(r.version), true
	for _, o := range objects {
		if !strings.HasPrefix(o.name, "search") {
			names = append(names, o.name)
			continue
		}
		search = append(search, o.name)
		if want, ours := made[o.name]; ours {
			asMade = asMade && o.sql == want
		}
	}
	if !slices.Equal(names, tables.NamesOf(r.version)) {
		return fmt.Errorf("%w: its tables are not those of a journal", disk.ErrCorrupt)
	}
	want := tables.SearchTableNames
	switch r.version {
	case 1:
		want = nil
	case 2:
		want = append(slices.Clone(want), "searchable")
	}
	if !slices.Equal(search, want) || !asMade {
		r.index = fmt.Errorf("%w: the tables of the search index are not all there", disk.ErrCorrupt)
		return nil
	}
	told, err := tables.ReadMeta(ctx, r.db, tables.MetaSearch)
	if err == nil && told != "" {
		r.index = sqlite.ErrIndex
		if told == tables.BrokenTables {
			r.index = fmt.Errorf("%w: an earlier use found an index of a table broken", disk.ErrCorrupt)
		}
	}
	return err
}

// lookAtNumbers checks that no event is missing from the floor to the head, and that the epochs are in order
// and within that range.
func (r *Remains) lookAtNumbers(ctx context.Context) error {
	var rows, first, last int64
	if err := sqlite.One(ctx, r.db, []any{&rows, &first, &last},
		"SELECT count(*), ifnull(min(seq), 0), ifnull(max(seq), 0) FROM journal"); err != nil {
		return err
	}
	count := rows
	if r.version >= 3 {
		var err error
		if r.Packs, err = sqlite.Collect(ctx, r.db, tables.ScanSpan,
			"SELECT "+tables.SpanColumns+" FROM journal_packs ORDER BY from_seq"); err != nil {
			return err
		}
	}
	for i, p := range r.Packs {
		var inside int64
		if err := sqlite.One(ctx, r.db, []any{&inside}, "SELECT count(*) FROM journal WHERE seq BETWEEN ? AND ?", p.From,
			p.To); err != nil {
			return err
		}
		if p.From > p.To || p.To-p.From >= tables.MaxBlock && !p.Lost || inside > 0 || i > 0 && p.From <= r.Packs[i-1].To {
			return fmt.Errorf("%w: the block of events %d to %d overlaps other events", disk.ErrCorrupt, p.From, p.To)
		}
		if first == 0 || p.From < first {
			first = p.From
		}
		count, last = count+p.To-p.From+1, max(last, p.To)
	}
	r.Head = r.floor - 1
	if count > 0 {
		r.Head = last
		if err := r.lookAtLast(ctx); err != nil {
			return err
		}
	}
	switch {
	case r.floor < 1:
		return fmt.Errorf("%w: its floor is %d", disk.ErrCorrupt, r.floor)
	case count > 0 && (first != r.floor || count != r.Head-r.floor+1):
		return fmt.Errorf("%w: it holds %d events from %d to %d, but not all from %d on",
			disk.ErrCorrupt, count, first, r.Head, r.floor)
	}
	for i, l := range r.Lines {
		if l.FromSeq > r.Head+1 || i > 0 && l.FromSeq < r.Lines[i-1].FromSeq {
			return fmt.Errorf("%w: an epoch begins at %d, but the head is %d", disk.ErrCorrupt, l.FromSeq, r.Head)
		}
	}
	return nil
}

// lookAtLast reads the time of the last event.
func (r *Remains) lookAtLast(ctx context.Context) error {
	return tables.EachEvent(ctx, r.db, r.Head-1, r.version >= 3, func(tables.Span, error) {},
		func(e *tables.EventRow) (bool, error) {
			r.lastAt = world.Time(e.At)
			return false, nil
		})
}
