package facts

import (
	"context"
	"errors"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

const (
	// maxCalls is the number of calls that run at the same time. Further calls wait.
	maxCalls = 8
	// callTime limits a call, including the time that it waits for other calls.
	callTime = 40 * time.Second
)

var (
	errClosed = errors.New("the server is stopping")
	errSlow   = errors.New("the answer took too long; ask again in a moment")
)

// begin limits the time of a call, and makes Close wait for the call. The caller calls done when the call is over. It
// returns an error after Close.
func (f *Facts) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, errClosed
	}
	ctx, cancel := context.WithTimeoutCause(ctx, callTime, errSlow)
	stop := context.AfterFunc(f.ctx, cancel)
	f.work.Add(1)
	return ctx, func() { stop(); cancel(); f.work.Done() }, nil
}

// call answers one call of a tool: it waits until fewer than maxCalls others run, calls answer, and makes a failure
// an error that an agent understands. All of this takes at most callTime.
func call[Out any](ctx context.Context, f *Facts, tool string, answer func(context.Context) (Out, error)) (Out, error) {
	var none Out
	ctx, done, err := f.begin(ctx)
	if err != nil {
		return none, err
	}
	defer done()
	select {
	case f.calls <- struct{}{}:
		defer func() { <-f.calls }()
	case <-ctx.Done():
		return none, f.plain(tool, context.Cause(ctx))
	}
	out, err := answer(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return none, f.plain(tool, err)
	}
	return out, nil
}

// plain returns err as a sentence for an agent. It logs err if the server is at fault.
func (f *Facts) plain(tool string, err error) error {
	var refused *wire.Error
	switch {
	case errors.As(err, &refused):
		return errors.New(refused.Message)
	case errors.Is(err, errSlow), errors.Is(err, errClosed), errors.Is(err, erasure.ErrRedacting):
		return err
	case errors.Is(err, context.Canceled):
		return errClosed
	case errors.Is(err, watch.ErrStopped):
		return errors.New("this realm has just closed; ask again in a moment")
	}
	f.cfg.Log.Error().Err(err).Str("tool", tool).Msg("a question of an agent could not be answered")
	return errors.New("this cannot be answered now; the server's log says why")
}
