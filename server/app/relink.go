package app

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
)

// RelinkInFolder links a realm of a worlds folder without a server to the folder to, an absolute path. It returns
// the path of the folder that was linked before. The registry has the new path; the next opening of the realm takes
// it over (see package realm/opening). RelinkInFolder returns disk.ErrLocked if a server holds the worlds folder.
func RelinkInFolder(fs afero.Fs, dir, tenant, realmID, to string, log zerolog.Logger) (from string, err error) {
	st, err := files.Open(fs, dir, log)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	t, err := st.Tenant(tenant)
	if err != nil {
		return "", err
	}
	e, ok := t.Get(realmID)
	if !ok {
		return "", fmt.Errorf("there is no realm %s; agentdungeon realms lists the ids", realmID)
	}
	if other, ok := t.FindByPath(to); ok && other.ID != realmID {
		return "", fmt.Errorf("realm %s is linked to %s already", other.ID, to)
	}
	from = cmp.Or(e.Path, "no folder")
	e.Path = to
	return from, t.Update(e.RealmInfo)
}
