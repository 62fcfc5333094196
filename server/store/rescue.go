package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/afero"
	"modernc.org/sqlite"

	"agentdungeon/server/forge"
	"agentdungeon/shared/world"
)

// A realm whose database was deleted or replaced while it was open is written to a folder of
// its own, out of the handles that still lead to it. It implements realm.Rescuer.

// InPlace gives world.ErrMoved (wrapped) where the journal's files were deleted or replaced
// since they were opened, and then nothing is written any more. Any other error that keeps the
// journal from being written is not its matter.
func (j *Journal) InPlace() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.writable(); errors.Is(err, world.ErrMoved) {
		return err
	}
	return nil
}

// Rescue writes the realm to a new folder <realm>.rescued-<time>: the journal as its open
// handles have it, what memory has, and what still lies in the realm's own folder. The folder
// is made beside the realm's or, where that has no parent any more, in the first of elsewhere
// that takes it. It is whole when it has that name: moved to the realm's place, it is the realm.
// Where there is a dir beside an error, the error says what it lacks. Where the journal can be
// copied nowhere, the rest is. The journal must not be written any more (InPlace).
func (j *Journal) Rescue(m world.Memory, elsewhere ...string) (dir string, err error) {
	name := filepath.Base(filepath.Dir(j.path)) + rescuedSuffix + time.Now().UTC().Format("20060102T150405Z")
	var errs []error
	for _, rest := range []bool{false, true} {
		for i, parent := range append([]string{filepath.Dir(filepath.Dir(j.path))}, elsewhere...) {
			if i > 0 {
				if err := os.MkdirAll(parent, folderPerm); err != nil {
					errs = append(errs, err)
					continue
				}
			}
			dir, err := j.rescueIn(folder{afero.NewOsFs(), parent}, name, m, rest)
			if dir != "" {
				return dir, err
			}
			errs = append(errs, err)
		}
	}
	return "", fmt.Errorf("rescue the realm: %w", errors.Join(errs...))
}

// partSuffix ends the name of a rescued folder that is not whole yet.
const partSuffix = ".part"

func (j *Journal) rescueIn(in folder, name string, m world.Memory, rest bool) (dir string, err error) {
	const tries = 1000 // as many rescued within one second
	for n := 1; ; n++ {
		to := name
		if n > 1 {
			to = fmt.Sprintf("%s-%d", name, n)
		}
		taken, err := in.has(to)
		if err != nil {
			return "", err
		}
		if !taken {
			err = in.fs.Mkdir(in.path(to+partSuffix), folderPerm)
		}
		if taken || errors.Is(err, fs.ErrExist) {
			if n == tries {
				return "", fmt.Errorf("%d names like %s are taken", tries, name)
			}
			continue
		}
		if err != nil {
			return "", err
		}
		name = to
		break
	}
	part := in.path(name + partSuffix)
	err = j.copyJournal(filepath.Join(part, JournalFile))
	if err != nil && !rest {
		return "", errors.Join(err, in.fs.RemoveAll(part))
	}
	lacks := errors.Join(err, j.copyRest(part), writeMemory(OpenFiles(in.fs, part), m))
	if err := in.rename(name+partSuffix, name); err != nil {
		return "", err
	}
	return in.path(name), errors.Join(lacks, in.sync())
}

// writeMemory writes what memory has into a rescued folder. Of a skill whose own folder could
// not be copied that is what agents are told.
func writeMemory(files *RealmFiles, m world.Memory) error {
	var errs []error
	if m.Checkpoint.World != nil {
		errs = append(errs, files.WriteCheckpoint(m.Checkpoint))
	}
	for _, v := range m.Vaults {
		errs = append(errs, files.WriteVault(v))
	}
	for _, s := range m.Skills {
		if there, err := files.skills().has(s.Name); there || err != nil || s.Bad != "" {
			continue
		}
		text, err := forge.Write(forge.Skill{Name: s.Name, Description: s.Description, Body: s.Body})
		if err == nil {
			err = files.WriteSkill(world.SkillFiles{Name: s.Name, Files: map[string]string{forge.SkillFile: text}})
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, files.root.sync())...)
}

// copyJournal copies the database page by page through the handle that is open, which leads to
// the file whatever became of its name: so a damaged page costs nothing but itself. The copy is
// one file, closed as a clean stop leaves it.
func (j *Journal) copyJournal(to string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w == nil {
		return errors.New("the journal is not open any more")
	}
	_ = j.w.run("ROLLBACK") // of a write that an error has cut short; else there is nothing to roll back
	dsn, err := sqliteDSN(to, "mode=rwc")
	if err != nil {
		return err
	}
	err = j.w.conn.Raw(func(c any) error {
		from, ok := c.(interface {
			NewBackup(uri string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T has no backup", c)
		}
		b, err := from.NewBackup(dsn)
		if err != nil {
			return err
		}
		_, err = b.Step(-1)
		return errors.Join(err, b.Finish())
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", JournalFile, err)
	}
	w, err := openWriter(j.driver, to, modeWrite)
	if err != nil {
		return err
	}
	head, err := w.storedHead()
	if err == nil && head < j.head {
		err = fmt.Errorf("the copy of %s ends at %d before %d", JournalFile, head, j.head)
	}
	if err == nil {
		err = w.shut()
	}
	return errors.Join(err, w.close())
}

// copyRest copies what else lies in the realm's own folder, where that is still in its place:
// skills, vaults, the map, files that were set aside. Links are left out, as are what Rescue
// writes itself and files that a write has left half done.
func (j *Journal) copyRest(to string) error {
	from := filepath.Dir(j.path)
	if j.location == nil || j.location.folder.inPlace() != nil {
		return nil
	}
	own := map[string]bool{StateFile: true, PreviousFile: true, lockFile: true}
	for _, name := range journalFiles {
		own[name] = true
	}
	_, err := copyFolder(from, to, func(rel string, d fs.DirEntry) bool { return own[rel] }, copyOne)
	return err
}

// copyFolder copies the folders and plain files below from into to, which is there, but for
// those that skip names and what writes that were cut short have left. links are the names
// of what is neither and stays behind, at most maxListed of them.
func copyFolder(from, to string, skip func(rel string, d fs.DirEntry) bool, copyFile func(from, to string) error) (links []string, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it goes while it is looked at
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case rel == ".", skip(rel, d), tempName.MatchString(d.Name()):
			return nil
		case strings.HasSuffix(rel, ".tmp") && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rel), folderPerm)
		case d.Type().IsRegular():
			return copyFile(path, filepath.Join(to, rel))
		case len(links) < maxListed:
			links = append(links, rel)
		}
		return nil
	})
	return links, err
}

func copyOne(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close(), in.Close())
}
