package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/keeper"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm"
	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// cleaning returns the functions with which the keeper runs retention over the store st.
func cleaning(st *files.Worlds) *keeper.Retention {
	return &keeper.Retention{Policy: st.Retention, Load: st.LoadWatch, Save: st.SaveWatch, Erase: prune}
}

// prune erases the due conversations. If one of them has changed since retention read it, prune erases none
// and returns an error.
func prune(ctx context.Context, r *realm.Realm, due []retention.Item) error {
	e := world.Erasure{Reason: world.ErasedByRetention, Who: "retention", Since: map[string]world.Time{}}
	for _, it := range due {
		e.Conversations = append(e.Conversations, it.ConversationID)
		e.Since[it.ConversationID] = it.UpdatedAt
	}
	_, err := r.Erase(ctx, e)
	return err
}

// retain runs a retention pass over the realms of a tenant. The gate calls it.
func (a *App) retain(ctx context.Context, tenant string, dryRun, force bool) (*retention.Report, error) {
	if _, err := a.store.Retention(); errors.Is(err, disk.ErrCorrupt) {
		return nil, wire.Errorf(wire.Conflict, "%v", err) // the operator can correct it, so the command says it
	}
	return a.keeper.Clean(ctx, keeper.PassOptions{Tenant: tenant, DryRun: dryRun, Force: force})
}

// RetentionInFolder runs a retention pass, or a dry run, over a worlds folder without a server. It returns
// disk.ErrLocked if a server holds the folder. An empty tenant selects all tenants. A dry run changes no file:
// everything that opening the folder would write stays in memory.
func RetentionInFolder(ctx context.Context, fs afero.Fs, worldsFolder, tenant string, dryRun, force bool,
	log zerolog.Logger) (report *retention.Report, err error) {
	if dryRun {
		release, holdErr := lock.KeepOut(fs, worldsFolder)
		if holdErr != nil {
			return nil, holdErr
		}
		defer func() { err = errors.Join(err, release()) }()
		fs = afero.NewCopyOnWriteFs(afero.NewReadOnlyFs(fs), afero.NewMemMapFs())
	}
	st, err := files.Open(fs, worldsFolder, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	k := keeper.New(keeper.Config{
		Store: worlds{store: st, fs: fs, log: log}, Folders: folders{exclude: worldsFolder, log: log}, Kinds: kinds.All(),
		Templates: nobody{}, Teams: nobody{}, Drivers: nobody{}, Still: true, Log: log, Retention: cleaning(st),
	})
	defer func() {
		_, stopErr := k.Stop()
		err = errors.Join(err, stopErr)
	}()
	return k.Clean(ctx, keeper.PassOptions{Tenant: tenant, DryRun: dryRun, Force: force})
}

// WriteRetention writes the report r to w as a table for people.
func WriteRetention(w io.Writer, r *retention.Report) error {
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	verb := "done"
	if r.DryRun || r.Waits != "" {
		verb = "would be done"
	}
	if r.Waits != "" {
		fmt.Fprintln(w, r.Waits) // an error of writing is returned by Flush
	}
	if len(r.Realms) == 0 {
		fmt.Fprintln(out, "this tenant has no realms: nothing to do")
	}
	for _, realm := range r.Realms {
		fmt.Fprintf(out, "%s/%s\t%d conversations, %d due (%s)", realm.Tenant, realm.RealmID, realm.Conversations, realm.Due,
			verb)
		if realm.Marked+realm.Deleted > 0 {
			fmt.Fprintf(out, ", %d marked abandoned, %d deleted", realm.Marked, realm.Deleted)
		}
		if realm.Next != 0 {
			fmt.Fprintf(out, ", next on %s", realm.Next.Go().Format("2006-01-02"))
		}
		fmt.Fprintln(out)
		for _, it := range realm.Items {
			note := it.Held
			if note != "" {
				note = "kept: " + note
			}
			fmt.Fprintf(out, "  %s\t%s\t%s\t%s\tdue %s\t%s\n", it.Act, it.ConversationID, it.Kind, it.Status,
				it.Due.Go().Format("2006-01-02"), note)
		}
		for _, p := range realm.Problems {
			fmt.Fprintf(out, "  problem\t%s\n", line(p))
		}
	}
	if r.More {
		fmt.Fprintln(out, "the pass has reached its limit; the next pass continues")
	}
	return out.Flush()
}
