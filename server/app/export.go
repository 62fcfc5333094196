package app

import (
	"context"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/report"
	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
)

// export writes what a tenant's realm of this server holds.
func (a *App) export(ctx context.Context, tenant, realmID, format string) (*report.File, error) {
	if err := knownFormat(format); err != nil {
		return nil, err
	}
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	w, err := r.World(ctx)
	if err != nil {
		return nil, err
	}
	return report.Make(w, format, a.cfg.Version, time.Now())
}

func knownFormat(format string) error {
	switch format {
	case report.FormatMarkdown, report.FormatJSON, report.FormatSARIF:
		return nil
	}
	return wire.Errorf(wire.BadField, "format must be markdown, json or sarif")
}

// ExportFolder writes what a tenant's realm in a worlds folder holds that no server has
// open; store.ErrLocked says that one has. realmID "" is the last active one.
func ExportFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID, format, version string) (f *report.File, err error) {
	if err := knownFormat(format); err != nil {
		return nil, err
	}
	err = inFolder(ctx, fs, worlds, tenant, realmID, func(o *store.OpenedRealm) (err error) {
		f, err = report.Make(o.Saved.World, format, version, time.Now())
		return err
	})
	return f, err
}
