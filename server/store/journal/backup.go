package journal

import (
	"errors"
	"fmt"
	"path/filepath"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// InPlace gives world.ErrMoved (wrapped) where the journal's files were deleted or replaced
// since they were opened, and then nothing is written any more. Any other error that keeps the
// journal from being written is not its matter.
func (j *Journal) InPlace() error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if err := j.db.writable(); errors.Is(err, world.ErrMoved) {
		return err
	}
	return nil
}

// Backup copies the database page by page through the handle that is open, which leads to
// the file whatever became of its name: so a damaged page costs nothing but itself. The copy is
// one file, closed as a clean stop leaves it.
func (j *Journal) Backup(to string) error {
	j.db.mu.Lock()
	defer j.db.mu.Unlock()
	if j.db.w == nil {
		return errors.New("the journal is not open any more")
	}
	_ = j.db.w.Run("ROLLBACK") // of a write that an error has cut short; else there is nothing to roll back
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
		err = fmt.Errorf("the copy of %s ends at %d before %d", sqlite.JournalFile, head, j.db.head)
	}
	if err == nil {
		err = w.Shut()
	}
	return errors.Join(err, w.Close())
}

// Dir is the realm's folder.
func (j *Journal) Dir() string { return filepath.Dir(j.db.path) }

// FolderInPlace says that the path of the realm's folder still leads to the folder in which
// the journal was opened.
func (j *Journal) FolderInPlace() bool {
	return j.db.location != nil && j.db.location.folder.InPlace() == nil
}
