package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"agentdungeon/server/store/disk"
)

// FindingsFile is the file in which other programs find a copy of the findings while this copy is not on Redis
// (S3-15). No realm reads the file: the journal has the findings.
const FindingsFile = "findings.json"

// maxFindingsBytes limits the size of findings.json, in bytes. It is enough for world.MaxFindings findings with
// texts of the maximum length.
const maxFindingsBytes = 256 << 20

// WriteFindings replaces findings.json atomically. It does not create the realm's folder if that was
// removed.
func (f *Realm) WriteFindings(data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.boardMu.Lock()
	defer f.boardMu.Unlock()
	err := f.Folder.Replace(FindingsFile, data)
	if err != nil && f.isFolder(FindingsFile) { // another program has made a folder of that name
		if _, err = f.Folder.SetAside(time.Now(), FindingsFile); err == nil {
			err = f.Folder.Replace(FindingsFile, data)
		}
	}
	if err != nil {
		return fmt.Errorf("write findings.json: %w", err)
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
	f.boardMu.Lock()
	defer f.boardMu.Unlock()
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
		return fmt.Errorf("remove findings.json: %w", err)
	}
	return f.Folder.Sync()
}

// forgetBoard removes findings.json if its seq is lower than seq or cannot be read. The caller holds mu and
// boardMu.
func (f *Realm) forgetBoard(seq int64) (gone int, err error) {
	data, err := f.Folder.Read(FindingsFile, maxFindingsBytes)
	switch {
	case errors.Is(err, disk.ErrMissing):
		return 0, nil
	case err != nil && !errors.Is(err, disk.ErrCorrupt):
		return 0, fmt.Errorf("remove findings.json during an erasure: %w", err)
	}
	var at struct {
		Seq int64 `json:"seq"`
	}
	if err == nil && json.Unmarshal(data, &at) == nil && at.Seq >= seq {
		return 0, nil
	}
	if err := f.removeFindings(); err != nil {
		return 0, err
	}
	return 1, nil
}
