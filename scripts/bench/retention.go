package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/app"
	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// retain measures a retention pass over a realm of n chats, a twentieth of which are past
// their time and as many silent: what looking at them costs, and the whole pass.
func (b *bench) retain(ctx context.Context, n int) ([]figure, error) {
	look := figure{name: fmt.Sprintf("retention over %d conversations: a dry run", n), unit: seconds, aim: aim{below, 1}}
	pass := figure{name: fmt.Sprintf("retention over %d conversations: marking and deleting a twentieth each", n), unit: seconds}
	due := n / 20
	for range b.fewRuns() {
		dir, err := b.folder()
		if err != nil {
			return nil, err
		}
		limits := `{"retention":{"chat":{"completedDays":90,"abandonedDays":90,"abandonAfterDays":30}}}`
		err = errors.Join(fillChats(ctx, dir, n, due), os.WriteFile(filepath.Join(dir, "settings.json"), []byte(limits), 0o600))
		if err != nil {
			return nil, err
		}
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		for _, dry := range []bool{true, false} {
			began := time.Now()
			report, err := app.RetentionInFolder(ctx, afero.NewOsFs(), dir, world.DefaultTenant, dry, true, zerolog.Nop())
			if err != nil {
				return nil, err
			}
			took := time.Since(began).Seconds()
			r := report.Realms[0]
			switch {
			case dry && (r.Due != 2*due || r.Conversations != n):
				return nil, fmt.Errorf("%d of %d are due, not %d", r.Due, r.Conversations, 2*due)
			case dry:
				look.ours = append(look.ours, took)
			case r.Marked != due || r.Deleted != due || len(r.Problems) > 0:
				return nil, fmt.Errorf("%d marked, %d deleted, %v", r.Marked, r.Deleted, r.Problems)
			default:
				pass.ours = append(pass.ours, took)
			}
		}
	}
	return []figure{look, pass}, nil
}

// fillChats makes a worlds folder with a realm of n chats of four rows: due of them ended
// 100 days ago, as many have been silent for 40 days, the others spoke ten days ago.
func fillChats(ctx context.Context, dir string, n, due int) (err error) {
	s, err := store.Open(afero.NewOsFs(), dir, zerolog.Nop())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	home, err := s.Tenant(world.DefaultTenant)
	if err != nil {
		return err
	}
	e, err := home.Create(world.Realm{Name: "Chats"})
	if err != nil {
		return err
	}
	at, err := home.RealmDir(e.ID)
	if err != nil {
		return err
	}
	realm := world.Realm{ID: e.ID, Name: e.Name, Tenant: e.Tenant}
	o, err := store.OpenRealm(ctx, afero.NewOsFs(), at, realm, s.Defaults(), time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	t := &talk{writer: writer{o: o, w: o.Saved.World}}
	words := newLanguage()
	now, last, bodies := time.Now(), world.Time(0), []world.Body{&world.RealmCreated{Realm: realm, Settings: s.Defaults()}}
	for i := range n {
		age := 10
		switch {
		case i < due:
			age = 100
		case i < 2*due:
			age = 40
		}
		t.at = max(last+1, world.TimeOf(now.AddDate(0, 0, -age)))
		id := fmt.Sprintf("chat-%d", i)
		bodies = append(bodies, t.begin(id))
		for range 2 {
			ask, answer := t.turns(id, words.said(), words.answered())
			bodies = append(append(bodies, ask...), answer...)
		}
		if age == 100 {
			bodies = append(bodies, &world.ConversationStatus{ConversationID: id, Status: world.ConversationCompleted})
		}
		if last, err = t.commitAt(t.at, bodies); err != nil {
			return err
		}
		bodies = nil
	}
	raw, err := json.Marshal(t.w)
	if err != nil {
		return err
	}
	return o.Files.WriteCheckpoint(world.Checkpoint{Epoch: o.Saved.Epoch, Seq: t.w.Tick, SavedAt: last, World: raw})
}

// commitAt commits events of a day that is past, a millisecond apart.
func (w *writer) commitAt(at world.Time, bodies []world.Body) (world.Time, error) {
	batch := &world.Batch{}
	for i, body := range bodies {
		rec, err := world.Event{Seq: w.w.Tick + 1 + int64(i), At: at, V: 1, Body: body}.Encode()
		if err != nil {
			return at, err
		}
		batch.Records = append(batch.Records, rec)
		at++
	}
	if err := w.o.Journal.Commit(batch); err != nil {
		return at, err
	}
	for _, rec := range batch.Records {
		world.Apply(w.w, rec.Event)
	}
	return at, nil
}
