package realm

import (
	"context"
	"errors"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What follows history:erased beside the commits: rows, bases and files are redacted, and
// the receipt is made. It is done once it is told, however long the disk takes.

// Waits between two tries.
const (
	firstEraseRetry = 100 * time.Millisecond
	lastEraseRetry  = 3 * time.Second
)

// stubborn tries until it is done, or gives why no further try can do it.
func (a *actor) stubborn(what string, try func() error) error {
	for wait := firstEraseRetry; ; wait = min(wait*2, lastEraseRetry) {
		err := try()
		if err == nil {
			return nil
		}
		if a.life.Err() != nil {
			return context.Cause(a.life)
		}
		a.log.Warn().Err(err).Msg("an erasure waits: " + what)
		if errors.Is(err, world.ErrBroken) || errors.Is(err, world.ErrDamaged) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-a.life.Done():
			return context.Cause(a.life)
		}
	}
}

// redact is the goroutine after history:erased. Where it cannot end, the next opening does.
func (a *actor) redact(e *erasing) {
	cp, err := e.after.Checkpoint()
	step := func(what string, try func() error) {
		if err == nil {
			err = a.stubborn(what, try)
		}
	}
	var red world.Redacted
	step("rows", func() (err error) {
		red, err = a.eraser.Redact(a.life, e.erasure.ErasureID)
		for what, n := range red.Changed {
			e.changed[what] += n
		}
		return err
	})
	if err == nil && !a.inTurn(func() {
		for _, row := range red.Commands {
			a.forgetReply(commandKey(row.SpectatorID, row.RequestID))
		}
		a.veil.lift()
	}) {
		return
	}
	step("bases", func() error {
		gone, err := a.eraser.ReplaceBases(cp)
		e.changed["bases"] += gone
		return err
	})
	step("checkpoint", func() error { return a.saved.Writer().Flush(a.life) })
	var removed, left []string
	step("files", func() error {
		asides, err := a.files.Asides(e.erasure.AsidesBefore(world.TimeOf(clock())))
		if err != nil {
			return err
		}
		if removed, err = a.eraser.NoteRemoved(a.life, e.erasure.ErasureID, asides); err != nil {
			return err
		}
		gone, kept, err := a.files.Forget(cp.Seq, e.told, asides)
		e.changed["files"] += gone
		left = kept
		return err
	})
	var receipt world.Receipt
	step("log", func() (err error) {
		receipt = world.NewReceipt(e.erasure, e.scope.Talks, e.after.World(), e.changed, removed, left)
		receipt, err = a.eraser.EndErasure(a.life, e.erasure, receipt, clock)
		return err
	})
	if a.reopens(err) {
		return
	}
	if err != nil {
		err = errCutShort
	}
	a.inTurn(func() { a.erasureOver(e, receipt, err) })
}

// reopens says that an erasure met damage that only an opening mends, and has the realm
// closed and opened again. Whoever asked is told that the realm has closed (watch.ErrStopped, or
// their socket is), asks again, and gets the receipt.
func (a *actor) reopens(err error) bool {
	if !errors.Is(err, world.ErrDamaged) || a.r.damaged == nil || a.life.Err() != nil {
		return false
	}
	a.log.Error().Err(err).Msg("an erasure met damage in the journal: the realm is closed and opened again, and the erasure goes on then")
	a.r.damaged(err)
	return true
}

// errCutShort is an erasure that was told and not ended: the next opening ends it.
var errCutShort = wire.Errorf(wire.NotReady, "the erasure has begun and could not be ended; opening the realm again ends it")
