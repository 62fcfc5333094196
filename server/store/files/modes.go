package files

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

// othersPerm are the permissions of everybody except the owner.
const othersPerm os.FileMode = 0o077

// maxModes limits how many entries an opening checks.
const maxModes = 1_000_000

// closeToOthers removes everybody's permissions except the owner's from the files of this program in the
// worlds folder: older versions made realm.db readable for all, and people copy files and unpack archives
// into the folder. It does not change the owner's permissions or links. It changes the worlds folder itself
// only if that holds nothing else. Otherwise the folder may be any (/tmp), and the log asks its owner to
// close it.
func (s *Worlds) closeToOthers() {
	if _, dry := s.root.FS.(*afero.CopyOnWriteFs); dry { // a dry run would copy the files into memory
		return
	}
	m := modes{fs: s.root.FS}
	entries, err := s.root.List()
	m.fail(err)
	foreign := ""
	for _, e := range entries {
		_, realm := s.find(world.DefaultTenant, e.Name())
		switch {
		case realm, slices.Contains(reservedNames, e.Name()), ownFile.MatchString(e.Name()):
			m.close(s.root.Path(e.Name()))
		default:
			foreign = e.Name()
		}
	}
	if info, err := s.root.FS.Stat(s.root.Dir); err != nil {
		m.fail(err)
	} else if foreign == "" {
		m.mend(s.root.Dir, info)
	} else if info.Mode().Perm()&othersPerm != 0 {
		s.log.Warn().Str("dir", s.root.Dir).Stringer("mode", info.Mode().Perm()).Str("holds", foreign).
			Msg("others than the owner can get into the worlds folder, though not at what the realms hold; " +
				"it holds other things too, so its mode is left alone: chmod 700 closes it")
	}
	if m.mended > 0 {
		s.log.Warn().Int("entries", m.mended).Str("dir",
			s.root.Dir).Msg("others than the owner could get at files of the worlds folder; their modes are mended")
	}
	if m.left > 0 {
		s.log.Error().Err(m.first).Int("entries", m.left).Str("dir",
			s.root.Dir).Msg("others than the owner may get at files of the worlds folder, and their modes cannot be mended")
	}
}

func (s *Worlds) find(tenant, id string) (RealmEntry, bool) {
	r := s.registry.Load()
	if i := r.find(realmKey{tenant, id}); i >= 0 {
		return r.Realms[i], true
	}
	return RealmEntry{}, false
}

// ownFile matches the names of files of the worlds folder itself, also of those that were set aside or are
// temporary.
var ownFile = regexp.MustCompile(`^\.?(\.lock|\.gitkeep|\.gitignore|` +
	`(realms|settings|retention|secret)\.(.*\.)?(json|key)(\..*)?|\.?removed\..*)$`)

// modes counts the permissions that were changed.
type modes struct {
	fs                 afero.Fs
	seen, mended, left int
	first              error
}

func (m *modes) fail(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	if m.left++; m.first == nil {
		m.first = err
	}
}

// close removes the permissions of others from path and everything below it.
func (m *modes) close(path string) {
	m.fail(afero.Walk(m.fs, path, func(path string, info os.FileInfo, err error) error {
		if m.seen++; m.seen > maxModes {
			return fs.SkipAll
		}
		if err != nil {
			m.fail(err)
			return nil
		}
		m.mend(path, info)
		return nil
	}))
}

func (m *modes) mend(path string, info os.FileInfo) {
	if !info.IsDir() && !info.Mode().IsRegular() || info.Mode().Perm()&othersPerm == 0 {
		return
	}
	if err := m.fs.Chmod(path, info.Mode()&^othersPerm); err != nil {
		m.fail(err)
		return
	}
	m.mended++
}
