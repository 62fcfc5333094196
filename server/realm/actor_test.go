package realm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// bubble runs f with a bench (the realm of a test) in a synctest bubble, and stops the bench afterwards.
func bubble(t *testing.T, drivers cast, f func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, drivers)
		defer func() { // runs also after a Fatal, because a bubble waits for all its goroutines
			b.journal.set(nil, nil)
			if _, err := b.r.Stop(context.Background()); err != nil {
				t.Errorf("stop: %v", err)
			}
		}()
		f(b)
	})
}

func start(template string) *wire.StartProcess {
	return &wire.StartProcess{Problem: "How do we keep what people saw?", TemplateID: template}
}

func TestNothingIsShownBeforeItIsSaved(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		gate := make(chan struct{})
		b.journal.set(nil, gate)
		got := c.send(ada, "q1", &wire.SpectatorSay{Text: "hello"})
		if len(got) != 0 {
			t.Fatalf("shown before its commit: %v", types(got))
		}
		late := b.tab() // the realm serves people meanwhile
		if find(late.frames, "spectator:command") != nil || late.world == nil {
			t.Fatal("a snapshot must hold only what is saved")
		}
		close(gate)
		b.journal.set(nil, nil)
		got = c.pull()
		say := find(got, "spectator:command")
		if say == nil || say["text"] != "hello" || say["requestId"] != "q1" || say["name"] != "Ada" {
			t.Fatalf("after the commit: %v", got)
		}
		if r := find(got, "command:reply"); r == nil || r["seq"] != say["seq"] {
			t.Fatalf("the sender is answered after it: %v", got)
		}
		if find(late.pull(), "spectator:command") == nil {
			t.Fatal("the other tab missed it")
		}
	})
}

// A client that reconnects gets exactly the frames that it missed, byte for byte, also after a restart. P4.2, P4.7.
func TestReplayAcrossLives(t *testing.T) {
	bubble(t, speak, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		seen, seq := c.seq, c.seq
		b.stop()
		b.start(true)
		c.again()
		if w := c.frames[len(c.frames)-1]; find(c.frames, "welcome") == nil || w == nil {
			t.Fatal("no welcome")
		}
		welcome := lastOf(c.frames, "welcome")
		if welcome["continuity"] != wire.ContinuityReplay || welcome["from"] != float64(seq+1) || welcome["epoch"] != "e2" {
			t.Fatalf("welcome %v", welcome)
		}
		if c.seq <= seen {
			t.Fatal("the restored event is missing")
		}
		fresh := b.tab()
		if a, z := canonical(t, fresh.world), canonical(t, c.world); a != z {
			t.Fatalf("a replaying tab and a new one differ:\n%s\n%s", z, a)
		}
	})
}

func lastOf(frames []map[string]any, kind string) map[string]any {
	for i := len(frames) - 1; i >= 0; i-- {
		if frames[i]["type"] == kind {
			return frames[i]
		}
	}
	return nil
}

func canonical(t *testing.T, w *world.World) string {
	t.Helper()
	c := w.Clone()
	c.Fill()
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPositionsThatGetASnapshot(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		c.send(ada, "1", &wire.SpectatorSay{Text: "a"})
		first, at := c.epoch, c.seq
		b.stop()
		b.start(true)
		c.again()
		e := func(s string) *string { return &s }
		n := func(i int64) *int64 { return &i }
		for _, tc := range []struct {
			pos    watch.Position
			reason string
		}{
			{watch.Position{}, wire.SnapshotFirst},
			{watch.Position{Epoch: e("nobody"), LastSeq: n(1)}, wire.SnapshotUnknownEpoch},
			{watch.Position{Epoch: e("e2"), LastSeq: n(999)}, wire.SnapshotFuture},
			{watch.Position{Epoch: e("e2"), LastSeq: n(-1)}, wire.SnapshotFuture},
			{watch.Position{Epoch: &first, LastSeq: n(at + 1)}, wire.SnapshotDiverged},
			{watch.Position{Epoch: &first, LastSeq: &at}, ""},
			{watch.Position{Epoch: &first, LastSeq: n(0)}, ""},
		} {
			x := &tab{b: b, durable: map[int64][]byte{}, world: world.New(world.Realm{})}
			if tc.pos.LastSeq != nil {
				x.seq = *tc.pos.LastSeq
			}
			x.attach(tc.pos)
			w := x.frames[0]
			if got, _ := w["reason"].(string); got != tc.reason {
				t.Errorf("%v: reason %q, want %q", tc, got, tc.reason)
			}
			if x.seq != c.seq {
				t.Errorf("%v: ends at %d, want %d", tc, x.seq, c.seq)
			}
		}
	})
}

func TestACommandIsTakenOnce(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		say := &wire.SpectatorSay{Text: "once"}
		first := c.send(ada, "q", say)
		again := c.send(ada, "q", say)
		if count(again, "spectator:command") != 0 || find(again, "command:reply")["seq"] != find(first, "command:reply")["seq"] {
			t.Fatalf("again: %v", again)
		}
		if got := c.send(ada, "q", &wire.SpectatorSay{Text: "other"}); find(got, "error")["code"] != string(wire.Conflict) {
			t.Fatalf("other content: %v", got)
		}
		if got := c.send(ben, "q", say); find(got, "spectator:command") == nil {
			t.Fatal("another person's request of the same name is another request")
		}
		b.stop()
		b.start(false)
		c.again()
		if got := c.send(ada, "q", say); count(got, "spectator:command") != 0 || find(got, "command:reply") == nil {
			t.Fatalf("after a restart: %v", types(got))
		}
	})
}

// P12.4.
func TestStoreDownIsServedToldAndRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, limits: commit.Limits{Events: 3, Bytes: 1 << 20}}
		b.start(false)
		c := b.tab()
		b.journal.set(errors.New("disk full"), nil)
		for i := range 3 {
			c.send(ada, fmt.Sprint("q", i), &wire.SpectatorSay{Text: "kept"})
		}
		if s := lastOf(c.frames, "save:status"); s == nil || s["state"] != wire.SaveFailing {
			t.Fatalf("people are told: %v", types(c.frames))
		}
		if got := c.send(ada, "q9", &wire.SpectatorSay{Text: "too much"}); find(got, "error") == nil || find(got, "error")["code"] != string(wire.Unsaved) || find(got, "error")["requestId"] != "q9" {
			t.Fatalf("at the bound: %v", got)
		}
		if count(c.frames, "spectator:command") != 0 {
			t.Fatal("shown while not saved")
		}
		fresh := b.tab()
		if lastOf(fresh.frames, "save:status") == nil {
			t.Fatal("a new tab is told that saving fails")
		}
		b.journal.set(nil, nil)
		time.Sleep(commit.LastRetry + time.Second)
		got := c.pull()
		if count(got, "spectator:command") != 3 || lastOf(got, "save:status")["state"] != wire.SaveSaved {
			t.Fatalf("when it is back: %v", types(got))
		}
		if got := c.send(ada, "q9", &wire.SpectatorSay{Text: "too much"}); find(got, "spectator:command") == nil {
			t.Fatal("the same request is taken now")
		}
		b.stop()
	})
}

func TestABrokenJournalIsReadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		c := b.tab()
		c.send(ada, "1", &wire.SpectatorSay{Text: "safe"})
		b.journal.set(fmt.Errorf("%w: other bytes", world.ErrBroken), nil)
		c.send(ada, "2", &wire.SpectatorSay{Text: "lost"})
		if s := lastOf(c.frames, "save:status"); s["state"] != wire.SaveBroken {
			t.Fatalf("status %v", s)
		}
		if got := c.send(ada, "3", &wire.SpectatorSay{Text: "no"}); find(got, "error") == nil {
			t.Fatalf("a broken realm takes no command: %v", got)
		}
		if x := b.tab(); x.world == nil || x.seq != c.seq {
			t.Fatal("what was shown can be read")
		}
		if n, err := b.r.Stop(context.Background()); n != 1 || err == nil {
			t.Fatalf("stop must say what was not shown: %d %v", n, err)
		}
	})
}

func TestCheckpointsAreDebounced(t *testing.T) { // S3-06, and the maximum delay: a busy realm is saved too
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		before := b.files.count()
		for i := range 7 {
			c.send(ada, fmt.Sprint(i), &wire.SpectatorSay{Text: "x"})
			time.Sleep(128 * time.Millisecond)
		}
		synctest.Wait()
		if n := b.files.count() - before; n != 0 {
			t.Fatalf("%d writes while things happen", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := b.files.count() - before; n != 1 {
			t.Fatalf("S3-06: %d writes, want 1", n)
		}
		if cp := b.files.checkpoints[before]; cp.Seq != c.seq {
			t.Fatalf("checkpoint at %d, head %d", cp.Seq, c.seq)
		}
		for i := range 100 { // for ten seconds no second is quiet
			c.send(ada, fmt.Sprint("b", i), &wire.SpectatorSay{Text: "x"})
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if n := b.files.count() - before - 1; n < 1 || n > 3 {
			t.Fatalf("%d writes in ten busy seconds", n)
		}
		idle := b.files.count()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := b.files.count() - idle; n > 1 {
			t.Fatalf("%d writes in an idle hour", n)
		}
	})
}

func TestACheckpointIsNeverAheadOfTheJournal(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		gate := make(chan struct{})
		b.journal.set(nil, gate)
		c.send(ada, "1", &wire.SpectatorSay{Text: "x"})
		before := b.files.count()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		for _, cp := range b.files.checkpoints {
			if cp.Seq > b.journal.head() {
				t.Fatalf("checkpoint at %d, journal at %d", cp.Seq, b.journal.head())
			}
		}
		if got := lastOf(c.pull(), "save:status"); got == nil || got["state"] != wire.SaveSlow {
			t.Fatalf("a slow disk is told: %v", got)
		}
		close(gate)
		b.journal.set(nil, nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if b.files.count() == before {
			t.Fatal("no checkpoint after the commit")
		}
	})
}

func TestAViewerThatNeverReadsIsCutAndComesBack(t *testing.T) { // B25
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, ring: ring.Limits{Items: 500, Bytes: 1 << 20}}
		b.start(false)
		lazy, c := b.tab(), b.tab()
		var lapped, wrong atomic.Bool
		lazy.v.OnLapped(func() { lapped.Store(true) })
		c.v.OnLapped(func() { wrong.Store(true) })
		for i := range 1000 {
			if e := b.r.Submit(Input{From: ada, Command: &wire.SpectatorSay{Text: strings.Repeat("x", 100)}}); e != nil {
				t.Fatal(e)
			}
			if i%100 == 0 {
				c.pull()
			}
		}
		c.pull()
		synctest.Wait()
		if !lapped.Load() || wrong.Load() {
			t.Errorf("told of being lapped: the one that does not read %v, the other %v", lapped.Load(), wrong.Load())
		}
		_, err := lazy.v.Take(context.Background(), 1<<16)
		if !errors.Is(err, watch.ErrLapped) {
			t.Fatalf("lapped viewer: %v", err)
		}
		lazy.v.Close()
		lazy.again()
		if w := lastOf(lazy.frames, "welcome"); w["continuity"] != wire.ContinuityReplay || lazy.seq != c.seq {
			t.Fatalf("it comes back by replay: %v, at %d of %d", w, lazy.seq, c.seq)
		}
		b.stop()
	})
}

// A mistyped command is refused and nobody sees it. A path at the beginning of a text is no command: the text is words.
func TestAMistypedCommandIsNotSaid(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		for id, text := range map[string]string{"1": "/nosuch", "2": "/nosuch thing", "3": "/puase a/b"} {
			if got := c.send(ada, id, &wire.PlayerCommand{Text: text}); find(got, "error") == nil ||
				find(got, "spectator:command") != nil {
				t.Errorf("%s: %v", text, got)
			}
		}
		for id, text := range map[string]string{"4": "/usr/bin is missing", "5": "/usr/bin\nis missing"} {
			if said := find(c.send(ada, id, &wire.PlayerCommand{Text: text}), "spectator:command"); said["text"] != text {
				t.Errorf("%q is said as %v", text, said)
			}
		}
		b.stop()
	})
}

// The notes between the rows of the transcript are shown again after a reload and after a restart, because a snapshot
// contains them. P5.7.
func TestASnapshotBringsTheLinesBetweenTheRows(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		c.send(ada, "1", &wire.SpectatorSay{Text: "said in passing"})
		c.send(ada, "2", &wire.PlayerCommand{Text: "/mode manual"})
		time.Sleep(10 * time.Second) // meanwhile the next base is encoded
		recents := func() string {
			x := b.tab()
			raw, err := json.Marshal(find(x.frames, "world:state")["recent"])
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		for life := range 2 {
			got := recents()
			if !strings.Contains(got, "said in passing") || !strings.Contains(got, "settings:updated") || strings.Contains(got, "realm:created") {
				t.Fatalf("life %d: %s", life+1, got)
			}
			if life == 0 {
				b.stop()
				b.start(true)
			}
		}
		c.again()
		for i := range 300 {
			c.send(ada, fmt.Sprint("x", i), &wire.SpectatorSay{Text: strings.Repeat("long ", 200)})
		}
		time.Sleep(10 * time.Second)
		if got := recents(); len(got) > wire.RecentBytes+1000 || strings.Contains(got, "said in passing") {
			t.Fatalf("bounded, the oldest go: %d bytes", len(got))
		}
	})
}
