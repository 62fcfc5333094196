package recovery

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// checkBytes is the size in bytes up to which an opening checks every page, which takes about a second. In a
// larger journal damage is found when a page is read.
const checkBytes = 1 << 30

// check examines the pages table by table. A check of the whole database would also read the search index,
// which takes twenty times as long, and could not tell which table is damaged. If the log is missing, pages
// may be of different times, so the indexes are compared with the tables too.
func (r *Remains) check(ctx context.Context) error {
	var pages, size int64
	if err := sqlite.One(ctx, r.db, []any{&pages}, "PRAGMA page_count"); err != nil {
		return err
	}
	if err := sqlite.One(ctx, r.db, []any{&size}, "PRAGMA page_size"); err != nil {
		return err
	}
	if pages*size > checkBytes && !r.logLost && !r.deep {
		return nil
	}
	if err := r.checkTables(ctx, append([]string{"sqlite_schema"}, tables.NamesOf(r.version)...)); errors.Is(err,
		errTableIndex) && r.index == nil {
		r.index = err
	} else if err != nil && !errors.Is(err, errTableIndex) {
		return err
	}
	if r.index == nil {
		err := r.checkTables(ctx, r.searchTables())
		if err == nil {
			err = checkFree(ctx, r.db, pages)
		}
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		r.index = err
	}
	if !r.logLost {
		return nil
	}
	return r.checkTexts(ctx)
}

// checkTexts checks that no event has lost its text.
func (r *Remains) checkTexts(ctx context.Context) error {
	var torn int
	if err := sqlite.One(ctx, r.db, []any{&torn}, `SELECT count(*) FROM journal j WHERE j.text_at > 0
		AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.message_id = j.message_id AND m.status <> ?)`,
		world.MessageOpen); err != nil {
		return err
	}
	for _, p := range r.Packs {
		if p.Lost {
			continue
		}
		rows, err := tables.ReadPack(ctx, r.db, p.From)
		if err != nil {
			return err
		}
		texts, err := tables.TextsOf(ctx, r.db, rows)
		if err != nil {
			return err
		}
		for i := range rows {
			if _, there := texts[rows[i].MessageID.String]; rows[i].TextAt > 0 && !there {
				torn++
			}
		}
	}
	if torn > 0 {
		return fmt.Errorf("%w: %d events have lost their text", disk.ErrCorrupt, torn)
	}
	return nil
}

// searchTables returns the tables of the search index.
func (r *Remains) searchTables() []string {
	if r.version == 1 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tables.SearchTableNames),
		func(name string) bool { return !strings.HasPrefix(name, "search_") })
}

// errTableIndex means that an index differs from its table.
var errTableIndex = fmt.Errorf("%w: an index of a table", disk.ErrCorrupt)

// checkTables examines the pages of some tables and their indexes. errTableIndex (wrapped) means that only
// indexes are damaged.
func (r *Remains) checkTables(ctx context.Context, tables []string) error {
	var index error
	for _, table := range tables {
		verdicts, err := sqlite.Column[string](ctx, r.db,
			r.pragma()+table+")") // at most 100
		if err != nil {
			return err
		}
		if len(verdicts) == 1 && verdicts[0] == "ok" {
			continue
		}
		says := strings.Join(verdicts[:min(len(verdicts), 3)], "; ")
		only, err := r.onlyIndexes(ctx, table, verdicts)
		if err != nil {
			return err
		}
		if !only {
			return fmt.Errorf("%w: %s: %s", disk.ErrCorrupt, table, says)
		}
		index = errors.Join(index, fmt.Errorf("%w: %s: %s", errTableIndex, table, says))
	}
	return index
}

// pragma returns the beginning of the statement that checks a table.
func (r *Remains) pragma() string {
	if r.logLost || r.deep {
		return "PRAGMA integrity_check("
	}
	return "PRAGMA quick_check("
}

// onlyIndexes reports whether the damage of a table is in its indexes alone. It returns false if the table has
// several indexes that all disagree with it, because the table has lost rows then. It returns false if the
// write-ahead log is lost, because table and indexes may be from different moments.
func (r *Remains) onlyIndexes(ctx context.Context, table string, verdicts []string) (bool, error) {
	type index struct {
		name string
		root int64
	}
	indexes, err := sqlite.Collect(ctx, r.db, func(rows *sql.Rows) (i index, err error) {
		err = rows.Scan(&i.name, &i.root)
		return i, err
	}, "SELECT name, rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", table)
	if err != nil || r.logLost || len(verdicts) >= 100 { // there may be more verdicts than these
		return false, err
	}
	named := map[string]bool{}
	for _, v := range verdicts {
		of := slices.IndexFunc(indexes, func(i index) bool {
			return strings.HasSuffix(v, " index "+i.name) || strings.HasPrefix(v, fmt.Sprintf("Tree %d ", i.root))
		})
		if of < 0 {
			return false, nil
		}
		named[indexes[of].name] = true
	}
	return len(named) < len(indexes) || len(indexes) == 1, nil
}

// checkFree checks that no page that SQLite counts as free belongs to a table, and that the list of free pages
// can be read. A quick_check of the whole database does this too, the checks of single tables
// do not.
func checkFree(ctx context.Context, q sqlite.Queryer, pages int64) error {
	var free int64
	if err := sqlite.One(ctx, q, []any{&free}, "PRAGMA freelist_count"); err != nil || free == 0 {
		return err
	}
	if free > pages {
		return fmt.Errorf("%w: it counts %d free pages of %d", disk.ErrCorrupt, free, pages)
	}
	page := func(n int64) (raw []byte, err error) {
		return raw, sqlite.One(ctx, q, []any{&raw}, "SELECT data FROM sqlite_dbpage WHERE pgno = ?", n)
	}
	raw, err := page(1)
	if err != nil {
		return err
	}
	seen := make([]bool, pages+1) // bounded by checkBytes
	mark := func(n int64) error {
		if n < 1 || n > pages || seen[n] {
			return fmt.Errorf("%w: page %d is listed as free twice or does not exist", disk.ErrCorrupt, n)
		}
		seen[n] = true
		return nil
	}
	number := func(raw []byte, at int) int64 {
		if len(raw) < at+4 {
			return -1
		}
		return int64(binary.BigEndian.Uint32(raw[at:]))
	}
	found := int64(0)
	for trunk := number(raw, 32); trunk != 0; trunk = number(raw, 0) {
		if err := mark(trunk); err != nil {
			return err
		}
		if raw, err = page(trunk); err != nil {
			return err
		}
		leaves := number(raw, 4)
		if leaves < 0 || leaves > int64(len(raw)/4-2) {
			return fmt.Errorf("%w: page %d lists %d free ones", disk.ErrCorrupt, trunk, leaves)
		}
		for i := range leaves {
			if err := mark(number(raw, 8+4*int(i))); err != nil {
				return err
			}
		}
		found += 1 + leaves
	}
	if found != free {
		return fmt.Errorf("%w: it counts %d free pages and lists %d", disk.ErrCorrupt, free, found)
	}
	used, err := sqlite.Column[int64](ctx, q,
		"SELECT pageno FROM dbstat")
	if err != nil {
		return err
	}
	for _, n := range used {
		if err := mark(n); err != nil {
			return err
		}
	}
	return nil
}
