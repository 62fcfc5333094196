package agenthook

import (
	"context"
	"errors"
	"time"

	"agentdungeon/server/realm/watch"
	"agentdungeon/server/shadow"
)

// find returns the realm that shows the session of a hook, or nil. A hook that waits, of a session that no realm shows
// yet, waits for a reader to find it.
func (h *Hooks) find(ctx context.Context, said shadow.Hook) Realm {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	again := time.NewTicker(findPause)
	defer again.Stop()
	for {
		for _, r := range h.realms() {
			shown, err := r.Shown(ctx)
			if err != nil {
				continue // the realm has closed
			}
			for _, s := range shown.Sessions {
				if s.Program == said.Program && s.SessionID == said.SessionID {
					return r
				}
			}
		}
		if said.Told != shadow.Asks && said.Told != shadow.Listens {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// unlessClosed returns err unless it only says that the realm has closed.
func unlessClosed(err error) error {
	if errors.Is(err, watch.ErrStopped) {
		return nil
	}
	return err
}
