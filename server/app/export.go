package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/party"
	"agentdungeon/server/realm"
	"agentdungeon/server/report"
	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// export writes what a tenant's realm of this server holds.
func (a *App) export(ctx context.Context, tenant, realmID string, want report.Want) (*report.File, error) {
	if err := want.Check(); err != nil {
		return nil, wire.Errorf(wire.BadField, "%s", err)
	}
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	w, err := r.World(ctx)
	if err != nil {
		return nil, err
	}
	f, err := report.Make(w, want, a.cfg.Version, time.Now())
	if errors.Is(err, report.ErrNoPicture) {
		return nil, wire.Errorf(wire.NotFound, "%s", err)
	}
	return f, err
}

// ExportFolder writes what a tenant's realm in a worlds folder holds that no server has
// open; store.ErrLocked says that one has. realmID "" is the last active one. The errors
// of report.Make are given as they are.
func ExportFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID string, want report.Want, version string) (f *report.File, err error) {
	if err := want.Check(); err != nil {
		return nil, err
	}
	err = readFolder(ctx, fs, worlds, tenant, realmID, func(o *store.OpenedRealm) (err error) {
		f, err = report.Make(o.Saved.World, want, version, time.Now())
		return err
	})
	return f, err
}

// exportSession writes a session of a party of this server as a file that another realm takes in
// (P14.16). It waits for sessions that are still being taken in: of one of them only a part
// would be here.
func (a *App) exportSession(ctx context.Context, tenant, realmID, sessionID string) (*report.File, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	if err := r.TakenIn(ctx); err != nil {
		return nil, err
	}
	return sessionFile(ctx, r.Transcripts(), sessionID)
}

// SessionInFolder is the same for a tenant's realm in a worlds folder that no server has
// open; store.ErrLocked says that one has. realmID "" is the last active one.
func SessionInFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID, sessionID string) (f *report.File, err error) {
	err = readFolder(ctx, fs, worlds, tenant, realmID, func(o *store.OpenedRealm) (err error) {
		if err := stillInFile(o.Files, sessionID); err != nil {
			return err
		}
		f, err = sessionFile(ctx, o.Journal, sessionID)
		return errors.Join(err, lostTalks(o))
	})
	return f, err
}

// stillInFile refuses a session whose file no server has taken in to its end: of it there
// is at most a part.
func stillInFile(files *store.RealmFiles, sessionID string) error {
	names, err := files.SessionFiles()
	if err != nil && len(names) == 0 {
		return err
	}
	for _, name := range names {
		data, err := files.ReadSession(name)
		if err != nil {
			return fmt.Errorf("sessions/%s: %w", name, err)
		}
		if snap, err := party.ToTakeIn(data); err == nil && snap.SessionID == sessionID {
			return fmt.Errorf("session %s was not taken in yet: sessions/%s of the realm's folder holds it", sessionID, name)
		}
	}
	return nil
}

// sessionFile reads a session from its transcript, a page of it at a time. One that is
// larger than what is taken in (party.MaxSnapshotMessages, party.MaxSnapshotFile) is
// refused: its file would be of no use.
func sessionFile(ctx context.Context, t realm.Transcripts, id string) (*report.File, error) {
	none := wire.Errorf(wire.NotFound, "there is no session %q here; the list of conversations names those of kind party", id)
	if !wire.ValidID(id) {
		return nil, none
	}
	saved, err := t.Conversation(ctx, id)
	switch {
	case errors.Is(err, world.ErrNoConversation):
		return nil, none
	case err != nil:
		return nil, err
	case saved.Conversation.Kind != world.KindParty:
		return nil, wire.Errorf(wire.Conflict, "%s is a %s; only sessions of a party can be exported", id, saved.Conversation.Kind)
	}
	tooLarge := wire.Errorf(wire.TooLarge, "session %s is too large for a file that is taken in: at most %d messages and %d MB fit", id, party.MaxSnapshotMessages, party.MaxSnapshotFile>>20)
	var all []world.Message
	size := 0
	err = rows(ctx, t, id, func(m world.Message) error {
		if m.Role == world.RoleTool {
			return nil // no message of the session
		}
		if size += len(m.Content); size > party.MaxSnapshotFile || len(all) == party.MaxSnapshotMessages {
			return tooLarge
		}
		all = append(all, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := party.ForFile(saved.Conversation, all).File()
	if err == nil && len(data) > party.MaxSnapshotFile {
		err = tooLarge
	}
	return &report.File{Name: id + ".json", Type: "application/json", Data: data}, err
}
