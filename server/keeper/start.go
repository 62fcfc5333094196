package keeper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Start opens each tenant's last active realm and every realm in which something continues by itself, unless
// Config.Afresh is set, and starts the timer and the cleaner. It logs an error for a realm that cannot be opened, and
// continues.
func (k *Keeper) Start(ctx context.Context) {
	k.ops.Lock()
	defer k.ops.Unlock()
	for _, name := range k.cfg.Store.Tenants() {
		if k.cfg.Afresh {
			break
		}
		t, err := k.Tenant(name)
		if err != nil {
			k.log.Error().Err(err).Msg("a tenant's realms could not be opened; the server runs without them")
			continue
		}
		t.start(ctx)
	}
	k.started.Do(func() {
		k.loops.Go(k.closeUnneeded)
		if k.cfg.Retention != nil {
			k.loops.Go(k.clean)
		}
	})
}

// start opens the tenant's last active realm and the realms in which something continues by itself. The caller holds
// Keeper.ops.
func (t *Tenant) start(ctx context.Context) {
	realms, last := t.store.Realms()
	for _, info := range realms {
		if info.ID != last && !t.continues(info) {
			continue
		}
		if _, err := t.openRealm(ctx, info.ID, true); err != nil {
			t.k.log.Error().Err(err).EmbedObject(t.key(info.ID)).
				Msg("a realm could not be opened; the server runs without it")
			continue
		}
		if info.ID == last {
			t.setCurrent(last)
		}
	}
}

// closeUnneeded is the body of the goroutine that closes realms that have been idle for idleAfter.
func (k *Keeper) closeUnneeded() {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case now := <-ticker.C:
			for _, at := range k.idle(now) {
				k.ops.Lock()
				if err := k.closeIdle(at); err != nil {
					k.log.Error().Err(err).EmbedObject(at).Msg("closing an idle realm failed")
				}
				k.ops.Unlock()
			}
		}
	}
}

// Stop closes all realms in parallel, and waits for those whose close has already begun. unshown is the number
// of events that were never shown to a viewer. err joins the errors of all realms. After Stop no realm is
// opened or removed.
func (k *Keeper) Stop() (unshown int, err error) {
	k.mu.Lock() // Clean also checks the context with mu held, so no pass begins after the cancel
	k.cancel()
	k.mu.Unlock()
	k.loops.Wait()
	k.ops.Lock()
	defer k.ops.Unlock()
	k.follows.Wait()
	ctx, cancel := context.WithTimeoutCause(context.Background(), stopTime, errDisk)
	defer cancel()
	var wait sync.WaitGroup
	var mu sync.Mutex
	// k.mu is not held while realms close, because a realm that meets damage then calls reopen, which needs it.
	k.mu.Lock()
	all := maps.Clone(k.open)
	// Wait for the closes that are under way, too; mayOpen lets nobody open these realms again.
	for at, r := range k.closing {
		all[at] = &opened{realm: r, stopCopying: func() {}, stopReading: func() {}}
	}
	clear(k.open)
	clear(k.closing)
	k.mu.Unlock()
	for at, o := range all {
		wait.Go(func() {
			o.stopReading()
			n, e := o.realm.Stop(ctx)
			o.stopCopying()
			k.logClosed(at, o.realm, n, e)
			mu.Lock()
			defer mu.Unlock()
			unshown += n
			if e != nil {
				err = errors.Join(err, fmt.Errorf("close realm %s of tenant %s: %w", at.id, at.tenant, e))
			}
		})
	}
	wait.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return unshown, errors.Join(k.unsaved, err)
}
