package app

import (
	"context"

	"agentdungeon/server/facts"
	"agentdungeon/server/folder"
	"agentdungeon/server/keeper"
)

// newFacts returns the Facts that answer questions of coding agents about the realms of a tenant.
func (a *App) newFacts(t *keeper.Tenant) *facts.Facts {
	return facts.New(facts.Config{
		Realms: askedRealms{t}, Scouts: a.scouts, Base: folder.Base, Version: a.cfg.Version, Log: a.log,
		Place: func(root, path string) (string, bool) {
			rel, _, ok := folder.CheckoutOf(root).Place(path)
			return rel, ok
		},
	})
}

// askedRealms implements facts.Realms: the questions of coding agents get the realms of one tenant from it.
type askedRealms struct{ *keeper.Tenant }

func (r askedRealms) Open(ctx context.Context, id string) (facts.Realm, error) {
	open, err := r.Tenant.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return open, nil
}
