package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// Rescuer rescues an open realm whose database was deleted or replaced. It writes the realm to a new folder, from
// the open handles, which still lead to the old database. It implements realm.Rescuer.
type Rescuer struct {
	j         *journal.Journal
	elsewhere []string
}

// NewRescuer returns a Rescuer for the realm whose open journal is j. It writes beside the realm's folder or, if that
// is not possible, into the first folder of elsewhere that can be written.
func NewRescuer(j *journal.Journal, elsewhere ...string) Rescuer { return Rescuer{j, elsewhere} }

// InPlace returns world.ErrMoved (wrapped) if the journal's files were deleted or replaced.
func (r Rescuer) InPlace() error { return r.j.InPlace() }

// Rescue writes the realm to a new folder <realm>.rescued-<time>: the journal as its open handles read it, the
// actor's memory m, and all other files that are still in the realm's own folder. The folder gets this name when
// it is complete. A person who moves it to the place of the realm's folder gets the realm back. If the journal
// cannot be copied, Rescue writes everything else. If it returns both a dir and an error, the error says what dir
// lacks. Before the call, the caller makes sure that nothing is written to the journal any more (InPlace).
func (r Rescuer) Rescue(m world.Memory) (dir string, err error) {
	name := filepath.Base(r.j.Dir()) + files.RescuedSuffix + time.Now().UTC().Format("20060102T150405Z")
	var errs []error
	for _, withoutJournal := range []bool{false, true} {
		for i, parent := range append([]string{filepath.Dir(r.j.Dir())}, r.elsewhere...) {
			if i > 0 {
				if err := os.MkdirAll(parent, disk.FolderPerm); err != nil {
					errs = append(errs, err)
					continue
				}
			}
			dir, err := r.rescueIn(disk.At(afero.NewOsFs(), parent), name, m, withoutJournal)
			if dir != "" {
				return dir, err
			}
			errs = append(errs, err)
		}
	}
	return "", fmt.Errorf("rescue the realm: %w", errors.Join(errs...))
}

// partSuffix ends the name of a folder that is not complete.
const partSuffix = ".part"

// rescueIn writes the realm to a new folder inside in; makePart chooses its name. If the journal cannot be copied,
// rescueIn returns "" and an error, unless withoutJournal is set.
func (r Rescuer) rescueIn(in disk.Folder, name string, m world.Memory, withoutJournal bool) (dir string, err error) {
	if name, err = makePart(in, name); err != nil {
		return "", err
	}
	part := in.Path(name + partSuffix)
	err = r.j.Backup(filepath.Join(part, sqlite.JournalFile))
	if err != nil && !withoutJournal {
		return "", errors.Join(err, in.FS.RemoveAll(part))
	}
	lacks := errors.Join(err, r.copyRest(part), writeMemory(files.OpenRealm(in.FS, part), m))
	if err := in.Rename(name+partSuffix, name); err != nil {
		return "", err
	}
	return in.Path(name), errors.Join(lacks, in.Sync())
}

// makePart creates the folder <name>.part, with a number after the name if that is taken. It returns the name.
func makePart(in disk.Folder, name string) (string, error) {
	const tries = 1000 // limits the rescues within one second
	free := name
	for n := 2; n <= tries+1; n++ {
		taken, err := in.Has(free)
		if err == nil && !taken {
			err = in.FS.Mkdir(in.Path(free+partSuffix), disk.FolderPerm)
		}
		if !taken && !errors.Is(err, fs.ErrExist) {
			return free, err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return "", fmt.Errorf("all %d names like %s exist already", tries, name)
}

// writeMemory writes the actor's memory into a rescued folder. If a skill's own folder could not be copied,
// writeMemory writes the part of the skill that is in memory: the instructions for agents.
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

// copyRest copies the other files of the realm's own folder, if that is still in its place: skills, vaults, the map,
// files that were set aside. It skips links, temporary files, and what Rescue writes itself.
func (r Rescuer) copyRest(to string) error {
	if !r.j.FolderInPlace() {
		return nil
	}
	own := append([]string{files.StateFile, files.PreviousFile, lock.FileName}, sqlite.JournalFiles...)
	_, err := copyFolder(r.j.Dir(), to, func(rel string) bool { return slices.Contains(own, rel) },
		func(from, to string) error {
			err := copyFile(from, to, func(out, in *os.File, _ int64) error {
				_, err := io.Copy(out, in)
				return err
			})
			if errors.Is(err, fs.ErrNotExist) && !disk.Exists(from) {
				return nil // removed meanwhile
			}
			return err
		})
	return err
}
