package keeper

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
)

const (
	// previewTime is the maximum time for reading a folder for its preview. A folder that takes longer gets no preview.
	previewTime = 10 * time.Second
	// previewAge is the time for which a repeated request gets the same preview, without another read of the folder.
	previewAge = time.Minute
)

// preview is the last preview of a tenant.
type preview struct {
	path string
	at   time.Time
	wire.Preview
}

// Preview returns the map that a folder would have if it were linked (P5.1a). It changes nothing on the disk. A
// folder that is linked while the server runs becomes a realm with the id of its last preview, so that its land
// looks like the preview. The server reads one folder at a time for previews, and keeps the last preview of each
// tenant.
func (t *Tenant) Preview(ctx context.Context, path string) (*wire.Preview, error) {
	clean, err := t.k.cfg.Folders.Check(path)
	if err != nil {
		return nil, err
	}
	if _, ok := t.store.FindByPath(clean); ok {
		return nil, wire.Errorf(wire.Conflict, "%s is linked; open its realm", clean)
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	select {
	case t.k.previewing <- struct{}{}:
		defer func() { <-t.k.previewing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another preview: %w", ctx.Err())
	}
	last := t.lastPreview(clean)
	if last != nil && time.Since(last.at) < previewAge {
		return &last.Preview, nil
	}
	tree, _, err := t.k.cfg.Folders.Scan(ctx, clean, func(int) {})
	if err != nil {
		return nil, fmt.Errorf("scan the folder for a preview: %w", err)
	}
	p := &preview{path: clean, at: time.Now()}
	p.Name = nameOf(filepath.Base(clean))
	if last != nil {
		p.RealmID = last.RealmID
	} else if p.RealmID, err = t.store.FreeID(p.Name); err != nil {
		return nil, fmt.Errorf("choose an id for a preview: %w", err)
	}
	p.Country = dungeon.Country(p.RealmID, tree)
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.k.previews[t.name] = p
	return &p.Preview, nil
}

// lastPreview returns the tenant's last preview, or nil if it shows another folder than path.
func (t *Tenant) lastPreview(path string) *preview {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if p := t.k.previews[t.name]; p != nil && p.path == path {
		return p
	}
	return nil
}

// previewedID returns the id of the last preview of the folder and forgets that preview. It returns "" if there is
// none; the realm then gets a new id.
func (t *Tenant) previewedID(path string) string {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	p := t.k.previews[t.name]
	if p == nil || p.path != path {
		return ""
	}
	delete(t.k.previews, t.name)
	return p.RealmID
}
