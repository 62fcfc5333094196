package realm

import (
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

// stubborn tries until it is done or the realm ends.
func (a *actor) stubborn(what string, try func() error) bool {
	for wait := firstEraseRetry; ; wait = min(wait*2, lastEraseRetry) {
		err := try()
		if err == nil {
			return true
		}
		if a.life.Err() != nil {
			return false
		}
		a.log.Warn().Err(err).Msg("an erasure waits: " + what)
		if errors.Is(err, world.ErrBroken) {
			return false
		}
		select {
		case <-time.After(wait):
		case <-a.life.Done():
			return false
		}
	}
}

// redact is the goroutine after history:erased. Where it cannot end, the next opening does.
func (a *actor) redact(e *erasing) {
	cp := world.Checkpoint{Epoch: e.encoded.epoch, Seq: e.encoded.seq, SavedAt: e.encoded.at, World: e.encoded.world}
	var red world.Redacted
	ok := a.stubborn("rows", func() (err error) {
		red, err = a.eraser.Redact(a.life, e.erasure.ErasureID)
		for what, n := range red.Changed {
			e.changed[what] += n
		}
		return err
	})
	ok = ok && a.inTurn(func() {
		for _, row := range red.Commands {
			a.forgetReply(commandKey(row.SpectatorID, row.RequestID))
		}
		a.veil.lift()
	})
	ok = ok && a.stubborn("bases", func() error {
		gone, err := a.eraser.ReplaceBases(cp)
		e.changed["bases"] += gone
		return err
	})
	ok = ok && a.stubborn("checkpoint", func() error { return a.keeping.flush(a.life) })
	var removed, left []string
	ok = ok && a.stubborn("files", func() error {
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
	ok = ok && a.stubborn("log", func() (err error) {
		receipt, err = a.eraser.EndErasure(a.life, e.erasure, world.NewReceipt(e.erasure, e.scope.Talks, cp.World, e.changed, removed, left), clock)
		return err
	})
	if !ok {
		a.inTurn(func() { a.erasureOver(e, world.Receipt{}, errCutShort) })
		return
	}
	a.inTurn(func() { a.erasureOver(e, receipt, nil) })
}

// errCutShort is an erasure that was told and not ended: the next opening ends it.
var errCutShort = wire.Errorf(wire.NotReady, "the erasure has begun and could not be ended; opening the realm again ends it")
