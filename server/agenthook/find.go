package agenthook

import (
	"context"
	"errors"
	"time"

	"agentdungeon/server/realm/watch"
	"agentdungeon/server/shadow"
)

// find returns the realm that shows the session of a hook call, or nil. If the call waits for an answer and the session
// is new, find waits for a reader to find the session.
func (h *Hooks) find(ctx context.Context, said shadow.Hook) Realm {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	again := time.NewTicker(findPause)
	defer again.Stop()
	for asked := false; ; asked = true {
		if r := h.shows(ctx, said); r != nil {
			h.found(said)
			return r
		}
		if !asked && !h.before(said) || said.Told != shadow.Asks && said.Told != shadow.Listens {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// shows returns the realm that shows the session of a hook call now, or nil.
func (h *Hooks) shows(ctx context.Context, said shadow.Hook) Realm {
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
	return nil
}

// unlessClosed returns err, or nil if err only says that the realm has closed.
func unlessClosed(err error) error {
	if errors.Is(err, watch.ErrStopped) {
		return nil
	}
	return err
}
