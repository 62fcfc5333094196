package recovery

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/kinds"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// copyTables copies what can be read and determines the floor and the head of the new journal.
func (s *salvage) copyTables(ctx context.Context, gens []*generation) error {
	for _, g := range gens { // numbers that screens have seen; without lines they are taken for the realm's
		if g.loaded != nil && s.r.ours(g.loaded.World) && (g.standing(s.rem) != otherLine || len(s.rem.Lines) == 0) {
			s.head = max(s.head, g.loaded.Seq)
			if g.loaded.Messages > s.knownRows {
				s.knownRows, s.countedTo = g.loaded.Messages, g.loaded.Seq
			}
		}
	}
	if s.old == nil {
		for _, g := range gens {
			if g.loaded != nil && s.r.ours(g.loaded.World) {
				s.head = max(s.head, g.loaded.Seq)
			}
		}
		s.floor = s.head + 1
		return nil
	}
	if err := s.copyEvents(ctx); err != nil {
		return err
	}
	if err := s.copyRows(ctx); err != nil {
		return err
	}
	for table, key := range map[string]string{"conversations": "n", "commands": "n", "audit": "n"} {
		into, err := s.into(ctx, table, key)
		if err != nil {
			return err
		}
		if err := s.old.each(ctx, table, key, into.columns, 0, func(v []any) error {
			_, _, err := into.insert(v)
			return err
		}); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	for table, order := range map[string]string{"runs": "conversation_id, request_id", "forges": "conversation_id",
		"erasures": "erasure_id"} {
		into, err := s.into(ctx, table, "")
		if err != nil {
			return err
		}
		if err := s.old.eachNamed(ctx, table, order, into.columns, func(v []any) error {
			_, _, err := into.insert(v)
			return err
		}); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	for _, key := range []string{tables.MetaAge, tables.MetaSettings, tables.MetaVaults} {
		if value := s.old.meta(ctx, key); value != "" {
			if err := s.w.SetMeta(key, value); err != nil {
				return err
			}
		}
	}
	return s.mendHeads(ctx)
}

// target is a table of the new journal with the columns that the old table has too.
type target struct {
	w       *tables.Writer
	columns []string // without the key
	kinds   []string // of the key, if there is one, and the columns
	null    []bool   // may be NULL
	query   string
}

func (s *salvage) into(ctx context.Context, table, key string) (*target, error) {
	t := &target{w: s.w}
	type column struct {
		name, kind string
		must       bool
	}
	columns, err := sqlite.Collect(ctx, s.w, func(rows *sql.Rows) (c column, err error) {
		err = rows.Scan(&c.name, &c.kind, &c.must)
		return c, err
	}, "SELECT name, type, \"notnull\" OR pk > 0 FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	add := func(c column) {
		t.kinds, t.null = append(t.kinds, c.kind), append(t.null, !c.must)
	}
	names := []string{}
	for _, c := range columns {
		if c.name == key {
			names = append(names, key)
			add(c)
		}
	}
	for _, c := range columns {
		if c.name != key && s.old.has(table, c.name) {
			t.columns = append(t.columns, c.name)
			add(c)
		}
	}
	names = append(names, t.columns...)
	if len(names) == 0 { // the old journal has no such table: nothing is copied
		return t, nil
	}
	t.query = "INSERT OR IGNORE INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?",
		len(names)-1) + ")"
	return t, nil
}

// insert copies a row unless its key is taken. fitted reports that a value had a type that this program never
// writes and was converted.
func (t *target) insert(values []any) (fresh, fitted bool, err error) {
	args := slices.Clone(values)
	for i, v := range values {
		if v == nil && t.null[i] {
			continue
		}
		var same bool
		switch t.kinds[i] {
		case "INTEGER":
			_, same = v.(int64)
			args[i] = asInt(v)
		case "TEXT":
			text := asText(v)
			is, isText := v.(string)
			same = isText && is == text
			args[i] = text
		default:
			_, same = v.([]byte)
			args[i] = blobOf(v)
		}
		fitted = fitted || !same
	}
	res, err := t.w.Exec(t.query, args...)
	if err != nil {
		return false, fitted, err
	}
	n, err := res.RowsAffected()
	return n > 0, fitted, err
}

// blobOf returns an empty slice for nil, so that the driver does not store NULL.
func blobOf(v any) []byte {
	if b := asBytes(v); b != nil {
		return b
	}
	return []byte{}
}

// copyEvents copies the events whose checksums are right, in blocks or in rows.
func (s *salvage) copyEvents(ctx context.Context) error {
	var blocks []tables.Span
	first := int64(0)
	saw := func(from, to int64) {
		if s.events += to - from + 1; first == 0 || from < first {
			first = from
		}
		s.head = max(s.head, to)
	}
	if err := s.old.each(ctx, "journal_packs", "from_seq", []string{"to_seq", "sum", "events"}, s.head,
		func(v []any) error {
			from, to, sum, events := v[0].(int64), asInt(v[1]), asInt(v[2]), asBytes(v[3])
			if from < 1 || len(blocks) > 0 && from <= blocks[len(blocks)-1].To {
				return nil
			}
			rows, err := tables.Unpack(from, to, sum, events)
			if err != nil {
				return nil
			}
			for i := range rows {
				if _, err := rows[i].Event(); errors.Is(err, disk.ErrNewer) {
					return err
				} else if err != nil {
					return nil
				}
			}
			blocks = append(blocks, tables.Span{From: from, To: to})
			saw(from, to)
			_, err = s.w.Exec("INSERT INTO journal_packs (from_seq, to_seq, sum, events) VALUES (?, ?, ?, ?)", from, to, sum,
				events)
			return err
		}); err != nil {
		return fmt.Errorf("copy blocks of events: %w", err)
	}
	columns := strings.Split(strings.TrimPrefix(tables.EventColumns, "seq, "), ", ")
	if err := s.old.each(ctx, "journal", "seq", columns, s.head, func(v []any) error {
		e := tables.EventRow{
			Seq: v[0].(int64), At: asInt(v[1]), Type: asText(v[2]), V: asInt(v[3]), RequestID: asText(v[4]),
			TextAt: asInt(v[5]), Sum: asInt(v[6]),
			MessageID: sql.NullString{String: asText(v[7]), Valid: v[7] != nil}, Frame: asBytes(v[8]),
		}
		if _, err := e.Event(); errors.Is(err, disk.ErrNewer) {
			return err
		} else if err != nil {
			return nil
		}
		if i, _ := slices.BinarySearchFunc(blocks, e.Seq, func(b tables.Span,
			seq int64) int {
			return int(min(max(b.To-seq, -1), 1))
		}); i < len(blocks) && blocks[i].From <= e.Seq {
			return nil
		}
		if fresh, err := s.w.AddEvent(&e); err != nil || !fresh { // the event was copied before
			return err
		}
		saw(e.Seq, e.Seq)
		return nil
	}); err != nil {
		return fmt.Errorf("copy events: %w", err)
	}
	s.floor = s.rem.floor
	if s.floor < 1 || first > 0 && s.floor > first {
		s.floor = first
	}
	if s.floor < 1 || s.floor > s.head+1 {
		s.floor = s.head + 1
	}
	return nil
}

// maxAhead is how far a row's seq may be above the last event; a higher one is damaged. At most maxMisplaced
// rows without a usable seq are kept.
const (
	maxAhead     = 1 << 20
	maxMisplaced = 1000
)

// copyRows copies the rows of transcripts. It marks damaged rows by their checksum, and puts rows without a
// usable seq behind the others.
func (s *salvage) copyRows(ctx context.Context) error {
	into, err := s.into(ctx, "messages", "seq")
	if err != nil {
		return err
	}
	s.sealed = math.MaxInt64
	if until, err := strconv.ParseInt(s.old.meta(ctx, tables.MetaPlain), 10, 64); err == nil {
		s.sealed = until // tidying has not yet added checksums to the other rows of an older version
	}
	known := s.head
	var misplaced [][]any
	if err := s.old.each(ctx, "messages", "seq", into.columns, s.head, func(v []any) error {
		seq := v[0].(int64)
		placed := seq >= 1 && seq <= known+maxAhead
		if placed {
			if placed, err = s.copyRow(ctx, into, v, seq <= known); err != nil {
				return err
			}
		}
		if !placed && len(misplaced) < maxMisplaced {
			misplaced = append(misplaced, slices.Clone(v))
		}
		return nil
	}); err != nil {
		return fmt.Errorf("copy rows: %w", err)
	}
	for _, v := range misplaced {
		v[0] = s.head + 1
		if _, err := s.copyRow(ctx, into, v, true); err != nil {
			return fmt.Errorf("copy rows: %w", err)
		}
	}
	return nil
}

// copyRow copies a row, unless one of its id is there. One behind the last number that is
// known, or where another row stands, is not placed where it is damaged: its place may be
// what is damaged.
func (s *salvage) copyRow(ctx context.Context, into *target, v []any, known bool) (placed bool, err error) {
	id := asText(v[1+slices.Index(into.columns, "message_id")])
	fresh, fitted, err := into.insert(v)
	if err != nil {
		return false, err
	}
	if !fresh { // the row came before, or another one is in its place
		same, err := s.w.Row(id)
		return len(same) > 0, err
	}
	if sum := slices.Index(into.columns, "sum"); fitted || sum >= 0 && v[1+sum] == nil && v[0].(int64) <= s.sealed {
		if err := s.markDamaged(ctx, id); err != nil {
			return false, err
		}
	}
	if !known {
		rows, err := s.w.Row(id)
		if err != nil {
			return false, err
		}
		if len(rows) > 0 && rows[0].Damaged {
			_, err := s.w.Exec("DELETE FROM messages WHERE message_id = ?", id)
			return false, err
		}
	}
	s.rows++
	s.head = max(s.head, v[0].(int64))
	return true, nil
}

// markDamaged gives a row a wrong checksum.
func (s *salvage) markDamaged(ctx context.Context, messageID string) error {
	rows, err := s.w.Row(messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	return s.w.Seal(messageID, rows[0].Content, true)
}

// mendHeads makes existing heads readable: it drops a field whose JSON is invalid, and replaces an impossible
// value by the nearest possible one.
func (s *salvage) mendHeads(ctx context.Context) error {
	type head struct {
		n                         int64
		kind, status, team, about string
	}
	heads, err := sqlite.Collect(ctx, s.w, func(rows *sql.Rows) (h head, err error) {
		err = rows.Scan(&h.n, &h.kind, &h.status, &h.team, &h.about)
		return h, err
	}, "SELECT n, kind, status, team, about FROM conversations")
	if err != nil {
		return err
	}
	for _, h := range heads {
		was := h
		if !kinds.Known(h.kind) {
			h.kind = kinds.Recovered
		}
		if !slices.Contains(world.ConversationStatuses, h.status) {
			h.status = world.ConversationCompleted
		}
		var team world.Team
		if json.Unmarshal([]byte(h.team), &team) != nil || team.Members == nil {
			h.team = `{"id":"","name":"","members":[]}`
		}
		if h.about != "" && json.Unmarshal([]byte(h.about), new(world.About)) != nil {
			h.about = ""
		}
		if h == was {
			continue
		}
		s.heads++
		if _, err := s.w.Exec("UPDATE conversations SET kind = ?, status = ?, team = ?, about = ? WHERE n = ?", h.kind,
			h.status, h.team, h.about, h.n); err != nil {
			return err
		}
	}
	return nil
}

// markRows marks damaged rows, so that a later check can tell new damage from damage that is known and
// shown.
func (s *salvage) markRows(ctx context.Context) error {
	sums := map[int64]int64{} // by seq, one for each damaged row
	if err := tables.EachStored(ctx, s.w, func(row *tables.StoredRow) {
		if row.Damaged && !row.Marked() && row.Sum.Valid {
			sums[row.Seq] = row.MarkedSum()
		}
	}); err != nil {
		return fmt.Errorf("look for damaged rows: %w", err)
	}
	for seq, sum := range sums {
		if _, err := s.w.Exec("UPDATE messages SET sum = ? WHERE seq = ?", sum, seq); err != nil {
			return fmt.Errorf("mark a damaged row: %w", err)
		}
	}
	return nil
}
