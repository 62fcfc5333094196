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

// A realm whose database was deleted or replaced while it was open is written to a new folder, from the handles
// that still lead to it.

// Rescuer writes such a realm to a new folder. It implements realm.Rescuer.
type Rescuer struct {
	j         *journal.Journal
	elsewhere []string
}

// NewRescuer returns a Rescuer of the realm of an open journal. It writes beside the realm's folder or, if the
// parent folder is gone, into the first folder of elsewhere that can be written.
func NewRescuer(j *journal.Journal, elsewhere ...string) Rescuer { return Rescuer{j, elsewhere} }

// InPlace returns world.ErrMoved (wrapped) if the journal's files were deleted or replaced.
func (r Rescuer) InPlace() error { return r.j.InPlace() }

// Rescue writes the realm to a new folder <realm>.rescued-<time>: the journal as its open handles have it, the
// actor's memory m, and what is still in the realm's own folder. It makes the folder beside the realm's or, if
// the parent is gone, in the first folder of elsewhere that can be written. The folder gets that name when it is
// complete; moved to the realm's place, it is the realm. If Rescue returns both a dir and an error, the error
// says what dir lacks. If the journal cannot be copied, it writes the rest. The journal must not be written
// any more (InPlace).
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

// partSuffix ends the name of a rescued folder that is not complete.
const partSuffix = ".part"

func (r Rescuer) rescueIn(in disk.Folder, name string, m world.Memory, rest bool) (dir string, err error) {
	const tries = 1000 // limits the rescues within one second
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
				return "", fmt.Errorf("all %d names like %s exist already", tries, name)
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

// writeMemory writes the actor's memory into a rescued folder. If a skill's own folder could not be copied, it
// writes the part of the skill that agents are given.
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

// copyRest copies the other files of the realm's own folder, if that is still in its place: skills, vaults, the
// map, files that were set aside. It skips links, temporary files, and what Rescue writes
// itself.
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

// copyFolder copies the folders and regular files below from into the existing folder to, except for temporary
// files and those for which skip returns true. links names other entries, which it does not copy, at most
// maxListed of them.
func copyFolder(from, to string, skip func(rel string, d fs.DirEntry) bool,
	copyFile func(from, to string) error) (links []string, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
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
