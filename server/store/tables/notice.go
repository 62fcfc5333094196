package tables

import (
	"context"
	"encoding/json"
	"fmt"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Notice is what an opening restored, kept with its line: should it end before the
// actor could tell it (its first event), the next opening tells it too.
type Notice struct {
	Head            int64      `json:"head"`
	Source          string     `json:"source,omitempty"` // "" at a realm's first opening
	Since           world.Time `json:"since,omitempty"`
	TranscriptsLost bool       `json:"transcriptsLost,omitempty"`
	SetAside        []string   `json:"setAside,omitempty"`
	// Salvage is what came of one, nil where there was none.
	Salvage *world.Salvage `json:"salvage,omitempty"`
}

// SetNotice replaces the notice.
func (w *Writer) SetNotice(n *Notice) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode notice: %w", err)
	}
	return w.SetMeta(metaNotice, string(raw))
}

// ReadNotice returns the notice, or disk.ErrCorrupt (wrapped).
func ReadNotice(ctx context.Context, q sqlite.Queryer) (*Notice, error) {
	var raw []byte
	if err := sqlite.One(ctx, q, []any{&raw}, "SELECT value FROM meta WHERE key = ?", metaNotice); err != nil {
		return nil, err
	}
	n := new(Notice)
	if err := json.Unmarshal(raw, n); err != nil {
		return nil, fmt.Errorf("%w: its notice: %w", disk.ErrCorrupt, err)
	}
	return n, nil
}
