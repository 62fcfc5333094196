package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// restored is one opening of a realm with one long chat.
type restored struct {
	took     time.Duration
	views    int // bytes of world:state's conversations
	snapshot int // bytes of the frame with the newest rows
	text     int // bytes of their texts
}

// talkRestore is from a realm's folder to the world and the newest rows of a chat, in
// this process: the opening, the actor's start, an attach, world:state, and the answer
// to conversation.open. The folder was closed in order; its files are in the memory of
// the system, as after any restart.
func (b *bench) talkRestore(ctx context.Context, times int, sizes ...int) ([]figure, error) {
	aims := map[int]aim{1_000: {below, 100e-3}, 10_000: {below, 500e-3}}
	var out []figure
	for i, n := range sizes {
		name := fmt.Sprintf("restore of a chat of %d messages: folder to world:state and the newest %d rows, ", n, wire.ViewMessages)
		p50 := figure{name: name + "p50", unit: seconds, bare: "reading all its rows' texts from a file, p50"}
		p99 := figure{name: name + "p99", unit: seconds, bare: "reading all its rows' texts from a file, p99", aim: aims[n]}
		views := figure{name: fmt.Sprintf("conversations in world:state, a chat of %d messages", n), unit: octets, bare: "texts of the newest rows"}
		snapshot := figure{name: fmt.Sprintf("snapshot of the newest %d rows of %d", wire.ViewMessages, n), unit: octets, bare: "their texts"}
		home, texts, err := b.longTalk(ctx, n)
		if err != nil {
			return nil, err
		}
		var last restored
		if err := b.restores(ctx, times, texts, &p50, &p99, nil, func() (whole, part time.Duration, err error) {
			last, err = restoreOnce(ctx, home)
			return last.took, 0, err
		}); err != nil {
			return nil, err
		}
		views.ours, views.limit = []float64{float64(last.views)}, []float64{float64(last.text)}
		snapshot.ours, snapshot.limit = []float64{float64(last.snapshot)}, []float64{float64(last.text)}
		out = append(out, p50, p99)
		if i == len(sizes)-1 { // they do not grow with what lies behind them
			out = append(out, views, snapshot)
		}
		if err := os.RemoveAll(filepath.Dir(home)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// restores measures openings of a realm, beside reading their rows' texts from a file: the
// whole of each, and unless part is nil a part of it, beside the whole.
func (b *bench) restores(ctx context.Context, times int, texts string, p50, p99, part *figure, restore func() (whole, some time.Duration, err error)) error {
	if _, _, err := restore(); err != nil { // writes the first checkpoint
		return err
	}
	for range b.runs {
		if err := b.breathe(ctx); err != nil {
			return err
		}
		var took, parts, read []time.Duration
		for range times {
			whole, some, err := restore()
			if err != nil {
				return err
			}
			took, parts = append(took, whole), append(parts, some)
			begin := time.Now()
			if _, err := os.ReadFile(texts); err != nil {
				return err
			}
			read = append(read, time.Since(begin))
		}
		p50.ours, p50.limit = append(p50.ours, percentile(took, 50)), append(p50.limit, percentile(read, 50))
		p99.ours, p99.limit = append(p99.ours, percentile(took, 99)), append(p99.limit, percentile(read, 99))
		if part != nil {
			part.ours, part.limit = append(part.ours, percentile(parts, 99)), append(part.limit, percentile(took, 99))
		}
	}
	return nil
}

const longTalkID = "long"

// longTalk makes a realm with one chat, and a file with the texts of its rows.
func (b *bench) longTalk(ctx context.Context, n int) (home, texts string, err error) {
	return b.longRealm(ctx, n, func(t *talk) []world.Body { return []world.Body{t.begin(longTalkID)} },
		func(ask, answer []world.Body) []world.Body { return answer })
}

// longRealm makes a realm with one conversation of n rows, and a file with their texts.
// begin gives its first events; exchange may change what people ask, and gives the events
// of what is answered.
func (b *bench) longRealm(ctx context.Context, n int, begin func(t *talk) []world.Body, exchange func(ask, answer []world.Body) []world.Body) (home, texts string, err error) {
	dir, err := b.folder()
	if err != nil {
		return "", "", err
	}
	home, texts = filepath.Join(dir, "talk"), filepath.Join(dir, "texts")
	t, err := newTalk(ctx, home)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, t.o.Journal.Close()) }()
	if err := t.commit(begin(t)...); err != nil {
		return "", "", err
	}
	words := newLanguage()
	var all bytes.Buffer
	for range n / 2 {
		said, answered := words.said(), words.answered()
		ask, answer := t.turns(longTalkID, said, answered)
		answer = exchange(ask, answer)
		if err := errors.Join(t.commit(ask...), t.commit(answer...)); err != nil {
			return "", "", err
		}
		all.WriteString(said + "\n" + answered + "\n")
	}
	return home, texts, os.WriteFile(texts, all.Bytes(), 0o600)
}

func restoreOnce(ctx context.Context, home string) (got restored, err error) {
	begin := time.Now()
	t, err := openTalk(ctx, home)
	if err != nil {
		return got, err
	}
	r := realm.Start(realm.Config{
		Saved: t.o.Saved, Journal: t.o.Journal, Files: t.o.Files, Templates: noTemplates{}, Drivers: noDrivers{},
		Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {},
	})
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTime)
		defer cancel()
		_, stopErr := r.Stop(stop)
		err = errors.Join(err, stopErr)
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := r.Attach(ctx, realm.Position{})
	if err != nil {
		return got, err
	}
	defer v.Close()
	state, err := takeUntil(ctx, v, `{"type":"world:state",`)
	if err != nil {
		return got, err
	}
	in := realm.Input{From: realm.Person{SpectatorID: "s", Name: "person", Color: "#aabbcc", Role: wire.RoleHost}, RequestID: "open", To: v,
		Command: &wire.ConversationOpen{ConversationID: longTalkID}}
	if e := r.Submit(in); e != nil {
		return got, e
	}
	snapshot, err := takeUntil(ctx, v, `{"type":"snapshot",`)
	if err != nil {
		return got, err
	}
	got.took = time.Since(begin)
	var shown struct {
		Conversations json.RawMessage `json:"conversations"`
	}
	var rows struct {
		Messages []world.Message `json:"messages"`
	}
	if err := errors.Join(json.Unmarshal(state, &shown), json.Unmarshal(snapshot, &rows)); err != nil {
		return got, err
	}
	if len(rows.Messages) != wire.ViewMessages {
		return got, fmt.Errorf("the snapshot has %d rows", len(rows.Messages))
	}
	got.views, got.snapshot = len(shown.Conversations), len(snapshot)
	for _, m := range rows.Messages {
		got.text += len(m.Content)
	}
	return got, nil
}

// takeUntil takes a viewer's frames up to one that begins like this.
func takeUntil(ctx context.Context, v *realm.Viewer, head string) ([]byte, error) {
	for {
		frames, err := v.Take(ctx, 256<<10)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			switch {
			case bytes.HasPrefix(f, []byte(head)):
				return f, nil
			case bytes.HasPrefix(f, []byte(`{"type":"error",`)):
				return nil, fmt.Errorf("the realm says %.300s", f)
			}
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-v.Ready():
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
