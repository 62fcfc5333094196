package storetest

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// corruptions holds the ways to damage a file of a closed realm, by name.
var corruptions = map[string]func(rnd *rand.Rand, raw []byte) []byte{
	"bits": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(12) {
			raw[rnd.IntN(len(raw))] ^= 1 << rnd.IntN(8)
		}
		return raw
	},
	"cut": func(rnd *rand.Rand, raw []byte) []byte { return raw[:rnd.IntN(len(raw))] },
	"zeroed pages": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(4) {
			clear(pageOf(rnd, raw))
		}
		return raw
	},
	"garbage pages": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(4) {
			for page := pageOf(rnd, raw); len(page) > 0; page = page[1:] {
				page[0] = byte(rnd.Uint32())
			}
		}
		return raw
	},
	"a stretch of zeros": func(rnd *rand.Rand, raw []byte) []byte {
		at := rnd.IntN(len(raw))
		clear(raw[at:min(at+1+rnd.IntN(300), len(raw))])
		return raw
	},
}

// pageOf returns a random page of a file, or the whole file if it is shorter than a page.
func pageOf(rnd *rand.Rand, raw []byte) []byte {
	const size = 4096
	at := rnd.IntN((len(raw)+size-1)/size) * size
	return raw[at:min(at+size, len(raw))]
}

// Corrupt damages one or two files of a realm and describes the damage.
func (k *KilledRig) Corrupt(t testing.TB, rnd *rand.Rand) string {
	t.Helper()
	var done []string
	for range 1 + rnd.IntN(2) {
		name := []string{sqlite.JournalFile, sqlite.JournalFile, sqlite.JournalFile, sqlite.JournalFile + "-wal",
			sqlite.JournalFile + "-wal", files.StateFile, files.PreviousFile}[rnd.IntN(7)]
		raw, err := os.ReadFile(k.Path(name))
		if err != nil || len(raw) == 0 {
			continue // TakeLog has moved this log into the database
		}
		version := slices.Clone(raw[:min(64, len(raw))])
		how := slices.Sorted(maps.Keys(corruptions))[rnd.IntN(len(corruptions))]
		raw = corruptions[how](rnd, raw)
		if name == sqlite.JournalFile && len(raw) >= 64 {
			copy(raw[60:64], version[60:64]) // another test covers a changed version in the header
		}
		k.Write(t, name, raw)
		done = append(done, name+": "+how)
	}
	return strings.Join(done, ", ")
}

// ErasesOne erases a conversation as a realm does and checks that no other conversation changes.
func (r *Rig) ErasesOne(e world.Erasure) {
	t := r.T
	t.Helper()
	e.At = r.At
	before, _ := ShownRows(t, r.O)
	receipt, err := r.tryErasing(e)
	if errors.Is(err, world.ErrDamaged) { // the keeper opens the realm again
		Must(t, r.O.Journal.Close())
		r.Open()
		kept, eerr := r.O.Eraser.EarlierErasure(context.Background(), e)
		Must(t, eerr)
		if kept != nil {
			receipt, err = *kept, nil
		} else { // the journal holds only the intent: the actor continues the erasure
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

// damagedRow reports whether a row is marked as damaged: its changed columns may hide that it was erased.
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
