package tables

import (
	"context"
	"encoding/json"
	"fmt"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Notice records what an opening restored, stored with its epoch. If the realm closes before the actor
// could report it (in its first event), the next opening reports it too.
type Notice struct {
	Head            int64      `json:"head"`
	Source          string     `json:"source,omitempty"` // "" at the first opening of a realm
	Since           world.Time `json:"since,omitempty"`
	TranscriptsLost bool       `json:"transcriptsLost,omitempty"`
	SetAside        []string   `json:"setAside,omitempty"`
	// Salvage is the result of a salvage, nil if there was none.
	Salvage *world.Salvage `json:"salvage,omitempty"`
}

// SetNotice stores n in place of the previous notice.
func (w *Writer) SetNotice(n *Notice) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode notice: %w", err)
	}
	return w.SetMeta(metaNotice, string(raw))
}

// ReadNotice returns the notice. It returns disk.ErrCorrupt (wrapped) for a damaged one.
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
