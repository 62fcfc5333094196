package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// erase erases in a realm of many messages while others go on writing: how long it takes
// until the bytes are gone, and what the p99 of appends is meanwhile, beside that of the
// same appends alone.
func (b *bench) erase(ctx context.Context, n int) ([]figure, error) {
	l, err := b.fillLibrary(ctx, n)
	if err != nil {
		return nil, err
	}
	size, err := folderBytes(l.home)
	if err != nil {
		return nil, err
	}
	var out []figure
	for _, kind := range []struct {
		name string
		of   world.Erasure
	}{
		{fmt.Sprintf("a conversation of about %d messages", 100), world.Erasure{Conversations: []string{"c7"}}},
		{"a person who said half of everything", world.Erasure{SpectatorID: "person"}},
	} {
		name := fmt.Sprintf("erasing %s in a realm of %.0f MB", kind.name, float64(size)/(1<<20))
		took := figure{name: name + ": until the bytes are gone", unit: seconds, bare: "copy of the folder"}
		p99 := figure{name: name + fmt.Sprintf(": appends meanwhile (%d/s), p99", appendPace), unit: seconds, bare: "the same appends without it, p99", aim: aim{below, 50e-3}}
		for range b.fewRuns() {
			if err := b.breathe(ctx); err != nil {
				return nil, err
			}
			if err := b.eraseOnce(ctx, l, kind.of, &took, &p99); err != nil {
				return nil, err
			}
		}
		out = append(out, took, p99)
	}
	return out, nil
}

func (b *bench) eraseOnce(ctx context.Context, l *library, e world.Erasure, took, p99 *figure) (err error) {
	dir, err := b.folder()
	if err != nil {
		return err
	}
	home := filepath.Join(dir, "erased")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	begin := time.Now()
	if err := copyFolder(l.home, home); err != nil {
		return err
	}
	took.limit = append(took.limit, time.Since(begin).Seconds())
	t, err := openTalk(ctx, home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.o.Journal.Close()) }()
	t.n = l.n
	words := newLanguage()
	alone, err := t.pacedTalk("alone", words, b.during)
	if err != nil {
		return err
	}
	p99.limit = append(p99.limit, percentile(alone, 99))

	j := t.o.Journal
	begin = time.Now()
	e.ErasureID, e.Reason, e.Who, e.At = "e1", world.ErasedOnRequest, "bench", world.TimeOf(begin)
	if err := j.IntendErasure(e); err != nil {
		return err
	}
	scope, err := j.ScopeErasure(ctx, e, nil, false)
	if err != nil {
		return err
	}
	if err := t.commit(&world.HistoryErased{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, Reason: e.Reason, Conversations: scope.Talks}); err != nil {
		return err
	}
	var all []time.Duration
	var erasing sync.WaitGroup
	var failed error
	done := make(chan struct{})
	erasing.Go(func() {
		defer close(done)
		failed = endErasure(ctx, j, e)
		took.ours = append(took.ours, time.Since(begin).Seconds())
	})
	for round, over := 0, false; !over; round++ {
		meanwhile, err := t.pacedTalk(fmt.Sprintf("more%d", round), words, time.Second)
		all = append(all, meanwhile...)
		if err != nil {
			erasing.Wait()
			return errors.Join(err, failed)
		}
		select {
		case <-done:
			over = true
		default:
		}
	}
	erasing.Wait()
	p99.ours = append(p99.ours, percentile(all, 99))
	return failed
}

func endErasure(ctx context.Context, j *store.Journal, e world.Erasure) error {
	red, err := j.Redact(ctx, e.ErasureID)
	if err != nil {
		return err
	}
	_, err = j.EndErasure(ctx, e, world.NewReceipt(e, nil, []byte("{}"), red.Changed, nil, nil), time.Now)
	return err
}

// pacedTalk has somebody else say things at a steady pace, a commit each.
func (t *talk) pacedTalk(id string, words *language, during time.Duration) ([]time.Duration, error) {
	if err := t.commit(t.begin(id)); err != nil {
		return nil, err
	}
	var messages [][]world.Body
	for range appendPace * int(during.Seconds()) / 2 {
		ask, answer := t.turns(id, words.said(), words.answered())
		ask[0].(*world.ChatStarted).Message.SpectatorID = "other"
		messages = append(messages, ask, answer)
	}
	return pace(appendPace, during, func(i int) error { return t.commit(messages[i]...) })
}

func folderBytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
