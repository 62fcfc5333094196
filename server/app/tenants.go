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

// realm opens a tenant's realm; realms of other tenants are not found.
func (a *App) realm(ctx context.Context, tenant, id string) (*realm.Realm, error) {
	t, err := a.keeper.Tenant(tenant)
	if err != nil {
		return nil, err
	}
	return t.Open(ctx, id)
}

// CheckTenants validates the names of further tenants.
func CheckTenants(names []string) error {
	for i, name := range names {
		switch {
		case !wire.ValidTenant(name):
			return fmt.Errorf("%q is not a tenant's name: 1 to 64 of a-z, 0-9, - and _", name)
		case name == world.DefaultTenant:
			return fmt.Errorf("the tenant %s always exists and must not be listed", name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("the tenant %s is named twice", name)
		}
	}
	return nil
}

// tokens returns the tokens of the default tenant and of the named ones, in this order. Without
// further tenants a server on loopback needs none.
func (a *App) tokens() []gate.Tokens {
	if gate.IsLoopback(a.cfg.Addr) && a.cfg.Token == "" && len(a.cfg.Tenants) == 0 {
		return []gate.Tokens{{}}
	}
	key := a.store.Secret()
	all := []gate.Tokens{gate.DeriveTokens(key, world.DefaultTenant, a.cfg.Token)}
	for _, name := range a.cfg.Tenants {
		all = append(all, gate.DeriveTokens(key, name, ""))
	}
	return all
}

// tenants returns all tenants for the gate, the default one first.
func (a *App) tenants(tokens []gate.Tokens, about gate.About) ([]gate.Tenant, error) {
	var out []gate.Tenant
	for i, name := range append([]string{world.DefaultTenant}, a.cfg.Tenants...) {
		t, err := a.keeper.Tenant(name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			about.Offer = "" // the folder where the server was started is the operator's
		}
		out = append(out, gate.Tenant{Name: name, Tokens: tokens[i], Realms: gate.RealmsOf(t), About: about})
	}
	return out, nil
}

// home returns the default tenant, into which -repo links.
func (a *App) home() (*keeper.Tenant, error) { return a.keeper.Tenant(world.DefaultTenant) }

// FolderToken returns the hosts' token that a server derives from a worlds folder's key, "" if
// the key cannot be read. A server with a token that the operator chose does not accept it.
func FolderToken(fs afero.Fs, worlds, tenant string) string {
	key, err := files.ReadSecret(fs, worlds)
	if err != nil {
		return "" // the server reports what is missing
	}
	return gate.DeriveTokens(key, tenant, "").Host
}
