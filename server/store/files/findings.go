package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"agentdungeon/server/store/disk"
)

// FindingsFile is the board of findings for other programs, while it is not on Redis (S3-15). It is a copy
// of what the journal has, and no realm reads it.
const FindingsFile = "findings.json"

// maxFindingsBytes limits the file: it holds world.MaxFindings with texts of full length.
const maxFindingsBytes = 256 << 20

// WriteFindings replaces findings.json atomically. It does not create the realm's folder if that was
// removed.
func (f *Realm) WriteFindings(data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board.Lock()
	defer f.board.Unlock()
	err := f.Folder.Replace(FindingsFile, data)
	if err != nil && f.isFolder(FindingsFile) { // a folder of that name, which somebody else made, blocks the file
		if _, err = f.Folder.SetAside(time.Now(), FindingsFile); err == nil {
			err = f.Folder.Replace(FindingsFile, data)
		}
	}
	if err != nil {
		return fmt.Errorf("write the board of findings: %w", err)
	}
	return nil
}

// ReadFindings returns the content of findings.json. It returns ErrMissing if there is none.
func (f *Realm) ReadFindings() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Folder.Read(FindingsFile, maxFindingsBytes)
}

// RemoveFindings deletes findings.json; a missing file is no error.
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

// forgetBoard removes findings.json if it is older than seq or has no seq. mu is held.
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
