package files

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
)

// KnowledgeName is the name of the folder of a realm's vaults.
const KnowledgeName = "knowledge"

// Realm reads and writes the JSON files of one realm's folder. It implements the interface Files of server/realm. Its
// methods are safe for concurrent use and wait for the disk. All writes to a realm's folder go through one value of
// this type, which serializes them. Only the mirror, which writes findings.json, uses a second one.
type Realm struct {
	Folder          disk.Folder
	KnowledgeFolder disk.Folder

	mu       sync.Mutex                   // held while a file is written: writes never interleave (B10)
	messages atomic.Pointer[func() int64] // counts the rows of the transcripts; nil before the journal is open

	// stateValid is set if state.json is known to be a valid checkpoint. Only then may it be renamed to
	// state.prev.json.
	stateValid bool
	lastEpoch  string // epoch of the last checkpoint that was written
	lastSeq    int64
	// replaceable has the ids of the agents whose vault file was read or written through this Realm. Only these files
	// may be replaced. The map has at most one entry for each vault of the realm.
	replaceable map[string]bool

	// held is the locked folder of an open realm, nil if unknown. If that folder was moved away, nothing is written,
	// because another folder at the same path belongs to somebody else.
	held *lock.Folder

	skillMu sync.Mutex // held while skills are read or written; checkpoints do not wait for it

	boardMu *sync.Mutex // held while findings.json changes; taken after mu. See boardLock
}

// boardLocks has the mutexes of boardLock by folder: one for each folder that was used since the server started.
var boardLocks sync.Map

// boardLock returns the mutex that all Realms of a folder hold while findings.json changes: the mirror
// writes the file, and the actor's erasures remove it through another Realm.
func boardLock(dir string) *sync.Mutex {
	mu, _ := boardLocks.LoadOrStore(dir, new(sync.Mutex))
	return mu.(*sync.Mutex)
}

// OpenRealm returns the files of the realm folder dir, which need not exist yet.
func OpenRealm(fsys afero.Fs, dir string) *Realm {
	root := disk.At(fsys, dir)
	return &Realm{Folder: root, KnowledgeFolder: disk.At(fsys, root.Path(KnowledgeName)), replaceable: map[string]bool{},
		boardMu: boardLock(dir)}
}

// CountMessages sets the function that counts the rows of the transcripts, for later checkpoints.
func (f *Realm) CountMessages(count func() int64) { f.messages.Store(&count) }

// Hold sets the locked folder of the open realm. If the folder is moved away, nothing is written any more.
func (f *Realm) Hold(held *lock.Folder) { f.held = held }

// Dir returns the realm's folder.
func (f *Realm) Dir() string { return f.Folder.Dir }

// SetAside renames those of the files that exist and returns their new names, all of which contain the present time.
// It never replaces another file.
func (f *Realm) SetAside(names ...string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stateValid = false // the call may have renamed state.json
	return f.Folder.SetAside(time.Now(), names...)
}

// write calls do, which writes a file, with mu held. If the folder was moved away, write returns world.ErrMoved
// (wrapped) and does not call do. The text in the parameter what says in each error what was to be written.
func (f *Realm) write(what string, do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.held.InPlace()
	if err == nil {
		err = do()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// isFolder reports whether a folder has the name of one of the realm's files.
func (f *Realm) isFolder(name string) bool {
	info, err := disk.Lstat(f.Folder.FS, f.Folder.Path(name))
	return err == nil && info.IsDir()
}
