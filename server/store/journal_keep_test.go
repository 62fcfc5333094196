package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/world"
)

func (r *rig) base() {
	r.t.Helper()
	if err := r.o.Journal.SaveBase(r.worldNow()); err != nil {
		r.t.Fatal(err)
	}
}

func TestBasesAndTrim(t *testing.T) {
	r := newRig(t)
	r.tell()
	j := r.o.Journal
	if err := j.SaveBase(world.Checkpoint{Seq: r.w.Tick + 1, World: []byte("{}")}); err == nil {
		t.Fatal("a base ahead of the head")
	}
	var bases []int64
	for range 5 {
		r.say(20)
		r.base()
		bases = append(bases, r.w.Tick)
	}
	kept, err := readBases(t.Context(), j.w.conn)
	must(t, err)
	if len(kept) != keptBases || kept[0].seq != bases[4] || kept[2].seq != bases[2] {
		t.Fatalf("kept %+v of %v", kept, bases)
	}
	oldest := bases[2]
	// Up to the oldest base, not an event further, and an error changes nothing.
	if err := j.Trim(t.Context(), oldest+2); err == nil || j.Floor() != 1 || j.unsure {
		t.Fatalf("%v, floor %d", err, j.Floor())
	}
	must(t, j.Trim(t.Context(), 30))
	must(t, j.Trim(t.Context(), 10)) // nothing left to do
	if j.Floor() != 30 {
		t.Fatalf("floor %d", j.Floor())
	}
	if _, err := j.Read(t.Context(), 28, 5); !errors.Is(err, ErrMissing) {
		t.Fatalf("read of what is trimmed: %v", err)
	}
	if got := readAll(t, j, 29); !slices.EqualFunc(got, r.frames[29:], slices.Equal) {
		t.Fatal("the frames differ")
	}
	rows := must2(t)(j.Rows(t.Context(), "c1", "", 0, 10))
	if len(rows) != 4 {
		t.Fatalf("transcripts are trimmed: %d rows", len(rows))
	}
	// All the way, and it still recovers: from state.json, from a base, and with
	// nothing behind the base.
	must(t, j.Trim(t.Context(), oldest+1))
	r.say(2)
	k := &killedRig{dir: r.killed()}
	o := mustOpen(t, k.dir)
	sameJSON(t, "from the base", o.Saved.World, r.w)
	if o.Journal.Floor() != oldest+1 || o.Saved.Restored.Source != world.RestoredFromBase {
		t.Fatalf("floor %d, %+v", o.Journal.Floor(), o.Saved.Restored)
	}
	for range keptBases {
		r.say(1)
		r.base()
	}
	must(t, j.Trim(t.Context(), r.w.Tick-1)) // the oldest base is two events back
	r.say(3)
	r.close()
	r.open()
	sameJSON(t, "after a restart", r.o.Saved.World, r.w)
	// A state.json from before the floor is of no use, but nobody's fault.
	r.checkpoint()
	old := r.w.Tick
	for range 3 {
		r.say(5)
		r.base()
	}
	must(t, r.o.Journal.Trim(t.Context(), old+3))
	r.close()
	r.open()
	if res := r.o.Saved.Restored; res.Source != world.RestoredFromBase || len(res.SetAside) > 0 {
		t.Fatalf("%+v", res)
	}
	sameJSON(t, "past an old checkpoint", r.o.Saved.World, r.w)
}

// The last event may go too: the numbers go on where they were.
func TestTrimEverything(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.base()
	head := r.w.Tick
	must(t, r.o.Journal.w.run("DELETE FROM bases WHERE seq <> "+itoa(head))) // as if it were the only one
	must(t, r.o.Journal.Trim(t.Context(), head+1))
	if r.o.Journal.Floor() != head+1 {
		t.Fatalf("floor %d at head %d", r.o.Journal.Floor(), head)
	}
	r.close()
	r.open()
	if r.o.Saved.Head != head || r.o.Journal.Floor() != head+1 || r.o.Saved.Restored.Source != world.RestoredFromBase {
		t.Fatalf("head %d, floor %d, want %d; %+v", r.o.Saved.Head, r.o.Journal.Floor(), head, r.o.Saved.Restored)
	}
	sameJSON(t, "world", r.o.Saved.World, r.w)
	r.say(1)
	r.close()
	r.open()
	sameJSON(t, "world", r.o.Saved.World, r.w)
}

func TestLinesAndMarkAuto(t *testing.T) {
	r := newRig(t)
	r.tell()
	for range 4 {
		must(t, r.o.MarkAuto())
		if l := r.o.Saved.Lines; !l[len(l)-1].Auto {
			t.Fatal("not marked")
		}
		r.say(1)
		r.close()
		r.open()
	}
	lines := r.o.Saved.Lines
	if len(lines) != 5 || !lines[0].Auto || !lines[3].Auto || lines[4].Auto || lines[4].OpenedAt == 0 {
		t.Fatalf("%+v", lines)
	}
	epochs := map[string]bool{}
	for _, l := range lines {
		epochs[l.Epoch] = true
	}
	if len(epochs) != 5 || r.o.Journal.Epoch() != lines[4].Epoch {
		t.Fatalf("%+v", lines)
	}
	for range 3 {
		r.say(2)
		r.base()
	}
	must(t, r.o.Journal.Trim(t.Context(), lines[3].FromSeq+1)) // lines that ended before go
	r.close()
	r.open()
	if got := r.o.Saved.Lines; len(got) != 3 || got[0] != lines[3] {
		t.Fatalf("%+v", got)
	}
}

// fill commits rows of size bytes and gives the longest that the log became.
func (r *rig) fill(rows, size int) (most int64) {
	r.t.Helper()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range rows {
		raw := make([]byte, 2*size) // without a word, and not to be packed to less than size
		for i := range raw {
			raw[i] = byte(' ' + rnd.IntN(16))
		}
		text := string(raw)
		r.commit(&world.MessageAdded{Message: world.Message{MessageID: fmt.Sprint("m", r.w.Tick), Content: text}})
		most = max(most, r.o.Journal.logBytes())
	}
	r.frames = nil
	return most
}

// The log moves into the database beside the commits and never grows without bound;
// an idle realm's is emptied.
func TestLogStaysBounded(t *testing.T) {
	r := newRig(t)
	r.tell()
	j := r.o.Journal
	j.limits = logLimits{idle: 100 << 10, move: 400 << 10, step: 100 << 10, stop: 2 << 20}
	most := r.fill(300, 20<<10) // 6 MB
	if most < j.limits.move || most > j.limits.stop+(200<<10) {
		t.Fatalf("the log grew to %d bytes", most)
	}
	if total := j.Bytes(); total < 6<<20 {
		t.Fatalf("%d bytes", total)
	}
	for j.logBytes() < j.limits.idle { // it may just have begun anew
		r.fill(1, 20<<10)
	}
	for j.logBytes() != 0 { // the mover may be at work still
		j.Idle()
	}
	r.say(1)
	before := j.logBytes()
	j.Idle() // not worth two syncs
	if n := j.logBytes(); n != before || n == 0 {
		t.Fatalf("a short log of %d bytes was emptied to %d", before, n)
	}
}

// With nobody to move it, at the bound, a commit moves the log itself.
func TestLogStopsAtItsBound(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.o.Journal.limits = logLimits{idle: 100 << 10, move: 1, step: 1 << 40, stop: 2 << 20}
	r.o.Journal.nextKick = 1 << 40
	if most := r.fill(150, 40<<10); most < 2<<20 || most > 3<<20 {
		t.Fatalf("the log grew to %d bytes", most)
	}
}

// The mover alone is enough where commits leave it a moment.
func TestLogIsMovedBesideTheCommits(t *testing.T) {
	r := newRig(t)
	r.tell()
	j := r.o.Journal
	j.limits = logLimits{idle: 1, move: 400 << 10, step: 100 << 10, stop: 1 << 40}
	j.nextKick = j.limits.move
	r.fill(40, 20<<10)
	for long := j.logBytes(); j.logBytes() >= long; { // until it has begun anew
		r.fill(1, 100)
	}
}

// A reader holds the log; Idle does not wait for it, and neither does the commit
// after it.
func TestIdleDoesNotWaitForReaders(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.fill(1, 2<<20)
	rows, err := r.o.Journal.reader.QueryContext(t.Context(), "SELECT seq FROM journal")
	must(t, err)
	if !rows.Next() {
		t.Fatal("no rows")
	}
	r.say(1)
	r.o.Journal.Idle()
	if r.o.Journal.logBytes() == 0 {
		t.Fatal("emptied under a reader")
	}
	r.say(1)
	must(t, rows.Close())
	r.o.Journal.Idle()
	if r.o.Journal.logBytes() != 0 {
		t.Fatal("not emptied after the reader")
	}
	var wait int
	must(t, one(t.Context(), r.o.Journal.w.conn, []any{&wait}, "PRAGMA busy_timeout"))
	if fmt.Sprint(wait) != lockWait {
		t.Fatalf("the writer now waits %d ms", wait)
	}
}

// Commits, reads, bases, trims and checkpoints beside each other: what is read is
// what was committed, without a hole.
func TestManyHands(t *testing.T) {
	r := newRig(t)
	r.tell()
	j := r.o.Journal
	const n = 150
	frames := make([][]byte, 0, n+100)
	frames = append(frames, r.frames...)
	var mu sync.Mutex // of frames
	done := make(chan struct{})
	var hands sync.WaitGroup
	for range 3 {
		hands.Go(func() {
			rnd := rand.New(rand.NewPCG(1, 2))
			for {
				select {
				case <-done:
					return
				default:
				}
				mu.Lock()
				head := int64(len(frames))
				mu.Unlock()
				after := rnd.Int64N(head)
				got, err := j.Read(context.Background(), after, 1+rnd.IntN(40))
				if errors.Is(err, ErrMissing) {
					continue // trimmed
				}
				if err != nil || len(got) == 0 {
					t.Errorf("after %d of %d: %d, %v", after, head, len(got), err)
					return
				}
				mu.Lock()
				for i, f := range got {
					if f.Seq != after+1+int64(i) || f.Seq <= int64(len(frames)) && !slices.Equal(f.Bytes, frames[f.Seq-1]) {
						t.Errorf("frame %d after %d differs", f.Seq, after)
					}
				}
				mu.Unlock()
			}
		})
	}
	hands.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				_, _, rerr := j.Rows(context.Background(), "c1", "", 0, 5)
				_, _, lerr := j.Conversations(context.Background(), world.ConversationQuery{Limit: 5})
				_, cerr := j.Conversation(context.Background(), "c1")
				hits, serr := j.Search(context.Background(), world.SearchQuery{Words: "once upon", Limit: 5})
				if err := errors.Join(rerr, lerr, cerr, serr); err != nil || len(hits) != 1 {
					t.Errorf("%v, %d hits", err, len(hits))
				}
				j.Idle()
				j.Bytes()
				if j.Floor() < 1 {
					t.Error("floor")
				}
			}
		}
	})
	bases := make(chan world.Checkpoint, n)
	hands.Go(func() {
		for c := range bases {
			if err := j.SaveBase(c); err != nil {
				t.Error(err)
			}
			if err := j.Trim(context.Background(), c.Seq-60); err != nil && !errors.Is(err, errRefused) {
				t.Error(err)
			}
		}
	})
	for i := range n {
		b := r.batch(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("x", i), ConversationID: "c1", Content: strings.Repeat("z", 40<<10)}})
		must(t, j.Commit(b))
		world.Apply(r.w, b.Records[0].Event)
		mu.Lock()
		frames = append(frames, b.Records[0].Frame)
		mu.Unlock()
		if i%20 == 0 {
			bases <- r.worldNow()
		}
	}
	close(bases)
	close(done)
	hands.Wait()
	r.close()
	sameJSON(t, "world", mustOpen(t, r.dir).Saved.World, r.w)
}

// A journal lives inside a synctest bubble: nothing in it waits for the real clock.
func TestJournalInABubble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), rigRealm.ID)
	synctest.Test(t, func(t *testing.T) {
		o, err := openDir(t, dir)
		must(t, err)
		r := &rig{t: t, dir: dir, o: o, w: o.Saved.World.Clone(), at: 1}
		r.tell()
		r.commit(&world.MessageAdded{Message: world.Message{MessageID: "long", Content: strings.Repeat("t", 5<<20)}})
		time.Sleep(time.Hour)
		synctest.Wait()
		r.o.Journal.Idle()
		must(t, o.Journal.Close())
	})
}

// A clean close leaves one file, without marks of a life under way; and a copy of it
// alone is the realm.
func TestRealmFolderIsTheRealm(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.close()
	copied := filepath.Join(t.TempDir(), rigRealm.ID)
	must(t, os.MkdirAll(copied, 0o700))
	copyFile(t, filepath.Join(r.dir, JournalFile), filepath.Join(copied, JournalFile))
	o := mustOpen(t, copied)
	sameJSON(t, "world", o.Saved.World, r.w)
	if res := o.Saved.Restored; res.TranscriptsLost || res.Source != world.RestoredFromJournal {
		t.Fatalf("%+v", res)
	}
}

// An error that made the journal open its handles again is no sign of a lost log,
// neither at a kill nor at a close that did not come to its end.
func TestReopenedLogIsNotLost(t *testing.T) {
	r := faultyRig(t)
	setFaults(t, once("COMMIT", errDisk), nil)
	b := r.batch(findings("a")...)
	if r.o.Journal.Commit(b) == nil {
		t.Fatal("the fault did not come")
	}
	if res := mustOpen(t, r.killed()).Saved.Restored; res.TranscriptsLost {
		t.Fatalf("killed after a fault: %+v", res)
	}
	must(t, r.o.Journal.Commit(b))
	r.fold(b)
	setFaults(t, once("INSERT INTO meta", errDisk), nil)
	if r.o.Journal.Close() == nil {
		t.Fatal("the fault did not come")
	}
	setFaults(t, nil, nil)
	o := mustOpen(t, r.dir)
	if res := o.Saved.Restored; res.TranscriptsLost {
		t.Fatalf("closed with a fault: %+v", res)
	}
	sameJSON(t, "world", o.Saved.World, r.w)
}
