package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"agentdungeon/server/store/disk"
)

// FindingsFile is the board of findings for other programs, where it is not on Redis
// (S3-15). It is a copy: the journal is the truth, and nothing of it is read back into a
// realm.
const FindingsFile = "findings.json"

// maxFindingsBytes is what it may hold: world.MaxFindings with texts of their full length.
const maxFindingsBytes = 256 << 20

// WriteFindings replaces findings.json, all or nothing. It makes no folder: one that was
// removed stays so.
func (f *Realm) WriteFindings(data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board.Lock()
	defer f.board.Unlock()
	err := f.Folder.Replace(FindingsFile, data)
	if err != nil && f.isFolder(FindingsFile) { // it is in the way, and somebody else's
		if _, err = f.Folder.SetAside(time.Now(), FindingsFile); err == nil {
			err = f.Folder.Replace(FindingsFile, data)
		}
	}
	if err != nil {
		return fmt.Errorf("write the board of findings: %w", err)
	}
	return nil
}

// ReadFindings gives findings.json as it is; ErrMissing where there is none.
func (f *Realm) ReadFindings() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Folder.Read(FindingsFile, maxFindingsBytes)
}

// RemoveFindings deletes findings.json; one that is not there is no error.
func (f *Realm) RemoveFindings() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board.Lock()
	defer f.board.Unlock()
	return f.removeFindings()
}

func (f *Realm) removeFindings() error {
	err := f.Folder.FS.Remove(f.Folder.Path(FindingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && f.isFolder(FindingsFile) {
		_, err = f.Folder.SetAside(time.Now(), FindingsFile)
	}
	if err != nil {
		return fmt.Errorf("remove the board of findings: %w", err)
	}
	return f.Folder.Sync()
}

// forgetBoard removes a board from before seq, and one that does not say. mu is held.
func (f *Realm) forgetBoard(seq int64) (gone bool, err error) {
	data, err := f.Folder.Read(FindingsFile, maxFindingsBytes)
	switch {
	case errors.Is(err, disk.ErrMissing):
		return false, nil
	case err != nil && !errors.Is(err, disk.ErrCorrupt):
		return false, fmt.Errorf("forget the board of findings: %w", err)
	}
	var at struct {
		Seq int64 `json:"seq"`
	}
	if err == nil && json.Unmarshal(data, &at) == nil && at.Seq >= seq {
		return false, nil
	}
	return true, f.removeFindings()
}
