package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var (
	// ErrNoRealm means that the tenant has no registered realm with the id.
	ErrNoRealm = errors.New("there is no such realm")
	// ErrNoTenant means that the name of a tenant is empty or not allowed (S1-08).
	ErrNoTenant = errors.New("a tenant's name must have 1 to 64 characters of a-z, 0-9, - and _")
	// ErrInWorlds means that a repository's path is inside the worlds folder. Such a repository is never
	// linked, because deleting a realm would delete it.
	ErrInWorlds = errors.New("the folder lies inside the worlds folder")
)

// tenantsFolder holds the realms of all tenants but the default one, whose realms are in the worlds folder
// itself.
const tenantsFolder = "tenants"

// Worlds is an open worlds folder. Its methods are safe for concurrent use. Those that change something wait
// for the disk; those that only read do not, except for TemplateFiles, TeamFiles, Retention and LoadWatch.
type Worlds struct {
	root     disk.Folder
	log      zerolog.Logger
	lock     *lock.Worlds
	secret   []byte
	reads    bool           // the caller only reads
	defaults world.Settings // the settings of new realms

	mu     sync.Mutex // held while a file that lies directly in the folder is written (B10)
	closed bool
	// keyUnsaved is set while a new secret is not stored.
	keyUnsaved bool
	// unread is the error that prevented Open from using realms.json, nil if there was none. saveRegistry then reads the
	// file again before it writes.
	unread error
	// unsaved has, by tenant, the last active realms that could not be stored. The next change of the registry stores
	// them too.
	unsaved map[string]string
	// guessed is set if realms.json was unusable and the last active realms are guesses, except those of
	// the tenants in chosen.
	guessed bool
	chosen  map[string]bool
	// registry points to a registry that never changes: each change stores a new one here. So readers need no lock.
	registry atomic.Pointer[registry]

	templates, teams offers
}

// Dir returns the worlds folder, as an absolute path on the machine's own file system.
func (s *Worlds) Dir() string { return s.root.Dir }

// SetAddress writes this server's address into the file .lock.
func (s *Worlds) SetAddress(addr string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return disk.ErrClosed
	}
	s.lock.Info.Address = addr
	return s.lock.Write()
}

// inPlace returns world.ErrMoved (wrapped) if the folder was deleted or replaced while the store was open. The server
// must not write to another folder that is now at the same path.
func (s *Worlds) inPlace() error {
	if err := s.lock.Folder.InPlace(); err != nil {
		return fmt.Errorf("the worlds folder %s: %w", s.root.Dir, err)
	}
	return nil
}

// writable returns the reason for which files of the folder must not be changed, or nil if they may be. The caller
// holds mu.
func (s *Worlds) writable() error {
	if s.closed {
		return disk.ErrClosed
	}
	return s.inPlace()
}

// replace makes the JSON of v the content of a file that lies directly in the folder. The caller holds mu.
func (s *Worlds) replace(name string, v any) error {
	data, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return s.root.Replace(name, data)
}

// encodeJSON returns v as indented JSON that ends with a newline.
func encodeJSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

func (s *Worlds) tenantsRoot() disk.Folder { return disk.At(s.root.FS, s.root.Path(tenantsFolder)) }

// tenantRoot returns the folder that holds a tenant's realms.
func (s *Worlds) tenantRoot(tenant string) disk.Folder {
	if tenant == world.DefaultTenant {
		return s.root
	}
	return disk.At(s.root.FS, s.tenantsRoot().Path(tenant))
}

// checkTenant returns ErrNoTenant (wrapped) if name is empty or not allowed.
func checkTenant(name string) error {
	if !wire.ValidTenant(name) {
		return fmt.Errorf("tenant %q: %w", name, ErrNoTenant)
	}
	return nil
}
