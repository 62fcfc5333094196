package keeper

import "agentdungeon/server/realm"

// Board is where the findings of open realms are copied for other programs (S3-15).
type Board interface {
	// Follow copies what a realm commits until it has closed. end makes a last copy once
	// the realm has stopped and waits for it, a bounded time.
	Follow(tenant string, r *realm.Realm) (end func())
	// Removed says that a realm is gone from the store: its copy goes too.
	Removed()
}

// copyFindings begins to copy a realm's findings; it gives what ends that.
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
