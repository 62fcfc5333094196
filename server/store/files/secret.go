package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
)

// newKey is what follows from a new key.
const newKey = "with the new key, people of earlier visits are not recognized, and links with tokens that the server " +
	"made are not valid any more"

const (
	secretFile  = "secret.key"
	secretBytes = 32
)

// Secret returns the key that signs seats. A seat is the signed value by which a browser stays the same person. The
// key has 32 random bytes and is the same for the lifetime of the folder. It must not be changed, logged or sent.
func (s *Worlds) Secret() []byte { return slices.Clone(s.secret) }

// ReadSecret reads the key of a worlds folder. A running server may have the folder open.
func ReadSecret(fsys afero.Fs, dir string) ([]byte, error) {
	key, err := disk.At(fsys, dir).Read(secretFile, secretBytes)
	if err == nil && len(key) != secretBytes {
		err = fmt.Errorf("%s: %w: it has %d bytes, not %d", secretFile, disk.ErrCorrupt, len(key), secretBytes)
	}
	return key, err
}

// saveSecret stores a new key if that has not succeeded yet. The caller holds mu, or is Open.
func (s *Worlds) saveSecret() error {
	if !s.keyUnsaved {
		return nil
	}
	if err := s.root.Replace(secretFile, s.secret); err != nil {
		return fmt.Errorf("store the key that signs seats: %w", err)
	}
	s.keyUnsaved = false
	return nil
}

// openSecret reads the key. If there is none, openSecret creates it. If a new key cannot be stored, the key, and
// every seat that it signs, is valid until the server stops.
func (s *Worlds) openSecret() {
	key, err := ReadSecret(s.root.FS, s.root.Dir)
	if err == nil {
		s.secret = key
		return
	}
	if _, old := s.root.FS.Stat(filepath.Join(s.root.Dir, registryFile)); old == nil && errors.Is(err, disk.ErrMissing) {
		s.log.Warn().Msg("the key that signs seats is missing; " + newKey)
	}
	if errors.Is(err, disk.ErrCorrupt) {
		aside, asideErr := s.root.SetAside(time.Now(), secretFile)
		s.log.Error().Err(errors.Join(err, asideErr)).Strs("setAside", aside).
			Msg("the key that signs seats is damaged; " + newKey)
		err = asideErr
		if err == nil {
			err = disk.ErrMissing
		}
	}
	s.secret = make([]byte, secretBytes)
	rand.Read(s.secret) // crypto/rand.Read never returns an error
	if errors.Is(err, disk.ErrMissing) {
		s.keyUnsaved = true
		err = s.saveSecret()
	}
	if err != nil {
		s.log.Error().Err(err).
			Msg("the key that signs seats could not be stored; the next start will not recognize people")
	}
}
