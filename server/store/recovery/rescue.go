package recovery

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

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// A realm whose database was deleted or replaced while it was open is written to a folder of
// its own, out of the handles that still lead to it. It implements realm.Rescuer.

// Rescuer writes a realm elsewhere whose database was deleted or replaced while it was open.
type Rescuer struct {
	j         *journal.Journal
	elsewhere []string
}

// NewRescuer rescues the realm of an open journal: beside its folder or, where that has no
// parent any more, in the first of elsewhere that takes it.
func NewRescuer(j *journal.Journal, elsewhere ...string) Rescuer { return Rescuer{j, elsewhere} }

// InPlace gives world.ErrMoved (wrapped) where the journal's files were deleted or replaced.
func (r Rescuer) InPlace() error { return r.j.InPlace() }

// Rescue writes the realm to a new folder <realm>.rescued-<time>: the journal as its open
// handles have it, what memory has, and what still lies in the realm's own folder. The folder
// is made beside the realm's or, where that has no parent any more, in the first of elsewhere
// that takes it. It is whole when it has that name: moved to the realm's place, it is the realm.
// Where there is a dir beside an error, the error says what it lacks. Where the journal can be
// copied nowhere, the rest is. The journal must not be written any more (InPlace).
func (r Rescuer) Rescue(m world.Memory) (dir string, err error) {
	name := filepath.Base(r.j.Dir()) + files.RescuedSuffix + time.Now().UTC().Format("20060102T150405Z")
	var errs []error
	for _, rest := range []bool{false, true} {
		for i, parent := range append([]string{filepath.Dir(r.j.Dir())}, r.elsewhere...) {
			if i > 0 {
				if err := os.MkdirAll(parent, disk.FolderPerm); err != nil {
					errs = append(errs, err)
					continue
				}
			}
			dir, err := r.rescueIn(disk.At(afero.NewOsFs(), parent), name, m, rest)
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

func (r Rescuer) rescueIn(in disk.Folder, name string, m world.Memory, rest bool) (dir string, err error) {
	const tries = 1000 // as many rescued within one second
	for n := 1; ; n++ {
		to := name
		if n > 1 {
			to = fmt.Sprintf("%s-%d", name, n)
		}
		taken, err := in.Has(to)
		if err != nil {
			return "", err
		}
		if !taken {
			err = in.FS.Mkdir(in.Path(to+partSuffix), disk.FolderPerm)
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
	part := in.Path(name + partSuffix)
	err = r.j.Backup(filepath.Join(part, sqlite.JournalFile))
	if err != nil && !rest {
		return "", errors.Join(err, in.FS.RemoveAll(part))
	}
	lacks := errors.Join(err, r.copyRest(part), writeMemory(files.OpenRealm(in.FS, part), m))
	if err := in.Rename(name+partSuffix, name); err != nil {
		return "", err
	}
	return in.Path(name), errors.Join(lacks, in.Sync())
}

// writeMemory writes what memory has into a rescued folder. Of a skill whose own folder could
// not be copied that is what agents are told.
func writeMemory(files *files.Realm, m world.Memory) error {
	var errs []error
	if m.Checkpoint.World != nil {
		errs = append(errs, files.WriteCheckpoint(m.Checkpoint))
	}
	for _, v := range m.Vaults {
		errs = append(errs, files.WriteVault(v))
	}
	for _, s := range m.Skills {
		if there, err := files.SkillsFolder().Has(s.Name); there || err != nil || s.Bad != "" {
			continue
		}
		text, err := skill.Write(skill.Skill{Name: s.Name, Description: s.Description, Body: s.Body})
		if err == nil {
			err = files.WriteSkill(world.SkillFiles{Name: s.Name, Files: map[string]string{skill.File: text}})
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, files.Folder.Sync())...)
}

// copyRest copies what else lies in the realm's own folder, where that is still in its place:
// skills, vaults, the map, files that were set aside. Links are left out, as are what Rescue
// writes itself and files that a write has left half done.
func (r Rescuer) copyRest(to string) error {
	if !r.j.FolderInPlace() {
		return nil
	}
	own := map[string]bool{files.StateFile: true, files.PreviousFile: true, lock.FileName: true}
	for _, name := range sqlite.JournalFiles {
		own[name] = true
	}
	_, err := copyFolder(r.j.Dir(), to, func(rel string, d fs.DirEntry) bool { return own[rel] }, copyOne)
	return err
}

// copyFolder copies the folders and plain files below from into to, which is there, but for
// those that skip names and what writes that were cut short have left. links are the names
// of what is neither and stays behind, at most maxListed of them.
func copyFolder(from, to string, skip func(rel string, d fs.DirEntry) bool,
	copyFile func(from, to string) error) (links []string, err error) {
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
		case rel == ".", skip(rel, d), disk.TempName.MatchString(d.Name()):
			return nil
		case strings.HasSuffix(rel, ".tmp") && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rel), disk.FolderPerm)
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
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, disk.FilePerm)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close(), in.Close())
}
