package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// eventPage is the number of events that eachEvent reads before it closes its cursor.
const eventPage = 2000

// People returns the people whom the committed rows and events name, by id, each with all names. It leaves out people
// who were erased.
func (r *Reader) People(ctx context.Context) ([]world.KnownPerson, error) {
	known := map[string]*world.KnownPerson{}
	err := r.View(func(db *sql.DB) error {
		rows, err := sqlite.Collect(ctx, db, func(rows *sql.Rows) (n world.Naming, err error) {
			err = rows.Scan(&n.SpectatorID, &n.Name)
			return n, err
		}, "SELECT DISTINCT spectator_id, name FROM messages WHERE spectator_id <> '' ORDER BY 1, 2")
		for _, n := range rows {
			addName(known, n, 0)
		}
		return err
	})
	if err == nil {
		err = r.eachEvent(ctx, func(e *tables.EventRow) {
			if !world.FactsOf(e.Type).Names() {
				return
			}
			if ev, err := e.Event(); err == nil { // the names of an event that cannot be read are unknown
				for _, named := range world.Named(ev.Body) {
					addName(known, named, ev.At)
				}
			}
		})
	}
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	out := make([]world.KnownPerson, 0, len(known))
	for _, p := range known {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b world.KnownPerson) int {
		return cmp.Or(cmp.Compare(a.Names[0], b.Names[0]), cmp.Compare(a.SpectatorID, b.SpectatorID))
	})
	return out, nil
}

// Remarks returns what people said to everybody, the oldest first: the newest world.MaxRemarks. It leaves out what was
// erased.
func (r *Reader) Remarks(ctx context.Context) (out []world.Remark, err error) {
	err = r.eachEvent(ctx, func(e *tables.EventRow) {
		if e.Type != (*world.SpectatorCommand)(nil).EventType() {
			return
		}
		ev, err := e.Event()
		if err != nil { // what an event says that cannot be read is unknown
			return
		}
		if b, ok := ev.Body.(*world.SpectatorCommand); ok && b.Text != "" {
			out = append(out, world.Remark{At: ev.At, By: b.Name, Text: b.Text})
			out = out[max(0, len(out)-world.MaxRemarks):]
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list what was said to everybody: %w", err)
	}
	return out, nil
}

// eachEvent calls do for each committed event that the journal has, the oldest first. It reads eventPage events at a
// time.
func (r *Reader) eachEvent(ctx context.Context, do func(*tables.EventRow)) (err error) {
	for last, more := int64(-1), true; more && err == nil; {
		err = r.View(func(db *sql.DB) error {
			return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error {
				if last < 0 {
					floor, err := tables.ReadFloor(ctx, q)
					if err != nil {
						return err
					}
					last = floor - 1
				}
				n := 0
				more = false
				return tables.EachEvent(ctx, q, last, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
					last = e.Seq
					n++
					more = n >= eventPage
					do(e)
					return !more, ctx.Err()
				})
			})
		})
	}
	return err
}

func addName(known map[string]*world.KnownPerson, n world.Naming, at world.Time) {
	if n.SpectatorID == "" || n.Name == "" || n.Name == world.ErasedName {
		return
	}
	p := known[n.SpectatorID]
	if p == nil {
		p = &world.KnownPerson{SpectatorID: n.SpectatorID}
		known[n.SpectatorID] = p
	}
	if !slices.Contains(p.Names, n.Name) {
		p.Names = append(p.Names, n.Name)
	}
	p.LastAt = max(p.LastAt, at)
}
