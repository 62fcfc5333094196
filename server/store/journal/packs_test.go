package journal_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

func anyRow(rnd *rand.Rand, seq int64) tables.EventRow {
	e := tables.EventRow{Seq: seq, At: rnd.Int64() - rnd.Int64(), V: 1 + rnd.Int64N(3), Type: anyText(rnd, 20), RequestID: anyText(rnd, 30), Frame: noise(rnd, rnd.IntN(2000))}
	if len(e.Frame) == 0 {
		e.Frame = []byte{}
	}
	text := ""
	if rnd.IntN(2) == 0 {
		e.TextAt, text = 1+rnd.Int64N(100), anyText(rnd, 50)
	}
	if rnd.IntN(2) == 0 {
		e.MessageID = sql.NullString{String: anyText(rnd, 20), Valid: true}
	}
	e.Sum = tables.FrameSum(e.Frame, int(e.TextAt), text)
	return e
}

// Any rows are read from a block as they were, and any change of a block or of its position is detected.
func TestBlocksRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 15))
	for range 200 {
		from := 1 + rnd.Int64N(1<<40)
		rows := make([]tables.EventRow, 1+rnd.IntN(30))
		for i := range rows {
			rows[i] = anyRow(rnd, from+int64(i))
		}
		to := from + int64(len(rows)) - 1
		events, sum := tables.Pack(rows)
		back, err := tables.Unpack(from, to, sum, events)
		if err != nil || !slices.EqualFunc(back, rows, tables.EventRow.Equal) {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		other := bytes.Clone(events)
		other[rnd.IntN(len(other))] ^= 1 << rnd.IntN(8)
		for _, bad := range []func() ([]tables.EventRow, error){
			func() ([]tables.EventRow, error) { return tables.Unpack(from, to, sum, other) },
			func() ([]tables.EventRow, error) { return tables.Unpack(from, to, sum^(1<<rnd.IntN(63)), events) },
			func() ([]tables.EventRow, error) { return tables.Unpack(from+1, to+1, sum, events) },
			func() ([]tables.EventRow, error) { return tables.Unpack(from, to+1, sum, events) },
			func() ([]tables.EventRow, error) { return tables.Unpack(from, to, sum, events[:len(events)-1]) },
			func() ([]tables.EventRow, error) { return tables.Unpack(from, from-1, sum, events) },
		} {
			if rows, err := bad(); !errors.Is(err, disk.ErrCorrupt) || rows != nil {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
		}
	}
}

// Any content of a block with right checksums yields rows or ErrCorrupt, within the limits of memory.
func FuzzUnpackRows(f *testing.F) {
	rnd := rand.New(rand.NewPCG(1, 1))
	row := anyRow(rnd, 7)
	f.Add(tables.AppendRow(nil, &row, 0), int64(1))
	f.Add([]byte{2, 2, 0, 0, 0, 0, 0}, int64(1))
	f.Add([]byte{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, int64(3))
	f.Fuzz(func(t *testing.T, raw []byte, n int64) {
		for _, events := range [][]byte{tables.Packing.Blocks.EncodeAll(raw, nil), raw} {
			for _, of := range [][]byte{raw, nil} {
				rows, err := tables.Unpack(7, 6+n, tables.PackSum(7, 6+n, events, of), events)
				if err != nil && !errors.Is(err, disk.ErrCorrupt) || err == nil && int64(len(rows)) != n {
					t.Fatalf("%d rows: %v", len(rows), err)
				}
				if err == nil {
					again, sum := tables.Pack(rows)
					if _, err := tables.Unpack(7, 6+n, sum, again); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// Reads return the same events whether they are packed or not, in pages of any length. So does the next opening,
// which folds blocks if no checkpoint includes them.
func TestPackedEventsReadTheSame(t *testing.T) { // S3-12
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(50)
	r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "long", ConversationID: "c1", Role: world.RoleSystem, Content: strings.Repeat("a long word ", 300), Status: world.MessageDone, At: r.At}})
	r.Say(20)
	packAll(r, 7, 4)
	j := r.O.Journal
	blocks := storetest.BlocksOf(t, j.Writer())
	if len(blocks) < 9 || j.Floor() != 1 {
		t.Fatalf("blocks %v", blocks)
	}
	for range 2 {
		for after := range r.W.Tick {
			for _, limit := range []int{1, 3, 8, 100, 1000} {
				frames, err := r.O.Journal.Read(t.Context(), after, limit)
				storetest.Must(t, err)
				if len(frames) != int(min(int64(limit), r.W.Tick-after)) {
					t.Fatalf("%d after %d, limit %d", len(frames), after, limit)
				}
				for i, f := range frames {
					if f.Seq != after+1+int64(i) || !bytes.Equal(f.Bytes, r.Frames[after+int64(i)]) {
						t.Fatalf("event %d reads otherwise", f.Seq)
					}
				}
			}
		}
		r.Close()
		r.Open()
		storetest.SameJSON(t, "world", r.O.Saved.World, r.W)
		if len(r.O.Warnings) > 0 || r.O.Saved.LastAt != r.At {
			t.Fatal(r.O.Warnings, r.O.Saved.LastAt, r.At)
		}
	}
	if frames, err := r.O.Journal.Read(t.Context(), r.W.Tick, 10); err != nil || len(frames) != 0 {
		t.Fatalf("behind the head: %v, %d", err, len(frames))
	}
}

// A journal whose events are all in blocks has the right head and continues.
func TestAllPacked(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	packAll(r, 1, 0)
	for range 2 {
		r.Close()
		r.Open()
		if r.O.Saved.Head != r.W.Tick || r.O.Saved.LastAt != r.At {
			t.Fatalf("head %d, at %d", r.O.Saved.Head, r.O.Saved.LastAt)
		}
		r.Say(2)
	}
	if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// A block is trimmed as a whole or stays, and events below the floor are missing.
func TestTrimOfBlocks(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(40)
	storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
	r.Say(5)
	packAll(r, 10, 2)
	blocks := storetest.BlocksOf(t, r.O.Journal.Writer())
	for range tables.KeptBases { // they take the place of the first, which is of the world before the first event
		r.Say(1)
		storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
	}
	storetest.Must(t, r.O.Journal.Trim(t.Context(), blocks[1].From+3))
	if floor := r.O.Journal.Floor(); floor != blocks[1].From {
		t.Fatalf("floor %d, block %+v", floor, blocks[1])
	}
	for range 2 {
		if _, err := r.O.Journal.Read(t.Context(), 3, 1); !errors.Is(err, disk.ErrMissing) {
			t.Fatal(err)
		}
		if got := storetest.ReadAll(t, r.O.Journal, blocks[1].From-1); !slices.EqualFunc(got, r.Frames[blocks[1].From-1:], slices.Equal) {
			t.Fatal("the frames differ")
		}
		r.Close()
		r.Open()
	}
}

// The checksum detects a damaged block: reads of its events report it, other reads work, and an opening that
// would fold it continues from the events that it has.
func TestDamagedBlock(t *testing.T) { // S3-17
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(10)
	storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
	base := r.W.Tick
	r.Say(30)
	packAll(r, 8, 4)
	blocks := storetest.BlocksOf(t, r.O.Journal.Writer())
	r.Close()
	whole := &storetest.KilledRig{Dir: r.Dir}
	for i, b := range blocks {
		for _, how := range []string{"substr(events, 1, 10) || zeroblob(length(events) - 10)", "substr(events, 1, 5)", "zeroblob(0)", "randomblob(3000)"} {
			k := whole.Copy(t)
			k.SQL(t, fmt.Sprintf("UPDATE journal_packs SET events = CAST(%s AS BLOB) WHERE from_seq = %d", how, b.From))
			o := storetest.MustOpen(t, k.Dir)
			if b.To <= base {
				if o.Saved.Head != r.W.Tick || o.Saved.Restored.TranscriptsLost {
					t.Fatalf("block %d: %+v", i, o.Saved.Restored)
				}
				if _, err := o.Journal.Read(t.Context(), b.From-1, 5); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("events %d to %d", b.From, b.To)) {
					t.Fatal(err)
				}
				if frames, err := o.Journal.Read(t.Context(), b.To, 1000); err != nil || len(frames) != int(r.W.Tick-b.To) {
					t.Fatal(err)
				}
			} else if s := o.Saved.Restored.Salvage; o.Saved.Head != r.W.Tick || s == nil || s.Events != s.EventsKnown-(b.To-b.From+1) || len(storetest.AsideNames(t, k.Dir)) == 0 {
				t.Fatalf("block %d %+v: head %d, want %d; %+v, %+v", i, b, o.Saved.Head, r.W.Tick, o.Saved.Restored, s)
			}
			storetest.Must(t, o.Journal.Close())
		}
	}
	// Ranges of blocks that contradict each other are damage too.
	for _, how := range []string{
		fmt.Sprintf("UPDATE journal_packs SET to_seq = to_seq + 1 WHERE from_seq = %d", blocks[1].From),
		fmt.Sprintf("DELETE FROM journal_packs WHERE from_seq = %d", blocks[1].From),
		fmt.Sprintf("UPDATE journal_packs SET from_seq = %d WHERE from_seq = %d", blocks[0].From+1, blocks[1].From),
	} {
		k := whole.Copy(t)
		k.SQL(t, how)
		if o := storetest.MustOpen(t, k.Dir); !o.Saved.Restored.TranscriptsLost || o.Saved.Head < base {
			t.Fatalf("%s: %+v", how, o.Saved.Restored)
		}
	}
}

// After a power cut at any moment of packing, either the rows or the block are there.
func TestPackingIsCut(t *testing.T) { // S3-12, B10
	r := storetest.NewRig(t)
	r.Close()
	smallPages(t, r.Dir)
	r.Open()
	r.Tell()
	r.Say(20)
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(r.Dir, name))
		storetest.Must(t, err)
		return raw
	}
	r.O.Journal.SetPacking(9, 2)
	for step := 0; ; step++ {
		before := len(read(sqlite.JournalFile + "-wal"))
		blocks := len(storetest.BlocksOf(t, r.O.Journal.Writer()))
		more, err := r.O.Journal.TidyStep()
		storetest.Must(t, err)
		if !more {
			break
		}
		db, log := read(sqlite.JournalFile), read(sqlite.JournalFile+"-wal")
		for at := before; at <= len(log); at += 97 {
			if at+97 > len(log) {
				at = len(log)
			}
			for _, garbled := range []bool{false, true} {
				left := log[:at]
				if garbled && at < len(log) {
					left = slices.Clone(log)
					left[at] ^= 0x10
				}
				k := &storetest.KilledRig{Dir: filepath.Join(t.TempDir(), storetest.RigRealm.ID)}
				storetest.Mkdir(t, k.Dir)
				k.Write(t, sqlite.JournalFile, db)
				k.Write(t, sqlite.JournalFile+"-wal", left)
				rem := storetest.LookAt(t, k.Path(sqlite.JournalFile))
				if rem.Head != r.W.Tick {
					t.Fatalf("step %d cut at %d of %d: it ends at %d", step, at, len(log), rem.Head)
				}
				want := blocks
				if at == len(log) {
					want++
				}
				if rem.Blocks != want {
					t.Fatalf("step %d cut at %d of %d: %d blocks", step, at, len(log), rem.Blocks)
				}
				storetest.Must(t, rem.Close())
				if !garbled && ((at-before)/97%9 == 0 || at == len(log)) {
					o := storetest.MustOpen(t, k.Dir)
					if got := storetest.ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
						t.Fatal("the frames differ")
					}
					storetest.SameJSON(t, "world", o.Saved.World, r.W)
					storetest.Must(t, o.Journal.Close())
				}
				storetest.Must(t, os.RemoveAll(k.Dir))
			}
		}
	}
	if n := len(storetest.BlocksOf(t, r.O.Journal.Writer())); n < 3 {
		t.Fatalf("%d blocks", n)
	}
}

// A failed step of packing leaves either the rows or the block; the next step continues, and commits work.
func TestPackingFails(t *testing.T) {
	for _, at := range []string{"BEGIN IMMEDIATE", "INSERT INTO journal_packs", "DELETE FROM journal WHERE seq BETWEEN", "COMMIT", "SELECT seq, at"} {
		for _, late := range []bool{false, true} {
			if late && strings.HasPrefix(at, "SELECT") {
				continue // a query that returns rows returns no error
			}
			r := faultyRig(t)
			r.Say(9)
			r.O.Journal.SetPacking(6, 3)
			if late {
				storetest.SetFaults(t, nil, once(at, storetest.ErrDisk))
			} else {
				storetest.SetFaults(t, once(at, storetest.ErrDisk), nil)
			}
			if _, err := r.O.Journal.TidyStep(); !errors.Is(err, storetest.ErrDisk) {
				t.Fatalf("%s: %v", at, err)
			}
			r.Say(3)
			packAll(r, 6, 3)
			storetest.SetFaults(t, nil, nil)
			if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) || len(storetest.BlocksOf(t, r.O.Journal.Writer())) < 3 {
				t.Fatalf("%s: the frames differ, or these blocks: %v of %d", at, storetest.BlocksOf(t, r.O.Journal.Writer()), len(got))
			}
			r.Close()
			storetest.SameJSON(t, "world", storetest.MustOpen(t, r.Dir).Saved.World, r.W)
		}
	}
}

// A damaged row gets no new checksum: it is not packed, and its damage is still detected.
func TestDamagedRowStaysARow(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(30)
	storetest.Must(t, r.O.Journal.Write("test", func() error {
		_, err := r.O.Journal.Writer().Exec("UPDATE journal SET frame = CAST(replace(frame, 'f2', 'f3') AS BLOB) WHERE seq = 22")
		return err
	}))
	packAll(r, 6, 3)
	blocks := storetest.BlocksOf(t, r.O.Journal.Writer())
	if slices.ContainsFunc(blocks, func(b tables.Span) bool { return b.From <= 22 && b.To >= 22 }) || blocks[len(blocks)-1].From < 23 {
		t.Fatalf("blocks %v", blocks)
	}
	if _, err := r.O.Journal.Read(t.Context(), 21, 1); !errors.Is(err, disk.ErrCorrupt) {
		t.Fatal(err)
	}
	if frames, err := r.O.Journal.Read(t.Context(), 22, 50); err != nil || len(frames) != int(r.W.Tick-22) {
		t.Fatal(err)
	}
}

// Unpacked events can be changed in their rows and are packed again with the change.
func TestUnpackChangePack(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(40)
	packAll(r, 8, 4)
	j := r.O.Journal
	blocks := storetest.BlocksOf(t, j.Writer())
	at := blocks[2].From + 1
	storetest.Must(t, j.Write("test", func() error {
		if err := j.Writer().Unpack(at, blocks[3].From); err != nil {
			return err
		}
		var rows []tables.EventRow
		err := tables.EachRowFrom(j.Writer(), at, at, func(e *tables.EventRow) bool {
			rows = append(rows, *e)
			return true
		})
		if err != nil {
			return err
		}
		rows[0].Frame = bytes.ReplaceAll(rows[0].Frame, []byte("xxxx"), []byte("----"))
		_, err = j.Writer().Exec("UPDATE journal SET frame = ?, sum = ? WHERE seq = ?", rows[0].Frame, tables.FrameSum(rows[0].Frame, int(rows[0].TextAt), ""), at)
		return err
	}))
	if n := len(storetest.BlocksOf(t, j.Writer())); n != len(blocks)-2 {
		t.Fatalf("%d blocks of %d", n, len(blocks))
	}
	r.Frames[at-1] = bytes.ReplaceAll(r.Frames[at-1], []byte("xxxx"), []byte("----"))
	for range 2 {
		if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
			t.Fatal("the frames differ")
		}
		packAll(r, 8, 4)
		if n := len(storetest.BlocksOf(t, r.O.Journal.Writer())); n < len(blocks) {
			t.Fatalf("%d blocks, before %d", n, len(blocks))
		}
		r.Close()
		r.Open()
		r.Say(10)
	}
	if err := r.O.Journal.Write("test", func() error { return r.O.Journal.Writer().Unpack(1, tables.MaxUnpack+1) }); !errors.Is(err, sqlite.ErrRefused) {
		t.Fatal(err)
	}
}

// A packing step that has read rows before they were changed does not store the old rows: it notices that a block was
// unpacked meanwhile.
func TestUnpackBetweenReadingAndPacking(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(30)
	j := r.O.Journal
	r.O.Journal.SetPacking(8, 4)
	(*j.MuRef()).Lock()
	unpacked := j.Writer().Unpacked
	(*j.MuRef()).Unlock()
	storetest.Must(t, j.Write("test", func() error { return j.Writer().Unpack(1, 5) }))
	if err := j.PackStep(0, 20, unpacked); !errors.Is(err, sqlite.ErrRefused) {
		t.Fatal(err)
	}
	packAll(r, 8, 4)
	if got := storetest.ReadAll(t, j, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) || len(storetest.BlocksOf(t, j.Writer())) < 4 {
		t.Fatal("the frames differ")
	}
}

// Commits, reads and packing run concurrently.
func TestPackingBesideCommits(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.O.Journal.SetPacking(5, 3)
	var reading sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			for after := int64(0); ; {
				frames, err := r.O.Journal.Read(context.Background(), after, 50)
				if err != nil {
					t.Error(err)
					return
				}
				for i, f := range frames {
					if f.Seq != after+1+int64(i) {
						t.Errorf("%d after %d", f.Seq, after)
						return
					}
				}
				if after += int64(len(frames)); after > 40 {
					after = 0
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	reading.Go(func() {
		for {
			if _, err := r.O.Journal.TidyStep(); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	r.Say(150)
	close(done)
	reading.Wait()
	if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// Tidying packs the long texts and older events of a journal of version 2, and reads return the same as before.
func TestVersion2IsPackedByAndBy(t *testing.T) {
	dir, frames := storetest.RealmOf(t, 2)
	o := storetest.MustOpen(t, dir)
	long := func(o *recovery.Opened) (n int) {
		storetest.Must(t, sqlite.One(t.Context(), o.Journal.Writer(), []any{&n}, "SELECT count(*) FROM messages WHERE length(content) > 2000 AND status <> 'open'"))
		return n
	}
	if long(o) < 10 || (*o.Journal.PlainRef()) < 0 {
		t.Fatalf("%d long texts, plain %d", long(o), (*o.Journal.PlainRef()))
	}
	r := &storetest.Rig{T: t, Dir: dir, O: o, W: o.Saved.World.Clone(), At: o.Saved.LastAt, Frames: frames}
	packAll(r, 20, 30)
	if long(o) != 0 || (*o.Journal.PlainRef()) != -1 || len(storetest.BlocksOf(t, o.Journal.Writer())) < 8 {
		t.Fatalf("%d long texts, plain %d", long(o), (*o.Journal.PlainRef()))
	}
	storetest.ModelOfEarlier(t, frames).Holds(t, o, frames)
	storetest.CheckIndex(t, o.Journal)
	r.Close()
	o = storetest.MustOpen(t, dir)
	if (*o.Journal.PlainRef()) != -1 {
		t.Fatal((*o.Journal.PlainRef()))
	}
	storetest.ModelOfEarlier(t, frames).Holds(t, o, frames)
}

// packAll packs all but the newest rows, in blocks of a number of events.
func packAll(r *storetest.Rig, events, rows int64) {
	r.T.Helper()
	r.O.Journal.SetPacking(events, rows)
	storetest.Must(r.T, r.O.Journal.Tidy(r.T.Context()))
}
