package journal

import (
	"errors"
	"fmt"
	"path/filepath"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// InPlace returns world.ErrMoved (wrapped) if the journal's files were deleted or replaced since they
// were opened; then nothing is written any more. It ignores any other error that keeps the journal from
// being written.
func (j *Journal) InPlace() error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if err := j.db.writable(); errors.Is(err, world.ErrMoved) {
		return err
	}
	return nil
}

// Backup copies the database page by page through the open handle, which still leads to the file after
// it was renamed or deleted. A damaged page is the only thing lost. The copy is one file, as after a
// clean close.
func (j *Journal) Backup(to string) error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if j.db.w == nil {
		return errors.New("the journal is closed")
	}
	_ = j.db.w.Run("ROLLBACK") // of a write that an error interrupted; otherwise there is nothing to roll back
	dsn, err := sqlite.DSN(to, "mode=rwc")
	if err != nil {
		return err
	}
	err = j.db.w.Backup(dsn)
	if err != nil {
		return fmt.Errorf("copy %s: %w", sqlite.JournalFile, err)
	}
	w, err := tables.OpenWriter(to, sqlite.ModeWrite)
	if err != nil {
		return err
	}
	head, err := w.StoredHead()
	if err == nil && head < j.db.head {
		err = fmt.Errorf("the copy of %s ends at event %d, before %d", sqlite.JournalFile, head, j.db.head)
	}
	if err == nil {
		err = w.Shut()
	}
	return errors.Join(err, w.Close())
}

// Dir returns the realm's folder.
func (j *Journal) Dir() string { return filepath.Dir(j.db.path) }

// FolderInPlace reports whether the path of the realm's folder still leads to the folder in which the
// journal was opened.
func (j *Journal) FolderInPlace() bool {
	return j.db.location != nil && j.db.location.folder.InPlace() == nil
}
