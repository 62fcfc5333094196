package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// year is a realm that was used every day for a year, so many events a day: a talk of 20
// turns, and for the rest what people call in passing. The clock is made; a world is kept
// each day, as the realm does, and the journal packs and trims itself.
func (b *bench) year(ctx context.Context, perDay int) ([]figure, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "talk")
	frames, err := liveAYear(ctx, home, perDay)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("a realm of a year, 365 days of %d events", perDay)
	open := figure{name: name + ": opening", unit: seconds, bare: "reading its database from a file"}
	for i := range 2*b.runs + 1 {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		begin := time.Now()
		t, err := openTalk(ctx, home)
		took := time.Since(begin)
		if err != nil {
			return nil, err
		}
		if err := t.o.Journal.Close(); err != nil {
			return nil, err
		}
		begin = time.Now()
		if _, err := os.ReadFile(filepath.Join(home, store.JournalFile)); err != nil {
			return nil, err
		}
		if i > 0 { // the first writes what the year's end has left
			open.ours, open.limit = append(open.ours, took.Seconds()), append(open.limit, time.Since(begin).Seconds())
		}
	}
	sizes, err := sizesOf(ctx, home)
	if err != nil {
		return nil, err
	}
	one := func(n int64) []float64 { return []float64{float64(n)} }
	return []figure{
		open,
		{name: name + ": its folder", unit: octets, ours: one(sizes.folder), limit: one(frames), bare: "its events as they were shown"},
		{name: name + ": its journal (events of the last 90 days, never fewer than 100000)", unit: octets, ours: one(sizes.journal), limit: one(frames), bare: "its events as they were shown"},
	}, nil
}

// liveAYear gives the bytes of all that was shown.
func liveAYear(ctx context.Context, home string, perDay int) (frames int64, err error) {
	t, err := newTalk(ctx, home)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, t.o.Journal.Close()) }()
	words := newLanguage()
	start := world.TimeOf(time.Now())
	for today := range 365 {
		// Behind the clock of the writer, which is this machine's: made times go on from it.
		t.at = start + world.Time((time.Duration(today+1) * 24 * time.Hour).Milliseconds())
		id := fmt.Sprintf("day%d", today)
		bodies := []world.Body{t.begin(id)}
		for range min(20, perDay/8) {
			ask, answer := t.turns(id, words.said(), words.answered())
			bodies = append(append(bodies, ask...), answer...)
		}
		for i := len(bodies); i < perDay; i++ {
			bodies = append(bodies, &world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: words.said()})
		}
		for len(bodies) > 0 {
			some := bodies[:min(len(bodies), 250)]
			bodies = bodies[len(some):]
			if err := t.commit(some...); err != nil {
				return 0, err
			}
		}
		if err := t.saveDay(); err != nil {
			return 0, err
		}
	}
	// The year took a minute: what packs beside the commits has not kept up with that.
	return t.shown, t.o.Journal.Tidy(ctx)
}

// saveDay is what the realm saves of a day: a checkpoint, and its world in the journal.
func (w *writer) saveDay() error {
	raw, err := json.Marshal(w.w)
	if err != nil {
		return err
	}
	c := world.Checkpoint{Epoch: w.o.Saved.Epoch, Seq: w.w.Tick, SavedAt: w.at, World: raw}
	return errors.Join(w.o.Files.WriteCheckpoint(c), w.o.Journal.SaveBase(c))
}
