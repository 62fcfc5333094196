package files

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/afero"

	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// othersPerm are the permissions of everybody except the owner.
const othersPerm os.FileMode = 0o077

// maxModes is the maximum number of files and folders whose modes an opening checks.
const maxModes = 1_000_000

// removeOthersAccess removes all permissions except the owner's from the files of this program in the worlds
// folder: older versions made realm.db readable for all, and people copy files and unpack archives into the
// folder. It follows no links. It changes the mode of the worlds folder itself only if the folder holds nothing
// else. Otherwise the folder may be a shared one (/tmp), and a log message asks its owner to change the mode.
func (s *Worlds) removeOthersAccess() {
	// A dry run of retention has a file system that would copy into memory each file whose mode is changed.
	if _, dry := s.root.FS.(*afero.CopyOnWriteFs); dry {
		return
	}
	m := modes{fs: s.root.FS}
	entries, err := s.root.List()
	m.fail(err)
	foreign := ""
	for _, e := range entries {
		_, realm := s.lookup(realmKey{world.DefaultTenant, e.Name()})
		switch {
		case realm, slices.Contains(reservedNames, e.Name()), ownFile.MatchString(e.Name()):
			m.changeAll(s.root.Path(e.Name()))
		default:
			foreign = e.Name()
		}
	}
	if info, err := s.root.FS.Stat(s.root.Dir); err != nil {
		m.fail(err)
	} else if foreign == "" {
		m.change(s.root.Dir, info)
	} else if info.Mode().Perm()&othersPerm != 0 {
		s.log.Warn().Str("dir", s.root.Dir).Stringer("mode", info.Mode().Perm()).Str("holds", foreign).
			Msg("users other than the owner can open the worlds folder, but not the files of the realms; " +
				"the folder also holds other files, so its mode stays as it is; chmod 700 closes the folder")
	}
	if m.changed > 0 {
		s.log.Warn().Int("entries", m.changed).Str("dir", s.root.Dir).
			Msg("users other than the owner could open files of the worlds folder; " +
				"the modes of these files are corrected")
	}
	if m.failed > 0 {
		s.log.Error().Err(m.first).Int("entries", m.failed).Str("dir", s.root.Dir).
			Msg("users other than the owner may be able to open files of the worlds folder; " +
				"the modes of these files cannot be corrected")
	}
}

// ownFile matches the names of this program's files directly in the worlds folder, also of temporary ones and of
// those that were set aside.
var ownFile = pattern.New(`^\.?(\.lock|\.gitkeep|\.gitignore|` +
	`(realms|settings|retention|secret)\.(.*\.)?(json|key)(\..*)?|\.?removed\..*)$`)

// modes removes the permissions of others from files, and counts the files.
type modes struct {
	fs                    afero.Fs
	seen, changed, failed int
	first                 error // the first failure
}

func (m *modes) fail(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	if m.failed++; m.first == nil {
		m.first = err
	}
}

// changeAll removes the permissions of others from path and everything below it.
func (m *modes) changeAll(path string) {
	m.fail(afero.Walk(m.fs, path, func(path string, info os.FileInfo, err error) error {
		if m.seen++; m.seen > maxModes {
			return fs.SkipAll
		}
		if err != nil {
			m.fail(err)
			return nil
		}
		m.change(path, info)
		return nil
	}))
}

// change removes the permissions of others from a file or folder.
func (m *modes) change(path string, info os.FileInfo) {
	if !info.IsDir() && !info.Mode().IsRegular() || info.Mode().Perm()&othersPerm == 0 {
		return
	}
	if err := m.fs.Chmod(path, info.Mode()&^othersPerm); err != nil {
		m.fail(err)
		return
	}
	m.changed++
}
