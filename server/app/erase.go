package app

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"agentdungeon/server/kinds"
	"agentdungeon/server/mirror"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// Erase erases in the realm and returns once the bytes are gone. log gets the reasons for waiting: a full
// disk can block it until ctx ends. The next opening completes an erasure that has begun.
func (s Stopped) Erase(ctx context.Context, e world.Erasure, log zerolog.Logger) (receipt world.Receipt,
	err error) {
	for range maxReopened {
		receipt, err = s.eraseOnce(ctx, e, log)
		if !errors.Is(err, watch.ErrStopped) || ctx.Err() != nil {
			break
		}
	}
	return receipt, err
}

// maxReopened is how often a command opens a realm with a damaged journal; the second opening
// repairs it.
const maxReopened = 3

// eraseOnce is Erase in one opening. watch.ErrStopped means that the journal is damaged: another opening
// repairs it and returns the receipt.
func (s Stopped) eraseOnce(ctx context.Context, e world.Erasure, log zerolog.Logger) (receipt world.Receipt,
	err error) {
	err = s.opened(ctx, files.Open, func(o *recovery.Opened) error {
		lost := lostTranscripts(o) // the realm is about to report it, once
		damaged := make(chan struct{}, 1)
		r := realm.Start(realm.Config{
			Saved: o.Saved, Journal: o.Journal, Files: o.Files, Kinds: kinds.All(), Templates: nobody{}, Teams: nobody{},
			Drivers: nobody{}, Log: log, Eraser: o.Eraser, Still: true,
			Damaged: func(error) { signal(damaged) },
		})
		// The board is written as a file; the next start of a server with Redis copies it there.
		board := mirror.New(mirror.Config{Realms: oneBoard{o.Files}, Log: zerolog.Nop()})
		end := board.Follow(s.Tenant, r)
		asked, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() {
			select {
			case <-damaged:
				cancel(watch.ErrStopped)
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
	default: // already reported
	}
}

// erase erases in a realm of this server. If the realm closes meanwhile it is opened again,
// which completes the erasure; the receipt is the same.
func (a *App) erase(ctx context.Context, tenant, realmID string, e world.Erasure) (world.Receipt, error) {
	for {
		r, err := a.realm(ctx, tenant, realmID)
		if err != nil {
			return world.Receipt{}, err
		}
		receipt, err := r.Erase(ctx, e)
		if !errors.Is(err, watch.ErrStopped) || ctx.Err() != nil {
			return receipt, err
		}
		<-r.Done()
	}
}
