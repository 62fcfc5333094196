package recovery

import (
	"errors"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/world"
)

// realmDir is the folder of a realm, and what the realm is created from if the folder holds nothing.
type realmDir struct {
	files    *files.Realm
	path     string // the path of realm.db
	realm    world.Realm
	defaults world.Settings
	now      world.Time
}

// isOwn reports whether a world can belong to this realm: the two have the same id, or one of them has none.
// Callers use it for a world that no journal confirms, so that the world of another realm is never restored.
func (d *realmDir) isOwn(w *world.World) bool {
	return d.realm.ID == "" || w.Realm.ID == "" || w.Realm.ID == d.realm.ID
}

// newWorld returns the world of a realm without events.
func (d *realmDir) newWorld() *world.World {
	w := world.New(d.realm)
	w.Settings = d.defaults
	w.Fill()
	return w
}

// wasUsed reports whether the folder shows that the realm was open before: it has files that were set aside, or
// vaults.
func (d *realmDir) wasUsed() (bool, error) {
	vaults, err := d.files.KnowledgeFolder.List()
	if err != nil || len(vaults) > 0 {
		return len(vaults) > 0, err
	}
	entries, err := d.files.Folder.List()
	for _, e := range entries {
		if strings.Contains(e.Name(), ".aside-") {
			return true, nil
		}
	}
	return false, err
}

// checkpointFile is one of the two checkpoints in a realm's folder. It is read when it is needed:
// state.prev.json only if state.json cannot be used. After take, the world of loaded may have changed.
type checkpointFile struct {
	name   string
	source string                  // world.RestoredFromCheckpoint or world.RestoredFromPrevious
	read   bool                    // whether loaded and err are what the file holds
	loaded *files.LoadedCheckpoint // nil if there is an error
	err    error
}

func newCheckpointFiles() []*checkpointFile {
	return []*checkpointFile{
		{name: files.StateFile, source: world.RestoredFromCheckpoint},
		{name: files.PreviousFile, source: world.RestoredFromPrevious},
	}
}

// load reads the file, unless it was read and its world has not been taken.
func (c *checkpointFile) load(files *files.Realm) {
	if !c.read {
		c.read = true
		c.loaded, c.err = files.LoadCheckpoint(c.name)
	}
}

// isSpoiled reports whether the file is damaged, or was written by a newer version, so that this version can never use
// it.
func (c *checkpointFile) isSpoiled() bool {
	return errors.Is(c.err, disk.ErrCorrupt) || errors.Is(c.err, disk.ErrNewer)
}

// isUnread reports whether an error of the disk prevented reading the file. The file may be intact.
func (c *checkpointFile) isUnread() bool {
	return c.err != nil && !c.isSpoiled() && !errors.Is(c.err, disk.ErrMissing)
}

// isUsable reports whether the file holds a world of the realm in d.
func (c *checkpointFile) isUsable(d *realmDir) bool {
	return c.loaded != nil && d.isOwn(c.loaded.World)
}
