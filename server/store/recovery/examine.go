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
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// examined is the result of examining realm.db in a realm's folder.
type examined struct {
	exists  bool
	damage  error // the reason why the journal cannot be used, nil if the journal can be used
	logLost bool  // the journal was not closed and its log is missing, with the events in it
	db      *sql.DB
	image   *sqlite.Image // what db reads; nil if db reads the files themselves
	version int
	// rewrite is the reason for which the journal must be rewritten from its own tables, or nil. The tables are
	// intact, but the search index, another index or the list of free pages is damaged.
	rewrite error

	deep bool // examine all pages and indexes, however large the database is; see checkPages

	// The following fields hold what could be read from the database; the others are zero.
	lines  []world.Line
	floor  int64
	head   int64
	lastAt world.Time       // time of the last event, 0 if there is none
	bases  []tables.BaseRow // newest first
	packs  []tables.Span    // the blocks of packed events, in order
	notice *tables.Notice   // the notice of the last opening
	tenant string           // the realm's tenant, "" if the journal does not have it

	newest []world.Frame // see world.Saved; nil if readNewest was not called or could not read them
}

// isWhole reports whether the journal exists and can be used.
func (x *examined) isWhole() bool { return x.exists && x.damage == nil }

func (x *examined) close() error {
	var errs []error
	if x.db != nil {
		errs = append(errs, x.db.Close())
	}
	if x.image != nil {
		errs = append(errs, x.image.Close())
	}
	x.db, x.image = nil, nil
	return errors.Join(errs...)
}

// examine examines a realm.db through read-only handles, which change neither the database nor its log. The result
// reports damage. An error comes from the disk, so the file may be intact. ErrNewer means that a newer version
// wrote the database; then nothing was touched. The caller closes the result.
func examine(ctx context.Context, path string) (*examined, error) {
	x := &examined{}
	info, err := os.Stat(path) // os.Stat does not open the file, so SQLite keeps its locks
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", sqlite.JournalFile, err)
	}
	x.exists = true
	switch {
	case !info.Mode().IsRegular():
		x.damage = fmt.Errorf("%w: it is not a regular file", disk.ErrCorrupt)
		return x, nil
	case info.Size() == 0:
		// SQLite's driver would treat an empty file as a new database and delete the log beside it.
		x.damage = fmt.Errorf("%w: it is empty", disk.ErrCorrupt)
		return x, nil
	}
	if err := peekVersion(ctx, path); err != nil {
		return nil, err
	}
	logThere := disk.Exists(path + "-wal")
	x.db, err = sqlite.Open(ctx, path, sqlite.ModeRead, 1)
	if err == nil {
		err = x.read(ctx, logThere)
	}
	switch {
	case err == nil:
		return x, nil
	case errors.Is(err, disk.ErrNewer):
	case sqlite.IsDamage(err):
		x.damage = err
		return x, nil
	case sqlite.Code(err) == sqlite3.SQLITE_READONLY && disk.Exists(path+"-journal"):
		// Only another program writes a rollback journal. That program was interrupted while it wrote the database.
		x.damage = fmt.Errorf("%w: another program was interrupted while it wrote the file: %w", disk.ErrCorrupt, err)
		return x, nil
	}
	return nil, errors.Join(fmt.Errorf("examine %s: %w", sqlite.JournalFile, err), x.close())
}

// examineInPlace does the same as examine without any write: it reads the files in place, through at most conns
// connections. The caller makes sure that no program has the files open.
func examineInPlace(ctx context.Context, path string, conns int) (*examined, error) {
	x := &examined{}
	var err error
	if x.image, err = sqlite.OpenImage(path); err == nil {
		x.db, err = x.image.Handle(ctx, conns, sqlite.CheckCells)
	}
	if err == nil {
		err = x.read(ctx, x.image.Log != nil)
	}
	switch {
	case errors.Is(err, disk.ErrMissing):
		return x, nil
	case err != nil && (errors.Is(err, disk.ErrNewer) || !sqlite.IsDamage(err)):
		return nil, errors.Join(fmt.Errorf("examine %s: %w", sqlite.JournalFile, err), x.close())
	}
	x.exists, x.damage = true, err
	return x, nil
}

// peekVersion returns ErrNewer if the header of the database has a newer version. It takes no lock and opens no
// other file. The method read later checks the version in the log, and finds all damage.
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

// read fills in x and checks whether the journal can be used. After an error some fields are not set.
func (x *examined) read(ctx context.Context, logThere bool) (err error) {
	if x.version, err = tables.CheckVersion(ctx, x.db); err != nil {
		return err
	}
	if err := x.checkSchema(ctx); err != nil {
		return err
	}
	if x.floor, err = tables.ReadFloor(ctx, x.db); err != nil {
		return err
	}
	if x.lines, err = tables.ReadLines(ctx, x.db); err != nil {
		return err
	}
	if x.bases, err = tables.ReadBases(ctx, x.db); err != nil {
		return err
	}
	if x.notice, err = tables.ReadNotice(ctx, x.db); err != nil {
		return err
	}
	var open string
	if err := sqlite.One(ctx, x.db, []any{&open}, "SELECT value FROM meta WHERE key = ?", tables.MetaOpen); err != nil {
		return err
	}
	if x.tenant, err = tables.ReadMeta(ctx, x.db, tables.MetaTenant); err != nil {
		return err
	}
	// While a journal is open, its database has the mark MetaOpen, and a log, even if the log is empty. A clean close
	// clears the mark before it removes the log. So a database with the mark and without a log has lost its log.
	x.logLost = open == "1" && !logThere
	if err := x.checkNumbers(ctx); err != nil {
		return err
	}
	return x.checkPages(ctx)
}

// maxNewestBytes limits the frames of examined.newest, in bytes. If the last events have more, they are not read.
const maxNewestBytes = 8 << 20

// readNewest reads the frames of the last events into x.newest, if nothing will change them before the realm is open.
// An error leaves x.newest nil, so that the actor reads the frames and handles the error.
func (x *examined) readNewest(ctx context.Context) {
	if !x.isWhole() || x.rewrite != nil || x.version != tables.Version {
		return
	}
	var unfinished int
	err := sqlite.One(ctx, x.db, []any{&unfinished}, "SELECT count(*) FROM erasures WHERE done_at = 0")
	if err != nil || unfinished > 0 {
		return // the opening completes the erasure, so frames that were read before it show what is erased
	}
	after := max(x.head-world.NewestEvents, x.floor-1)
	frames, err := history.ReadFrames(ctx, x.db, after, world.NewestEvents, maxNewestBytes)
	if n := len(frames); err == nil && n > 0 && frames[n-1].Seq == x.head {
		x.newest = frames
	}
}

// checkSchema checks that the tables are those of a journal, and that the search index has the tables that this
// program creates.
func (x *examined) checkSchema(ctx context.Context) error {
	type object struct{ name, sql string }
	objects, err := sqlite.Collect(ctx, x.db, func(rows *sql.Rows) (o object, err error) {
		err = rows.Scan(&o.name, &o.sql)
		return o, err
	}, `SELECT name, ifnull(sql, '') FROM sqlite_schema
		WHERE type IN ('table', 'view', 'trigger') ORDER BY name LIMIT 100`)
	if err != nil {
		return err
	}
	var names, search []string
	statements, unchanged := tables.SearchObjects(x.version), true
	for _, o := range objects {
		if !strings.HasPrefix(o.name, "search") {
			names = append(names, o.name)
			continue
		}
		search = append(search, o.name)
		if want, known := statements[o.name]; known && o.sql != want {
			unchanged = false
		}
	}
	if !slices.Equal(names, tables.NamesOf(x.version)) {
		return fmt.Errorf("%w: its tables are not those of a journal", disk.ErrCorrupt)
	}
	want := tables.SearchTableNames
	switch x.version {
	case 1:
		want = nil
	case 2:
		want = append(slices.Clone(want), "searchable")
	}
	if !slices.Equal(search, want) || !unchanged {
		x.rewrite = fmt.Errorf("%w: the search index does not have the tables that this program creates",
			disk.ErrCorrupt)
		return nil
	}
	broken, err := tables.ReadMeta(ctx, x.db, tables.MetaSearch)
	switch broken {
	case "":
	case tables.BrokenTables:
		x.rewrite = fmt.Errorf("%w: an index of a table was found broken while the realm was open", disk.ErrCorrupt)
	default:
		x.rewrite = sqlite.ErrIndex
	}
	return err
}

// checkNumbers checks that no event is missing from the floor to the head, and that the epochs are in order
// and within that range.
func (x *examined) checkNumbers(ctx context.Context) error {
	var rows, first, last int64
	if err := sqlite.One(ctx, x.db, []any{&rows, &first, &last},
		"SELECT count(*), ifnull(min(seq), 0), ifnull(max(seq), 0) FROM journal"); err != nil {
		return err
	}
	count := rows
	if x.version >= 3 {
		var err error
		if x.packs, err = sqlite.Collect(ctx, x.db, tables.ScanSpan,
			"SELECT "+tables.SpanColumns+" FROM journal_packs ORDER BY from_seq"); err != nil {
			return err
		}
	}
	for i, p := range x.packs {
		var inside int64
		if err := sqlite.One(ctx, x.db, []any{&inside}, "SELECT count(*) FROM journal WHERE seq BETWEEN ? AND ?", p.From,
			p.To); err != nil {
			return err
		}
		if p.From > p.To || p.To-p.From >= tables.MaxBlock && !p.Lost || inside > 0 || i > 0 && p.From <= x.packs[i-1].To {
			return fmt.Errorf("%w: the block of events %d to %d overlaps other events", disk.ErrCorrupt, p.From, p.To)
		}
		if first == 0 || p.From < first {
			first = p.From
		}
		count, last = count+p.To-p.From+1, max(last, p.To)
	}
	x.head = x.floor - 1
	if count > 0 {
		x.head = last
		if err := x.readLastTime(ctx); err != nil {
			return err
		}
	}
	switch {
	case x.floor < 1:
		return fmt.Errorf("%w: its first event is %d, which is below 1", disk.ErrCorrupt, x.floor)
	case count > 0 && (first != x.floor || count != x.head-x.floor+1):
		return fmt.Errorf("%w: it has %d events from %d to %d, but not every event from %d on",
			disk.ErrCorrupt, count, first, x.head, x.floor)
	}
	for i, l := range x.lines {
		if l.FromSeq > x.head+1 || i > 0 && l.FromSeq < x.lines[i-1].FromSeq {
			return fmt.Errorf("%w: an epoch begins at event %d, but the head is event %d",
				disk.ErrCorrupt, l.FromSeq, x.head)
		}
	}
	return nil
}

// readLastTime reads the time of the last event.
func (x *examined) readLastTime(ctx context.Context) error {
	return tables.EachEvent(ctx, x.db, x.head-1, x.version >= 3, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
		x.lastAt = world.Time(e.At)
		return false, nil
	})
}
