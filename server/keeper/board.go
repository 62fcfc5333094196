package keeper

import "agentdungeon/server/realm"

// Board copies the findings of open realms for other programs (S3-15).
type Board interface {
	// Follow copies what a realm commits until the realm has closed. end makes a last copy once
	// the realm has stopped and waits for it for a bounded time.
	Follow(tenant string, r *realm.Realm) (end func())
	// Removed tells that a realm was removed from the store, so its copy has to go too.
	Removed()
}

// copyFindings starts to copy a realm's findings and returns the function that ends it.
func (k *Keeper) copyFindings(tenant string, r *realm.Realm) (end func()) {
	if k.cfg.Board == nil {
		return func() {}
	}
	return k.cfg.Board.Follow(tenant, r)
}

func (k *Keeper) forgetFindings() {
	if k.cfg.Board != nil {
		k.cfg.Board.Removed()
	}
}
