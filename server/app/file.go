package app

import (
	"context"

	"agentdungeon/server/folder"
	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
)

// sourceFolder implements source.Folder: it reads files and their history from the linked folder on the disk.
type sourceFolder struct{}

func (sourceFolder) Open(ctx context.Context, path, name string, git bool) (source.Versions, error) {
	v, err := folder.OpenFile(ctx, path, name, git)
	if err != nil {
		return source.Versions{}, err
	}
	return source.Versions(*v), nil
}

func (sourceFolder) Past(ctx context.Context, path, name string) (*wire.FilePast, error) {
	return folder.FilePast(ctx, path, name)
}

// fileText returns a file of a realm's linked folder. The gate calls it.
func (a *App) fileText(ctx context.Context, tenant, realmID string, want source.Want) (*wire.FileText, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	return source.Text(ctx, r, sourceFolder{}, want)
}

// filePast returns the git history of a file. The gate calls it.
func (a *App) filePast(ctx context.Context, tenant, realmID string, want source.Want) (*wire.FilePast, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	return source.Past(ctx, r, sourceFolder{}, want)
}

// filesFound returns the files and folders on a realm's map that match words. The gate calls it.
func (a *App) filesFound(ctx context.Context, tenant, realmID, words string) (*wire.FilesFound, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	return r.Find(ctx, words)
}

// accepted returns which findings the linked repository accepts. The gate calls it.
func (a *App) accepted(ctx context.Context, tenant, realmID string) (*wire.FindingsAccepted, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	return source.Accepted(ctx, r, folder.Accepted)
}

// accept accepts a finding in the linked repository. The gate calls it.
func (a *App) accept(
	ctx context.Context, tenant, realmID string, what wire.FindingAccept,
) (*wire.FindingAccepted, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	out, err := source.Accept(ctx, r, what, folder.Accept)
	if err != nil || !what.Write {
		return out, err
	}
	if out.Written {
		a.log.Info().Str("tenant", tenant).Str("realm", realmID).Msg("a host accepted a finding in the linked folder")
	}
	// The line may accept more findings than the one that was named.
	all, err := source.Accepted(ctx, r, folder.Accepted)
	if err == nil {
		err = r.Settle(ctx, all.Findings, "the repository accepts it in "+out.Path)
	}
	if err != nil { // the line is written, which is what was asked; the next review closes the quests
		a.log.Warn().Str("realm", realmID).Err(err).Msg("the quests of accepted findings stay open")
	}
	return out, nil
}
