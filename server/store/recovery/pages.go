package recovery

import (
	"cmp"
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
// larger journal, damage is found when a page is read.
const checkBytes = 1 << 30

// checkPages checks the pages table by table. A check of the whole database would also read the search index,
// which takes twenty times as long, and would not name the damaged table. If the log is missing, some pages may be
// older than others, so checkPages also compares each index with its table.
func (x *examined) checkPages(ctx context.Context) error {
	var pages, size int64
	if err := sqlite.One(ctx, x.db, []any{&pages, &size},
		"SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"); err != nil {
		return err
	}
	if pages*size > checkBytes && !x.logLost && !x.deep {
		return nil
	}
	err := x.checkTables(ctx, append([]string{"sqlite_schema"}, tables.NamesOf(x.version)...))
	switch {
	case errors.Is(err, errTableIndex):
		x.rewrite = cmp.Or(x.rewrite, err)
	case err != nil:
		return err
	}
	if x.rewrite == nil {
		err := x.checkTables(ctx, x.searchTables())
		if err == nil {
			err = checkFreePages(ctx, x.db, pages)
		}
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		x.rewrite = err
	}
	if !x.logLost {
		return nil
	}
	return x.checkTexts(ctx)
}

// checkTexts checks that each transcript row that holds the text of an event still exists.
func (x *examined) checkTexts(ctx context.Context) error {
	var lost int
	if err := sqlite.One(ctx, x.db, []any{&lost}, `SELECT count(*) FROM journal j WHERE j.text_at > 0
		AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.message_id = j.message_id AND m.status <> ?)`,
		world.MessageOpen); err != nil {
		return err
	}
	for _, p := range x.packs {
		if p.Lost {
			continue
		}
		rows, err := tables.ReadPack(ctx, x.db, p.From)
		if err != nil {
			return err
		}
		texts, err := tables.TextsOf(ctx, x.db, rows)
		if err != nil {
			return err
		}
		for i := range rows {
			if _, there := texts[rows[i].MessageID.String]; rows[i].TextAt > 0 && !there {
				lost++
			}
		}
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d events have lost their text", disk.ErrCorrupt, lost)
	}
	return nil
}

// searchTables returns the tables of the search index.
func (x *examined) searchTables() []string {
	if x.version == 1 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tables.SearchTableNames),
		func(name string) bool { return !strings.HasPrefix(name, "search_") })
}

// errTableIndex means that an index differs from its table.
var errTableIndex = fmt.Errorf("%w: an index differs from its table", disk.ErrCorrupt)

// checkTables examines the pages of some tables and their indexes. errTableIndex (wrapped) means that only
// indexes are damaged.
func (x *examined) checkTables(ctx context.Context, tables []string) error {
	var index error
	for _, table := range tables {
		verdicts, err := x.verdicts(ctx, table)
		if err != nil {
			return err
		}
		if len(verdicts) == 1 && verdicts[0] == "ok" {
			continue
		}
		only, err := x.onlyIndexes(ctx, table, verdicts)
		if err != nil {
			return err
		}
		if !only {
			return fmt.Errorf("%w: %s: %s", disk.ErrCorrupt, table, shorten(verdicts))
		}
		index = errors.Join(index, fmt.Errorf("%w: %s: %s", errTableIndex, table, shorten(verdicts)))
	}
	return index
}

// verdicts returns the lines of SQLite's report on a table, at most 100. If nothing is wrong, the only line is "ok".
func (x *examined) verdicts(ctx context.Context, table string) ([]string, error) {
	check := "quick_check"
	if x.logLost || x.deep {
		check = "integrity_check"
	}
	return sqlite.Column[string](ctx, x.db, "PRAGMA "+check+"("+table+")")
}

// shorten joins the first three lines of SQLite's report.
func shorten(verdicts []string) string { return strings.Join(verdicts[:min(len(verdicts), 3)], "; ") }

// onlyIndexes reports whether only indexes of a table are damaged, and not the table. If a table has several indexes
// and all of them disagree with it, the table has lost rows. If the log is lost, a table may be older than its indexes
// or newer, and it is unknown which of them is right.
func (x *examined) onlyIndexes(ctx context.Context, table string, verdicts []string) (bool, error) {
	type index struct {
		name string
		root int64
	}
	indexes, err := sqlite.Collect(ctx, x.db, func(rows *sql.Rows) (i index, err error) {
		err = rows.Scan(&i.name, &i.root)
		return i, err
	}, "SELECT name, rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", table)
	if err != nil || x.logLost || len(verdicts) >= 100 { // SQLite's report ends after 100 lines, so it may be incomplete
		return false, err
	}
	damaged := map[string]bool{}
	for _, v := range verdicts {
		named := slices.IndexFunc(indexes, func(i index) bool {
			return strings.HasSuffix(v, " index "+i.name) || strings.HasPrefix(v, fmt.Sprintf("Tree %d ", i.root))
		})
		if named < 0 {
			return false, nil
		}
		damaged[indexes[named].name] = true
	}
	return len(damaged) < len(indexes) || len(indexes) == 1, nil
}

// checkFreePages checks that the list of free pages can be read and names no page of a table. The checks of single
// tables do not check the list.
func checkFreePages(ctx context.Context, q sqlite.Queryer, pages int64) error {
	var free int64
	if err := sqlite.One(ctx, q, []any{&free}, "PRAGMA freelist_count"); err != nil || free == 0 {
		return err
	}
	if free > pages {
		return fmt.Errorf("%w: its list of free pages has %d pages, but the database has only %d",
			disk.ErrCorrupt, free, pages)
	}
	page := func(n int64) (raw []byte, err error) {
		return raw, sqlite.One(ctx, q, []any{&raw}, "SELECT data FROM sqlite_dbpage WHERE pgno = ?", n)
	}
	raw, err := page(1)
	if err != nil {
		return err
	}
	seen := make([]bool, pages+1) // one byte for each page
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
			return fmt.Errorf("%w: page %d of the list of free pages cannot hold %d entries",
				disk.ErrCorrupt, trunk, leaves)
		}
		for i := range leaves {
			if err := mark(number(raw, 8+4*int(i))); err != nil {
				return err
			}
		}
		found += 1 + leaves
	}
	if found != free {
		return fmt.Errorf("%w: its list of free pages should have %d pages but has %d", disk.ErrCorrupt, free, found)
	}
	used, err := sqlite.Column[int64](ctx, q, "SELECT pageno FROM dbstat")
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
