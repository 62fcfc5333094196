package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"agentdungeon/shared/world"
)

// remains is what lies in a realm's folder as realm.db, looked at and not changed.
type remains struct {
	there   bool
	damage  error // why it cannot go on: not a database, cut, a hole; nil for a whole one
	logLost bool  // it was not closed and its log is gone: what it held is missing here
	db      *sql.DB
	version int
	// index is why the journal must be made anew from its own tables, which are whole
	// (rewrite): the search index or the list of free pages is not. nil for nothing.
	index error

	deep bool // all pages and indexes are looked at, whatever the size; see check

	// What could be read; of a damaged one that may be nothing.
	lines  []world.Line
	floor  int64
	head   int64
	lastAt world.Time // of the last event, 0 for none
	bases  []baseRow  // newest first
	packs  []packSpan // blocks of events, in order: one for each thousand
	told   *notice
	tenant string // whose realm it was, "" where it does not say
}

type baseRow struct {
	seq     int64
	epoch   string
	savedAt world.Time
}

// whole says that the journal can go on.
func (r *remains) whole() bool { return r.there && r.damage == nil }

func (r *remains) close() error {
	if r.db == nil {
		return nil
	}
	db := r.db
	r.db = nil
	return db.Close()
}

// examine looks at a realm.db through read-only handles, which change neither it
// nor its log. A newer one is ErrNewer, and nothing has been touched; damage is
// in the result; any other error is the disk's and says nothing about the file.
// The caller closes the result.
func examine(ctx context.Context, driver, path string) (*remains, error) {
	r := &remains{}
	info, err := os.Stat(path) // opens nothing
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", JournalFile, err)
	}
	r.there = true
	switch {
	case !info.Mode().IsRegular():
		r.damage = fmt.Errorf("%w: it is not a plain file", ErrCorrupt)
		return r, nil
	case info.Size() == 0:
		// The driver would take it for a new database and delete its log.
		r.damage = fmt.Errorf("%w: it is empty", ErrCorrupt)
		return r, nil
	}
	if err := peekVersion(ctx, driver, path); err != nil {
		return nil, err
	}
	logThere := exists(path + "-wal")
	r.db, err = openSQLite(ctx, driver, path, modeRead, 1)
	if err == nil {
		err = r.look(ctx, logThere)
	}
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, ErrNewer):
	case isDamage(err):
		r.damage = err
		return r, nil
	case sqliteCode(err) == sqlite3.SQLITE_READONLY && exists(path+"-journal"):
		// Only another program writes it that way, and it was cut short.
		r.damage = fmt.Errorf("%w: another program has left it half written: %w", ErrCorrupt, err)
		return r, nil
	}
	return nil, errors.Join(fmt.Errorf("examine %s: %w", JournalFile, err), r.close())
}

func exists(path string) bool {
	_, err := os.Stat(path) // opens nothing
	return err == nil
}

// peekVersion refuses a newer database by its header alone, without a lock, a log
// or any other file beside it. The version in the log is read later; what else is
// wrong is found there too.
func peekVersion(ctx context.Context, driver, path string) error {
	db, err := openSQLite(ctx, driver, path, modePeek, 1)
	if err == nil {
		_, err = checkVersion(ctx, db)
		err = errors.Join(err, db.Close())
	}
	if errors.Is(err, ErrNewer) {
		return err
	}
	return nil
}

func checkVersion(ctx context.Context, db *sql.DB) (v int, err error) {
	if err := one(ctx, db, []any{&v}, "PRAGMA user_version"); err != nil {
		return 0, err
	}
	switch {
	case v > journalSchema:
		return v, fmt.Errorf("%s: %w: schema %d, this one reads up to %d", JournalFile, ErrNewer, v, journalSchema)
	case v < 1:
		return v, fmt.Errorf("%w: it is not a journal", ErrCorrupt)
	}
	return v, nil
}

// look reads what decides about the file. It fills in as much as can be read.
func (r *remains) look(ctx context.Context, logThere bool) (err error) {
	if r.version, err = checkVersion(ctx, r.db); err != nil {
		return err
	}
	if err := r.lookAtTables(ctx); err != nil {
		return err
	}
	if r.floor, err = readFloor(ctx, r.db); err != nil {
		return err
	}
	if r.lines, err = readLines(ctx, r.db); err != nil {
		return err
	}
	if r.bases, err = readBases(ctx, r.db); err != nil {
		return err
	}
	if r.told, err = readNotice(ctx, r.db); err != nil {
		return err
	}
	var open string
	if err := one(ctx, r.db, []any{&open}, "SELECT value FROM meta WHERE key = ?", metaOpen); err != nil {
		return err
	}
	if err := one(ctx, r.db, []any{&r.tenant}, "SELECT ifnull((SELECT value FROM meta WHERE key = ?), '')", metaTenant); err != nil {
		return err
	}
	// While a journal is open its log lies beside it, if only empty; a clean close
	// takes the mark away before the log.
	r.logLost = open == "1" && !logThere
	if err := r.lookAtNumbers(ctx); err != nil {
		return err
	}
	return r.check(ctx)
}

// lookAtTables holds that the tables are those of a journal, and whether those of the
// search index are there as they were made.
func (r *remains) lookAtTables(ctx context.Context) error {
	type object struct{ name, sql string }
	objects, err := collect(ctx, r.db, func(rows *sql.Rows) (o object, err error) {
		err = rows.Scan(&o.name, &o.sql)
		return o, err
	}, "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE type IN ('table', 'view', 'trigger') ORDER BY name LIMIT 100")
	if err != nil {
		return err
	}
	var names, search []string
	made, asMade := searchMade(r.version), true
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
	if !slices.Equal(names, tablesOf(r.version)) {
		return fmt.Errorf("%w: its tables are not those of a journal", ErrCorrupt)
	}
	want := searchTableNames
	switch r.version {
	case 1:
		want = nil
	case 2:
		want = append(slices.Clone(want), "searchable")
	}
	if !slices.Equal(search, want) || !asMade {
		r.index = fmt.Errorf("%w: the tables of the search index are not all there", ErrCorrupt)
		return nil
	}
	told, err := collect(ctx, r.db, func(rows *sql.Rows) (string, error) {
		var v string
		return v, rows.Scan(&v)
	}, "SELECT value FROM meta WHERE key = ?", metaSearch)
	if err == nil && len(told) > 0 {
		r.index = errIndex
		if told[0] == brokenTables {
			r.index = fmt.Errorf("%w: an index of a table was met as broken", ErrCorrupt)
		}
	}
	return err
}

// lookAtNumbers holds that no event is missing: from the floor to the head without
// a hole, and the lines in order within.
func (r *remains) lookAtNumbers(ctx context.Context) error {
	var rows, first, last int64
	if err := one(ctx, r.db, []any{&rows, &first, &last}, "SELECT count(*), ifnull(min(seq), 0), ifnull(max(seq), 0) FROM journal"); err != nil {
		return err
	}
	count := rows
	if r.version >= 3 {
		var err error
		if r.packs, err = collect(ctx, r.db, scanSpan, "SELECT "+spanColumns+" FROM journal_packs ORDER BY from_seq"); err != nil {
			return err
		}
	}
	for i, p := range r.packs {
		var inside int64
		if err := one(ctx, r.db, []any{&inside}, "SELECT count(*) FROM journal WHERE seq BETWEEN ? AND ?", p.from, p.to); err != nil {
			return err
		}
		if p.from > p.to || p.to-p.from >= maxBlock && !p.lost || inside > 0 || i > 0 && p.from <= r.packs[i-1].to {
			return fmt.Errorf("%w: the block of events %d to %d is not alone in its place", ErrCorrupt, p.from, p.to)
		}
		if first == 0 || p.from < first {
			first = p.from
		}
		count, last = count+p.to-p.from+1, max(last, p.to)
	}
	r.head = r.floor - 1
	if count > 0 {
		r.head = last
		if err := r.lookAtLast(ctx); err != nil {
			return err
		}
	}
	switch {
	case r.floor < 1:
		return fmt.Errorf("%w: its floor is %d", ErrCorrupt, r.floor)
	case count > 0 && (first != r.floor || count != r.head-r.floor+1):
		return fmt.Errorf("%w: it holds %d events from %d to %d and should from %d on without a hole",
			ErrCorrupt, count, first, r.head, r.floor)
	}
	for i, l := range r.lines {
		if l.FromSeq > r.head+1 || i > 0 && l.FromSeq < r.lines[i-1].FromSeq {
			return fmt.Errorf("%w: a line begins at %d and it ends at %d", ErrCorrupt, l.FromSeq, r.head)
		}
	}
	return nil
}

// lookAtLast reads when the last event was.
func (r *remains) lookAtLast(ctx context.Context) error {
	return eachEvent(ctx, r.db, r.head-1, r.version >= 3, func(packSpan, error) {}, func(e *eventRow) (bool, error) {
		r.lastAt = world.Time(e.at)
		return false, nil
	})
}

func readBases(ctx context.Context, q queryer) ([]baseRow, error) {
	return collect(ctx, q, func(rows *sql.Rows) (b baseRow, err error) {
		err = rows.Scan(&b.seq, &b.epoch, (*int64)(&b.savedAt))
		return b, err
	}, "SELECT seq, epoch, saved_at FROM bases ORDER BY seq DESC LIMIT ?", keptBases)
}

// readBase reads a base's world: filled (S3-18) and valid, or ErrCorrupt.
func readBase(ctx context.Context, q queryer, b baseRow) (*world.World, error) {
	var raw []byte
	var sum int64
	if err := one(ctx, q, []any{&raw, &sum}, "SELECT world, sum FROM bases WHERE seq = ?", b.seq); err != nil {
		return nil, err
	}
	if frameSum(raw, 0, "") != sum {
		return nil, fmt.Errorf("%w: base %d is not what was stored", ErrCorrupt, b.seq)
	}
	w := new(world.World)
	if err := json.Unmarshal(raw, w); err != nil {
		return nil, fmt.Errorf("%w: base %d: %w", ErrCorrupt, b.seq, err)
	}
	w.Fill()
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("%w: base %d: %w", ErrCorrupt, b.seq, err)
	}
	if w.Tick != b.seq {
		return nil, fmt.Errorf("%w: base %d is of tick %d", ErrCorrupt, b.seq, w.Tick)
	}
	return w, nil
}

// notice is what an opening restored, kept with its line: should it end before the
// actor could tell it (its first event), the next opening tells it too.
type notice struct {
	Head            int64      `json:"head"`
	Source          string     `json:"source,omitempty"` // "" at a realm's first opening
	Since           world.Time `json:"since,omitempty"`
	TranscriptsLost bool       `json:"transcriptsLost,omitempty"`
	SetAside        []string   `json:"setAside,omitempty"`
	// Salvage is what came of one, nil where there was none.
	Salvage *world.Salvage `json:"salvage,omitempty"`
}

func (w *writer) setNotice(n *notice) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode notice: %w", err)
	}
	return w.setMeta(metaNotice, string(raw))
}

func readNotice(ctx context.Context, q queryer) (*notice, error) {
	var raw []byte
	if err := one(ctx, q, []any{&raw}, "SELECT value FROM meta WHERE key = ?", metaNotice); err != nil {
		return nil, err
	}
	n := new(notice)
	if err := json.Unmarshal(raw, n); err != nil {
		return nil, fmt.Errorf("%w: its notice: %w", ErrCorrupt, err)
	}
	return n, nil
}
