package app

import (
	"context"
	"errors"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/kinds"
	"agentdungeon/server/mirror"
	"agentdungeon/server/realm"
	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// EraseInFolder erases in a realm of a worlds folder that no server has open, and returns
// once the bytes are gone; store.ErrLocked says that one has. Nothing goes on in the realm
// meanwhile. realmID "" is the last active one. log hears what it waits for: a full disk can
// keep it waiting until ctx ends, and what has begun is ended by the next opening.
func EraseInFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID string, e world.Erasure, log zerolog.Logger) (receipt world.Receipt, err error) {
	for range maxReopened {
		receipt, err = eraseOpened(ctx, fs, worlds, tenant, realmID, e, log)
		if !errors.Is(err, realm.ErrStopped) || ctx.Err() != nil {
			break
		}
	}
	return receipt, err
}

// maxReopened is how often a command opens a realm whose journal is met as damaged: the second
// opening mends it.
const maxReopened = 3

// eraseOpened is EraseInFolder in one opening. realm.ErrStopped: the journal was met as
// damaged; another opening mends it, and gives the receipt.
func eraseOpened(ctx context.Context, fs afero.Fs, worlds, tenant, realmID string, e world.Erasure, log zerolog.Logger) (receipt world.Receipt, err error) {
	err = inFolder(ctx, fs, worlds, tenant, realmID, func(o *store.OpenedRealm) error {
		lost := lostTalks(o) // the realm is about to tell it, once
		damaged := make(chan struct{}, 1)
		r := realm.Start(realm.Config{
			Saved: o.Saved, Journal: o.Journal, Files: o.Files, Kinds: kinds.All(), Templates: nobody{}, Teams: nobody{}, Drivers: nobody{}, Log: log, Eraser: o.Journal, Still: true,
			Damaged: func(error) { signal(damaged) },
		})
		// The board of findings is made anew as a file; where there is a Redis the next start
		// of the server puts it there.
		board := mirror.New(mirror.Config{Realms: oneBoard{o.Files}, Log: zerolog.Nop()})
		end := board.Follow(tenant, r)
		asked, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() {
			select {
			case <-damaged:
				cancel(realm.ErrStopped)
			case <-asked.Done():
			}
		}()
		if receipt, err = r.Erase(asked, e); err != nil {
			err = errors.Join(err, lost)
		}
		_, stopped := r.Stop(context.WithoutCancel(ctx))
		end()
		return errors.Join(err, stopped, board.Close())
	})
	return receipt, err
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default: // it has been told
	}
}

// erase is the same in a tenant's realm of this server. One that closes meanwhile is opened
// again: what was begun is ended then, and the receipt is the same.
func (a *App) erase(ctx context.Context, tenant, realmID string, e world.Erasure) (world.Receipt, error) {
	for {
		r, err := a.realm(ctx, tenant, realmID)
		if err != nil {
			return world.Receipt{}, err
		}
		receipt, err := r.Erase(ctx, e)
		if !errors.Is(err, realm.ErrStopped) || ctx.Err() != nil {
			return receipt, err
		}
		<-r.Done()
	}
}
