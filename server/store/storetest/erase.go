package storetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// BeginErasure commits the history:erased event of a person.
func (r *Rig) BeginErasure(id, person string) world.Erasure {
	r.T.Helper()
	e := world.Erasure{ErasureID: id, SpectatorID: person, Reason: world.ErasedOnRequest, Who: "test", At: r.At}
	Must(r.T, r.O.Eraser.IntendErasure(e))
	s, err := r.O.Eraser.ScopeErasure(context.Background(), e, nil, false)
	Must(r.T, err)
	told := &world.HistoryErased{ErasureID: id, SpectatorID: person, Reason: e.Reason, Conversations: s.Conversations}
	world.NewRedactor(s, nil).Outcome(r.W, told)
	r.Commit(told)
	return e
}

// ErasesOne erases a conversation as a realm does and checks that no other conversation changes.
func (r *Rig) ErasesOne(e world.Erasure) {
	t := r.T
	t.Helper()
	e.At = r.At
	before, _ := ShownRows(t, r.O)
	receipt, err := r.tryErasing(e)
	if errors.Is(err, world.ErrDamaged) { // as the keeper does after such an error, open the realm again
		Must(t, r.O.Journal.Close())
		r.Open()
		kept, eerr := r.O.Eraser.EarlierErasure(context.Background(), e)
		Must(t, eerr)
		if kept != nil {
			receipt, err = *kept, nil
		} else { // the journal has recorded the erasure, but not history:erased: take all steps again, as the actor does
			receipt, err = r.tryErasing(e)
		}
	}
	Must(t, err)
	if receipt.DoneAt == 0 {
		t.Fatalf("%s ends without a receipt", e.ErasureID)
	}
	after, _ := ShownRows(t, r.O)
	for id, text := range before {
		is, there := after[id]
		if gone := strings.HasPrefix(id, e.Conversations[0]+"/"); gone && there && is != "" {
			t.Fatalf("row %s still says %.60q", id, is)
		} else if !gone && (!there || is != text && !r.damagedRow(id)) {
			t.Fatalf("row %s is %.60q (%t), and was %.60q, after an erasure of %v", id, is, there, text, e.Conversations)
		}
	}
}

// damagedRow reports whether a row is marked as damaged. The damaged columns of such a row may hide that it
// belongs to an erased conversation.
func (r *Rig) damagedRow(id string) bool {
	talk, message, _ := strings.Cut(id, "/")
	return TranscriptOf(r.T, r.O.Journal, talk)[message].Damaged
}

// tryErasing takes the steps of EraseAll and returns the first error.
func (r *Rig) tryErasing(e world.Erasure) (receipt world.Receipt, err error) {
	x, ctx := r.O.Eraser, context.Background()
	if err := x.IntendErasure(e); err != nil {
		return receipt, err
	}
	scope, err := x.ScopeErasure(ctx, e, nil, false)
	if err != nil {
		return receipt, err
	}
	told := &world.HistoryErased{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, Reason: e.Reason,
		Conversations: scope.Conversations}
	world.NewRedactor(scope, nil).Outcome(r.W, told)
	r.Commit(told)
	red, err := x.Redact(ctx, e.ErasureID)
	if err != nil {
		return receipt, err
	}
	at := r.WorldNow()
	if _, err := x.ReplaceBases(at); err != nil {
		return receipt, err
	}
	if err := r.O.Files.WriteCheckpoint(at); err != nil {
		return receipt, err
	}
	asides, err := r.O.Files.Asides(e.AsidesBefore(world.TimeOf(time.Now())))
	if err != nil {
		return receipt, err
	}
	removed, err := x.NoteRemoved(ctx, e.ErasureID, asides)
	if err != nil {
		return receipt, err
	}
	gone, left, err := r.O.Files.Forget(at.Seq, at.Seq, asides)
	if err != nil {
		return receipt, err
	}
	red.Changed["files"] = gone
	return x.EndErasure(ctx, e, world.NewReceipt(e, scope.Conversations, r.W, red.Changed, removed, left), time.Now)
}

// EraseAll takes all steps of an erasure on an open realm.
func (r *Rig) EraseAll(e world.Erasure) world.Receipt {
	r.T.Helper()
	receipt, err := r.tryErasing(e)
	Must(r.T, err)
	return receipt
}
