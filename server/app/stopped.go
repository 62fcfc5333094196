package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// Stopped is a realm in a worlds folder that no server holds. Its methods open the realm while they run,
// without drivers. They return disk.ErrLocked if a server holds the folder.
type Stopped struct {
	FS     afero.Fs
	Worlds string // the worlds folder
	Tenant string
	Realm  string // "" for the last active realm
}

// nobody stands in for drivers, templates and teams: it has none of them. Commands use it to open a realm in which
// they only read, erase or delete conversations. The templates and teams that are stored in the realm stay unchanged.
type nobody struct{}

func (nobody) Driver(*world.Template, world.Role) driver.Driver { return nil }

func (nobody) Teams() []*world.Team { return nil }

func (nobody) Team(id string) (*world.Team, error) {
	return nil, fmt.Errorf("there is no team %s: the realm was opened without teams", id)
}

func (nobody) All() []*world.Template { return nil }

func (nobody) Template(id string) (*world.Template, error) {
	return nil, fmt.Errorf("there is no template %s: the realm was opened without templates", id)
}

// lostTranscripts returns an error if recovery lost every transcript of the realm. Without this error, a list
// would look complete, and an erasure would seem to have nothing to erase.
func lostTranscripts(o *recovery.Opened) error {
	r := o.Saved.Restored
	if r == nil || !r.TranscriptsLost || r.Salvage != nil && r.Salvage.Messages > 0 {
		return nil
	}
	return fmt.Errorf("the realm's database could not be read, so the earlier transcripts are unknown; recovery "+
		"has set the database aside: %s", strings.Join(r.SetAside, ", "))
}

// opened opens the realm, calls do, and closes the realm. The parameter open is the function that opens the worlds
// folder: files.Open, or files.OpenToRead, which needs no lock on a read-only disk.
func (s Stopped) opened(ctx context.Context, open func(afero.Fs, string, zerolog.Logger) (*files.Worlds, error),
	do func(*recovery.Opened) error) (err error) {
	st, err := open(s.FS, s.Worlds, zerolog.Nop())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	of, err := st.Tenant(s.Tenant)
	if err != nil {
		return err
	}
	realmID := cmp.Or(s.Realm, of.LastActive())
	if realmID == "" {
		return fmt.Errorf("tenant %s has no realms in %s", s.Tenant, st.Dir())
	}
	e, ok := of.Get(realmID)
	if !ok {
		return fmt.Errorf("tenant %s has no realm %q in %s", s.Tenant, realmID, st.Dir())
	}
	dir, err := of.RealmDir(realmID)
	if err != nil {
		return err
	}
	o, err := recovery.Open(ctx, s.FS, dir, e.Realm(), st.Defaults(), time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	return do(o)
}
