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

// Worlds is an open worlds folder. Its methods may be called from any goroutine;
// those that change something wait for the disk, those that only look never do.
type Worlds struct {
	root   disk.Folder
	log    zerolog.Logger
	lock   *lock.Worlds
	secret []byte

	mu     sync.Mutex // held while a file of the folder itself is written (B10)
	closed bool
	// unread is why realms.json was left alone at Open; see saveRegistry.
	unread error
	// unsaved are the last active realms, by tenant, that the disk did not take: the next
	// change that it takes saves them too.
	unsaved map[string]string
	// guessed: the last active realms are not a person's choice but guesses for lack of
	// realms.json, but for those of the tenants in chosen, which is bounded by them.
	guessed bool
	chosen  map[string]bool
	// registry and settings are replaced as a whole once they are on disk, and never
	// changed: whoever looks needs no lock.
	registry atomic.Pointer[registry]
	settings atomic.Pointer[world.Settings]

	templates, teams givenCache
}

// Open makes the folder where it is missing, takes its lock for as long as the
// store is open, and loads everything before it returns (B1). A folder that
// another server holds is a *LockedError. A file that is damaged, newer or cannot
// be read is dealt with and logged, never an error: no file keeps the server from
// starting.
func Open(fsys afero.Fs, dir string, log zerolog.Logger) (*Worlds, error) {
	return openStore(fsys, dir, log, false)
}

// OpenToRead is Open for who only reads: a folder that another server holds on a disk that
// can only be read is no *LockedError.
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
		s.log.Warn().Err(err).Msg("left-over files stay")
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

// Dir is the worlds folder, absolute on the machine's own file system.
func (s *Worlds) Dir() string { return s.root.Dir }

// SetAddress writes into the lock where this server is reached.
func (s *Worlds) SetAddress(addr string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return disk.ErrClosed
	}
	s.lock.Info.Address = addr
	return s.lock.Write()
}

// InPlace gives world.ErrMoved (wrapped) where the folder was deleted or replaced while the
// store was open: what lies there now is not ours to change.
func (s *Worlds) inPlace() error {
	if err := s.lock.Folder.InPlace(); err != nil {
		return fmt.Errorf("the worlds folder %s: %w", s.root.Dir, err)
	}
	return nil
}

// Close lets the folder go. It changes nothing in it: the last active realm stays
// the last active one (B3). A second Close does nothing. world.ErrMoved (wrapped) where the
// folder is not in its place any more.
func (s *Worlds) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.inPlace(), s.lock.Release())
}
