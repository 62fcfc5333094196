package journal_test

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

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

func TestBasesAndTrim(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	j := r.O.Journal
	if err := j.SaveBase(world.Checkpoint{Seq: r.W.Tick + 1, World: []byte("{}")}); err == nil {
		t.Fatal("a base ahead of the head")
	}
	var bases []int64
	for range 5 {
		r.Say(20)
		r.Base()
		bases = append(bases, r.W.Tick)
	}
	kept, err := tables.ReadBases(t.Context(), j.Writer())
	storetest.Must(t, err)
	if len(kept) != tables.KeptBases || kept[0].Seq != bases[4] || kept[2].Seq != bases[2] {
		t.Fatalf("kept %+v of %v", kept, bases)
	}
	oldest := bases[2]
	// Trim deletes events up to the oldest base and none after it. A refused trim changes nothing.
	if err := j.Trim(t.Context(), oldest+2); err == nil || j.Floor() != 1 || (*j.UnsureRef()) {
		t.Fatalf("%v, floor %d", err, j.Floor())
	}
	storetest.Must(t, j.Trim(t.Context(), 30))
	storetest.Must(t, j.Trim(t.Context(), 10)) // nothing left to do
	if j.Floor() != 30 {
		t.Fatalf("floor %d", j.Floor())
	}
	if _, err := j.Read(t.Context(), 28, 5); !errors.Is(err, disk.ErrMissing) {
		t.Fatalf("read of what is trimmed: %v", err)
	}
	if got := storetest.ReadAll(t, j, 29); !slices.EqualFunc(got, r.Frames[29:], slices.Equal) {
		t.Fatal("the frames differ")
	}
	rows := must2(t)(j.Rows(t.Context(), "c1", "", 0, 10))
	if len(rows) != 4 {
		t.Fatalf("transcripts are trimmed: %d rows", len(rows))
	}
	// After a trim up to the oldest base the realm recovers from state.json, and from a base, also
	// with no event after the base.
	storetest.Must(t, j.Trim(t.Context(), oldest+1))
	r.Say(2)
	k := &storetest.KilledRig{Dir: r.Killed()}
	o := storetest.MustOpen(t, k.Dir)
	storetest.SameJSON(t, "from the base", o.Saved.World, r.W)
	if o.Journal.Floor() != oldest+1 || o.Saved.Restored.Source != world.RestoredFromBase {
		t.Fatalf("floor %d, %+v", o.Journal.Floor(), o.Saved.Restored)
	}
	for range tables.KeptBases {
		r.Say(1)
		r.Base()
	}
	storetest.Must(t, j.Trim(t.Context(), r.W.Tick-1)) // the oldest base is two events back
	r.Say(3)
	r.Close()
	r.Open()
	storetest.SameJSON(t, "after a restart", r.O.Saved.World, r.W)
	// A state.json from before the floor cannot be used, but is not damaged.
	r.Checkpoint()
	old := r.W.Tick
	for range 3 {
		r.Say(5)
		r.Base()
	}
	storetest.Must(t, r.O.Journal.Trim(t.Context(), old+3))
	r.Close()
	r.Open()
	if res := r.O.Saved.Restored; res.Source != world.RestoredFromBase || len(res.SetAside) > 0 {
		t.Fatalf("%+v", res)
	}
	storetest.SameJSON(t, "past an old checkpoint", r.O.Saved.World, r.W)
}

// All events may be trimmed: the numbers continue.
func TestTrimEverything(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Base()
	head := r.W.Tick
	storetest.Must(t, r.O.Journal.Writer().Run("DELETE FROM bases WHERE seq <> "+storetest.Itoa(head))) // as if there were only this base
	storetest.Must(t, r.O.Journal.Trim(t.Context(), head+1))
	if r.O.Journal.Floor() != head+1 {
		t.Fatalf("floor %d at head %d", r.O.Journal.Floor(), head)
	}
	r.Close()
	r.Open()
	if r.O.Saved.Head != head || r.O.Journal.Floor() != head+1 || r.O.Saved.Restored.Source != world.RestoredFromBase {
		t.Fatalf("head %d, floor %d, want %d; %+v", r.O.Saved.Head, r.O.Journal.Floor(), head, r.O.Saved.Restored)
	}
	storetest.SameJSON(t, "world", r.O.Saved.World, r.W)
	r.Say(1)
	r.Close()
	r.Open()
	storetest.SameJSON(t, "world", r.O.Saved.World, r.W)
}

func TestLinesAndMarkAuto(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	for range 4 {
		storetest.Must(t, r.O.MarkAuto())
		if l := r.O.Saved.Lines; !l[len(l)-1].Auto {
			t.Fatal("not marked")
		}
		r.Say(1)
		r.Close()
		r.Open()
	}
	lines := r.O.Saved.Lines
	if len(lines) != 5 || !lines[0].Auto || !lines[3].Auto || lines[4].Auto || lines[4].OpenedAt == 0 {
		t.Fatalf("%+v", lines)
	}
	epochs := map[string]bool{}
	for _, l := range lines {
		epochs[l.Epoch] = true
	}
	if len(epochs) != 5 || r.O.Journal.Epoch() != lines[4].Epoch {
		t.Fatalf("%+v", lines)
	}
	for range 3 {
		r.Say(2)
		r.Base()
	}
	storetest.Must(t, r.O.Journal.Trim(t.Context(), lines[3].FromSeq+1)) // lines that ended before go
	r.Close()
	r.Open()
	if got := r.O.Saved.Lines; len(got) != 3 || got[0] != lines[3] {
		t.Fatalf("%+v", got)
	}
}

// The log is moved into the database between commits and never grows without bound. The log of an idle realm is
// emptied.
func TestLogStaysBounded(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	j := r.O.Journal
	(*j.LimitsRef()) = journal.LogLimits{Idle: 100 << 10, Move: 400 << 10, Step: 100 << 10, Stop: 2 << 20}
	most := r.Fill(300, 20<<10) // 6 MB
	if most < (*j.LimitsRef()).Move || most > (*j.LimitsRef()).Stop+(200<<10) {
		t.Fatalf("the log grew to %d bytes", most)
	}
	if total := j.Bytes(); total < 6<<20 {
		t.Fatalf("%d bytes", total)
	}
	for j.LogBytes() < (*j.LimitsRef()).Idle { // it may just have begun anew
		r.Fill(1, 20<<10)
	}
	for j.LogBytes() != 0 { // the mover may be at work still
		j.Idle()
	}
	r.Say(1)
	before := j.LogBytes()
	j.Idle() // not worth two syncs
	if n := j.LogBytes(); n != before || n == 0 {
		t.Fatalf("a short log of %d bytes was emptied to %d", before, n)
	}
}

// Without a background goroutine, a commit moves the log when it has reached its bound.
func TestLogStopsAtItsBound(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	(*r.O.Journal.LimitsRef()) = journal.LogLimits{Idle: 100 << 10, Move: 1, Step: 1 << 40, Stop: 2 << 20}
	(*r.O.Journal.NextKickRef()) = 1 << 40
	if most := r.Fill(150, 40<<10); most < 2<<20 || most > 3<<20 {
		t.Fatalf("the log grew to %d bytes", most)
	}
}

// The background goroutine alone keeps the log small if commits pause now and then.
func TestLogIsMovedBesideTheCommits(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	j := r.O.Journal
	(*j.LimitsRef()) = journal.LogLimits{Idle: 1, Move: 400 << 10, Step: 100 << 10, Stop: 1 << 40}
	(*j.NextKickRef()) = (*j.LimitsRef()).Move
	r.Fill(40, 20<<10)
	for long := j.LogBytes(); j.LogBytes() >= long; { // until it has begun anew
		r.Fill(1, 100)
	}
}

// Neither Idle nor the commit after it waits for a reader that uses the log.
func TestIdleDoesNotWaitForReaders(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Fill(1, 2<<20)
	rows, err := storetest.Inside{J: r.O.Journal}.QueryContext(t.Context(), "SELECT seq FROM journal")
	storetest.Must(t, err)
	if !rows.Next() {
		t.Fatal("no rows")
	}
	r.Say(1)
	r.O.Journal.Idle()
	if r.O.Journal.LogBytes() == 0 {
		t.Fatal("emptied under a reader")
	}
	r.Say(1)
	storetest.Must(t, rows.Close())
	r.O.Journal.Idle()
	if r.O.Journal.LogBytes() != 0 {
		t.Fatal("not emptied after the reader")
	}
	var wait int
	storetest.Must(t, sqlite.One(t.Context(), r.O.Journal.Writer(), []any{&wait}, "PRAGMA busy_timeout"))
	if fmt.Sprint(wait) != sqlite.LockWait {
		t.Fatalf("the writer now waits %d ms", wait)
	}
}

// With concurrent commits, reads, bases, trims and checkpoints, reads return what was committed, without a hole.
func TestManyHands(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	j := r.O.Journal
	const n = 150
	frames := make([][]byte, 0, n+100)
	frames = append(frames, r.Frames...)
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
				if errors.Is(err, disk.ErrMissing) {
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
			if err := j.Trim(context.Background(), c.Seq-60); err != nil && !errors.Is(err, sqlite.ErrRefused) {
				t.Error(err)
			}
		}
	})
	for i := range n {
		b := r.Batch(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("x", i), ConversationID: "c1", Content: strings.Repeat("z", 40<<10)}})
		storetest.Must(t, j.Commit(b))
		world.Apply(r.W, b.Records[0].Event)
		mu.Lock()
		frames = append(frames, b.Records[0].Frame)
		mu.Unlock()
		if i%20 == 0 {
			bases <- r.WorldNow()
		}
	}
	close(bases)
	close(done)
	hands.Wait()
	r.Close()
	storetest.SameJSON(t, "world", storetest.MustOpen(t, r.Dir).Saved.World, r.W)
}

// A journal works inside a synctest bubble: nothing in it waits for the real clock.
func TestJournalInABubble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), storetest.RigRealm.ID)
	synctest.Test(t, func(t *testing.T) {
		o, err := storetest.OpenDir(t, dir)
		storetest.Must(t, err)
		r := &storetest.Rig{T: t, Dir: dir, O: o, W: o.Saved.World.Clone(), At: 1}
		r.Tell()
		r.Commit(&world.MessageAdded{Message: world.Message{MessageID: "long", Content: strings.Repeat("t", 5<<20)}})
		time.Sleep(time.Hour)
		synctest.Wait()
		r.O.Journal.Idle()
		storetest.Must(t, o.Journal.Close())
	})
}

// A clean close leaves one file without the marks of an open journal. A copy of that file alone is the realm.
func TestRealmFolderIsTheRealm(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Close()
	copied := filepath.Join(t.TempDir(), storetest.RigRealm.ID)
	storetest.Must(t, os.MkdirAll(copied, 0o700))
	storetest.CopyFile(t, filepath.Join(r.Dir, sqlite.JournalFile), filepath.Join(copied, sqlite.JournalFile))
	o := storetest.MustOpen(t, copied)
	storetest.SameJSON(t, "world", o.Saved.World, r.W)
	if res := o.Saved.Restored; res.TranscriptsLost || res.Source != world.RestoredFromJournal {
		t.Fatalf("%+v", res)
	}
}

// After an error made the journal open its handles again, neither a kill nor an unfinished close makes the log
// look lost.
func TestReopenedLogIsNotLost(t *testing.T) {
	r := faultyRig(t)
	storetest.SetFaults(t, once("COMMIT", storetest.ErrDisk), nil)
	b := r.Batch(storetest.Findings("a")...)
	if r.O.Journal.Commit(b) == nil {
		t.Fatal("the fault did not come")
	}
	if res := storetest.MustOpen(t, r.Killed()).Saved.Restored; res.TranscriptsLost {
		t.Fatalf("killed after a fault: %+v", res)
	}
	storetest.Must(t, r.O.Journal.Commit(b))
	r.Fold(b)
	storetest.SetFaults(t, once("INSERT INTO meta", storetest.ErrDisk), nil)
	if r.O.Journal.Close() == nil {
		t.Fatal("the fault did not come")
	}
	storetest.SetFaults(t, nil, nil)
	o := storetest.MustOpen(t, r.Dir)
	if res := o.Saved.Restored; res.TranscriptsLost {
		t.Fatalf("closed with a fault: %+v", res)
	}
	storetest.SameJSON(t, "world", o.Saved.World, r.W)
}
