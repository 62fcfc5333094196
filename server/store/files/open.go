package files

import (
	"errors"
	"fmt"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
)

// Open creates the worlds folder dir if it is missing, locks it until Close, and loads everything before it returns
// (B1). It returns a *LockedError if another server holds the folder. A damaged, newer or unreadable file is no
// error, so that it does not keep the server from starting: Open handles it and logs it.
func Open(fsys afero.Fs, dir string, log zerolog.Logger) (*Worlds, error) {
	return openWorlds(fsys, dir, log, false)
}

// OpenToRead is Open for a caller that only reads: if another server holds a folder on a read-only disk, it
// opens the folder without a lock.
func OpenToRead(fsys afero.Fs, dir string, log zerolog.Logger) (*Worlds, error) {
	return openWorlds(fsys, dir, log, true)
}

func openWorlds(fsys afero.Fs, dir string, log zerolog.Logger, reads bool) (*Worlds, error) {
	dir, err := lock.CleanDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	s := &Worlds{root: disk.At(fsys, dir), log: log, reads: reads, chosen: map[string]bool{}, unsaved: map[string]string{}}
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
		s.log.Warn().Err(err).Msg("temporary files in the worlds folder could not be deleted")
	}
	s.openSecret()
	s.openSettings()
	if err := s.openRegistry(); err != nil {
		if err := s.lock.Release(); err != nil {
			s.log.Warn().Err(err).Msg("the lock of the worlds folder could not be released")
		}
		return nil, fmt.Errorf("open the worlds folder %s: %w", dir, err)
	}
	s.removeOthersAccess()
	return s, nil
}

// Unsaved returns the reason why the key of a new folder is still not stored, after one more attempt; nil if it is.
func (s *Worlds) Unsaved() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	return s.saveSecret()
}

// Close stores what could not be stored before, releases the folder, and changes nothing else in it: the last active
// realm stays the last active one (B3). A second Close does nothing. It returns world.ErrMoved (wrapped) if the folder
// was moved away, and says what is still not stored.
func (s *Worlds) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	err := s.inPlace()
	if err == nil && !s.reads {
		err = errors.Join(s.saveSecret(), s.saveLastActive())
	}
	s.closed = true
	return errors.Join(err, s.lock.Release())
}

// saveLastActive stores the last active realms that could not be stored before. The caller holds mu.
func (s *Worlds) saveLastActive() error {
	if len(s.unsaved) == 0 {
		return nil
	}
	if err := s.changeLocked(func(*registry) error { return nil }); err != nil {
		return fmt.Errorf("store which realms were the last active ones (by tenant: %v): %w", s.unsaved, err)
	}
	return nil
}
