package tables

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// KeptBases is the number of bases that the journal stores: the newest one, and two older ones in case the newest is
// damaged. A base is a whole world that is stored in the journal, so that a restore need not begin at the first
// event.
const KeptBases = 3

// InsertBase stores a base and deletes all but the newest KeptBases.
func (w *Writer) InsertBase(c world.Checkpoint) error {
	if _, err := w.Exec("INSERT OR REPLACE INTO bases (seq, epoch, saved_at, sum, world) VALUES (?, ?, ?, ?, ?)",
		c.Seq, c.Epoch, int64(c.SavedAt), FrameSum(c.World, 0, ""), []byte(c.World)); err != nil {
		return err
	}
	_, err := w.Exec("DELETE FROM bases WHERE seq NOT IN (SELECT seq FROM bases ORDER BY seq DESC LIMIT ?)", KeptBases)
	return err
}

// BaseRow is a row of the table bases, without the world.
type BaseRow struct {
	Seq     int64
	epoch   string
	SavedAt world.Time
}

// ReadBases returns all bases without their worlds, the newest first.
func ReadBases(ctx context.Context, q sqlite.Queryer) ([]BaseRow, error) {
	return sqlite.Collect(ctx, q, func(rows *sql.Rows) (b BaseRow, err error) {
		err = rows.Scan(&b.Seq, &b.epoch, (*int64)(&b.SavedAt))
		return b, err
	}, "SELECT seq, epoch, saved_at FROM bases ORDER BY seq DESC LIMIT ?", KeptBases)
}

// ReadBase returns a base's world and land. Fields that an older version did not store get their defaults (S3-18).
// ReadBase returns ErrCorrupt if the result is invalid.
func ReadBase(ctx context.Context, q sqlite.Queryer, b BaseRow) (*world.World, *world.Land, error) {
	var raw []byte
	var sum int64
	if err := sqlite.One(ctx, q, []any{&raw, &sum}, "SELECT world, sum FROM bases WHERE seq = ?", b.Seq); err != nil {
		return nil, nil, err
	}
	if FrameSum(raw, 0, "") != sum {
		return nil, nil, fmt.Errorf("%w: the checksum of base %d is wrong", disk.ErrCorrupt, b.Seq)
	}
	w, land, err := world.DecodeState(raw, json.Unmarshal)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: base %d: %w", disk.ErrCorrupt, b.Seq, err)
	}
	w.Fill()
	land.Fill()
	if err := w.Validate(); err != nil {
		return nil, nil, fmt.Errorf("%w: base %d: %w", disk.ErrCorrupt, b.Seq, err)
	}
	if w.Tick != b.Seq {
		return nil, nil, fmt.Errorf("%w: the world of base %d has the tick %d", disk.ErrCorrupt, b.Seq, w.Tick)
	}
	return w, land, nil
}
