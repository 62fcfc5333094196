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

// Erase performs e in the realm and returns once the erased bytes are gone. If the disk is full, Erase waits for space
// until ctx ends, and log gets the reason for the wait. If Erase returns before a begun erasure is complete, the next
// opening of the realm completes the erasure.
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

// maxReopened is the maximum number of times that Erase opens a realm whose journal turns out to be damaged.
// The second opening repairs the journal.
const maxReopened = 3

// eraseOnce opens the realm once and performs e. It returns watch.ErrStopped if the journal is damaged; the
// next opening repairs the journal, completes the erasure and returns the receipt.
func (s Stopped) eraseOnce(ctx context.Context, e world.Erasure, log zerolog.Logger) (receipt world.Receipt,
	err error) {
	err = s.opened(ctx, files.Open, func(o *recovery.Opened) error {
		lost := lostTranscripts(o) // read now, because the realm reports the loss only once, in its first event
		damaged := make(chan struct{}, 1)
		r := realm.Start(realm.Config{
			Saved: o.Saved, Journal: o.Journal, Files: o.Files, Kinds: kinds.All(), Templates: nobody{}, Teams: nobody{},
			Drivers: nobody{}, Log: log, Eraser: o.Eraser, Still: true,
			Damaged: func(error) { signal(damaged) },
		})
		// Follow writes the board as findings.json. If a server uses Redis, it copies the file to Redis at its
		// next start.
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
	default: // the channel already has the first error
	}
}

// erase performs e in an open realm. If the realm closes meanwhile, erase opens the realm again; this opening
// completes the erasure and returns the same receipt.
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
