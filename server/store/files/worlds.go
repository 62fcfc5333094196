package files

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/world"
)

// Worlds is an open worlds folder. Its methods are safe for concurrent use. Those that change something wait
// for the disk, those that only read never do.
type Worlds struct {
	root   disk.Folder
	log    zerolog.Logger
	lock   *lock.Worlds
	secret []byte

	mu     sync.Mutex // held while a file of the folder itself is written (B10)
	closed bool
	// unread is why Open did not use realms.json; see saveRegistry.
	unread error
	// unsaved has the last active realms, by tenant, that could not be stored: the next successful change
	// stores them too.
	unsaved map[string]string
	// guessed is set if realms.json was unusable and the last active realms are guesses, except those of
	// the tenants in chosen.
	guessed bool
	chosen  map[string]bool
	// registry and settings are replaced as a whole after they were stored, and never changed, so readers
	// need no lock.
	registry atomic.Pointer[registry]
	settings atomic.Pointer[world.Settings]

	templates, teams givenCache
}

// Open creates the folder if it is missing, locks it until Close, and loads everything before it returns
// (B1). It returns a *LockedError if another server holds the folder. It never fails because of a file that
// is damaged, newer or unreadable: it handles and logs these, so that no file keeps the server from
// starting.
func Open(fsys afero.Fs, dir string, log zerolog.Logger) (*Worlds, error) {
	return openStore(fsys, dir, log, false)
}

// OpenToRead is Open for a caller that only reads: it does not return a *LockedError for a folder on a
// read-only disk.
func OpenToRead(fsys afero.Fs, dir string, log zerolog.Logger) (*Worlds, error) {
	return openStore(fsys, dir, log, true)
}

func openStore(fsys afero.Fs, dir string, log zerolog.Logger, reads bool) (*Worlds, error) {
	dir, err := lock.CleanDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	s := &Worlds{root: disk.At(fsys, dir), log: log, chosen: map[string]bool{}, unsaved: map[string]string{}}
	if err := s.root.Create(); err != nil {
		return nil, fmt.Errorf("open the worlds folder %s: %w", dir, err)
	}
	if s.lock, err = lock.Take(fsys, dir, log); errors.Is(err, disk.ErrLocked) && reads && lock.ReadOnly(fsys, dir) {
		s.lock, err = &lock.Worlds{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := s.root.Sweep(); err != nil {
		s.log.Warn().Err(err).Msg("temporary files could not be deleted")
	}
	s.openSecret()
	s.openSettings()
	if err := s.openRegistry(); err != nil {
		if err := s.lock.Release(); err != nil {
			s.log.Warn().Err(err).Msg("the lock was not released")
		}
		return nil, fmt.Errorf("open the worlds folder %s: %w", dir, err)
	}
	s.closeToOthers()
	return s, nil
}

// Dir returns the worlds folder, as an absolute path on the machine's own file system.
func (s *Worlds) Dir() string { return s.root.Dir }

// SetAddress writes this server's address into the lock.
func (s *Worlds) SetAddress(addr string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return disk.ErrClosed
	}
	s.lock.Info.Address = addr
	return s.lock.Write()
}

// inPlace returns world.ErrMoved (wrapped) if the folder was deleted or replaced while the store was open.
// This process must not change what is there now.
func (s *Worlds) inPlace() error {
	if err := s.lock.Folder.InPlace(); err != nil {
		return fmt.Errorf("the worlds folder %s: %w", s.root.Dir, err)
	}
	return nil
}

// Close releases the folder and changes nothing in it: the last active realm stays the last active one
// (B3). A second Close does nothing. It returns world.ErrMoved (wrapped) if the folder was moved
// away.
func (s *Worlds) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.inPlace(), s.lock.Release())
}
