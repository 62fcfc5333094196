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

// Realms of a worlds folder without a server, opened by a command while it runs. No driver runs
// in them.

// nobody has no drivers, templates or teams, so that a realm's own stay unchanged: for a realm
// that is opened only to read, erase or prune it.
type nobody struct{}

func (nobody) Driver(*world.Template, world.Role) driver.Driver { return nil }

func (nobody) Teams() []*world.Team { return nil }

func (nobody) Team(id string) (*world.Team, error) {
	return nil, fmt.Errorf("there is no team %s here", id)
}

func (nobody) All() []*world.Template { return nil }

func (nobody) Template(id string) (*world.Template, error) {
	return nil, fmt.Errorf("there is no template %s here", id)
}

// lostTranscripts returns an error if no transcript of a realm could be recovered, because a listing
// would look complete and an erasure would seem to have nothing to do.
func lostTranscripts(o *recovery.Opened) error {
	r := o.Saved.Restored
	if r == nil || !r.TranscriptsLost || r.Salvage != nil && r.Salvage.Messages > 0 {
		return nil
	}
	return fmt.Errorf("the realm's database could not be read, so what was said before is not known here; it was set "+
		"aside: %s", strings.Join(r.SetAside, ", "))
}

// readFolder opens a realm without a server, read-only if necessary, while read runs.
func readFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID string,
	read func(*recovery.Opened) error) (err error) {
	st, err := files.OpenToRead(fs, worlds, zerolog.Nop())
	if err != nil {
		return err
	}
	return inStore(ctx, st, fs, tenant, realmID, read)
}

// inFolder opens a realm without a server while do runs.
func inFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID string,
	do func(*recovery.Opened) error) (err error) {
	st, err := files.Open(fs, worlds, zerolog.Nop())
	if err != nil {
		return err
	}
	return inStore(ctx, st, fs, tenant, realmID, do)
}

// inStore opens a tenant's realm and closes it and the store.
func inStore(ctx context.Context, st *files.Worlds, fs afero.Fs, tenant, realmID string,
	do func(*recovery.Opened) error) (err error) {
	worlds := st.Dir()
	defer func() { err = errors.Join(err, st.Close()) }()
	of, err := st.Tenant(tenant)
	if err != nil {
		return err
	}
	if realmID = cmp.Or(realmID, of.LastActive()); realmID == "" {
		return fmt.Errorf("tenant %s has no realms in %s", tenant, worlds)
	}
	e, ok := of.Get(realmID)
	if !ok {
		return fmt.Errorf("tenant %s has no realm %q in %s", tenant, realmID, worlds)
	}
	dir, err := of.RealmDir(realmID)
	if err != nil {
		return err
	}
	o, err := recovery.Open(ctx, fs, dir, e.Realm(), st.Defaults(), time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	return do(o)
}
