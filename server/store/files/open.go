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
