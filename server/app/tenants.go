package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/afero"

	"agentdungeon/server/gate"
	"agentdungeon/server/keeper"
	"agentdungeon/server/realm"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// realm opens the realm with that id if it is a realm of the tenant. Otherwise realm returns a NotFound error.
func (a *App) realm(ctx context.Context, tenant, id string) (*realm.Realm, error) {
	t, err := a.keeper.Tenant(tenant)
	if err != nil {
		return nil, err
	}
	return t.Open(ctx, id)
}

// CheckTenants returns an error unless names are valid names of tenants besides the default one.
func CheckTenants(names []string) error {
	for i, name := range names {
		switch {
		case !wire.ValidTenant(name):
			return fmt.Errorf("%q is no valid tenant name: it must have 1 to 64 of a-z, 0-9, - and _", name)
		case name == world.DefaultTenant:
			return fmt.Errorf("the tenant %s always exists and must not be listed", name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("the tenant %s is listed twice", name)
		}
	}
	return nil
}

// nameUnserved logs the tenants that have realms in the worlds folder and are not among those of cfg.Tenants.
func (a *App) nameUnserved() {
	for _, name := range a.store.Tenants() {
		if name != world.DefaultTenant && !slices.Contains(a.cfg.Tenants, name) {
			a.log.Warn().Str("tenant", name).Msg("the realms of this tenant are not served, because -tenants does not name it")
		}
	}
}

// tokens returns the tokens of the default tenant and then those of cfg.Tenants, in their order. A server on
// loopback that has only the default tenant and no cfg.Token has only a token of its owner.
func (a *App) tokens() []gate.Tokens {
	if gate.IsLoopback(a.cfg.Addr) && a.cfg.Token == "" && len(a.cfg.Tenants) == 0 {
		return []gate.Tokens{{Owner: gate.DeriveTokens(a.store.Secret(), world.DefaultTenant, "").Host}}
	}
	key := a.store.Secret()
	all := []gate.Tokens{gate.DeriveTokens(key, world.DefaultTenant, a.cfg.Token)}
	for _, name := range a.cfg.Tenants {
		all = append(all, gate.DeriveTokens(key, name, ""))
	}
	return all
}

// tenants returns the tenants that the gate serves, the default one first. tokens has an entry for each of
// them, in the same order.
func (a *App) tenants(tokens []gate.Tokens, about gate.About) ([]gate.Tenant, error) {
	var out []gate.Tenant
	for i, name := range append([]string{world.DefaultTenant}, a.cfg.Tenants...) {
		t, err := a.keeper.Tenant(name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			// The page offers to link the folder in which the server was started. That folder is the operator's, so
			// only the operator's tenant gets the offer.
			about.Offer = ""
		}
		tenant := gate.Tenant{Name: name, Tokens: tokens[i], Realms: gate.RealmsOf(t), About: about}
		if i == 0 {
			a.hooks = newHooks(t, a.follower)
			tenant.Hooks = a.hooks
			a.facts = a.newFacts(t)
			tenant.Facts = a.facts
			tenant.Sessions = listSessions(a.follower, t, tenant.Hooks, installedHooks(a.cfg.environment()))
		}
		out = append(out, tenant)
	}
	return out, nil
}

// home returns the default tenant. Start links cfg.Repo into it.
func (a *App) home() (*keeper.Tenant, error) { return a.keeper.Tenant(world.DefaultTenant) }

// FolderToken returns the hosts' token that a server derives from the secret key of a worlds folder, or "" if
// the key cannot be read. A server of the default tenant whose operator has chosen a token does not accept the
// derived token.
func FolderToken(fs afero.Fs, worlds, tenant string) string {
	key, err := files.ReadSecret(fs, worlds)
	if err != nil {
		return "" // the error is dropped: the server reports it
	}
	return gate.DeriveTokens(key, tenant, "").Host
}
