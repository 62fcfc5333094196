package store

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

	"agentdungeon/shared/world"
)

// packAll packs what can be packed, in blocks of so many events, all but the newest rows.
func (r *rig) packAll(events, rows int64) {
	r.t.Helper()
	r.packLimits(events, rows)
	must(r.t, r.o.Journal.Tidy(r.t.Context()))
}

// packLimits sets what is packed. The journal's own goroutine reads it, too.
func (r *rig) packLimits(events, rows int64) {
	r.o.Journal.tidying.Lock()
	defer r.o.Journal.tidying.Unlock()
	r.o.Journal.mu.Lock()
	defer r.o.Journal.mu.Unlock()
	r.o.Journal.packs = packLimits{events: events, rows: rows}
}

func blocksOf(t testing.TB, q queryer) []packSpan {
	t.Helper()
	spans, err := collect(context.Background(), q, scanSpan, "SELECT "+spanColumns+" FROM journal_packs ORDER BY from_seq")
	must(t, err)
	return spans
}

func anyRow(rnd *rand.Rand, seq int64) eventRow {
	e := eventRow{seq: seq, at: rnd.Int64() - rnd.Int64(), v: 1 + rnd.Int64N(3), typ: anyText(rnd, 20), requestID: anyText(rnd, 30), frame: noise(rnd, rnd.IntN(2000))}
	if len(e.frame) == 0 {
		e.frame = []byte{}
	}
	text := ""
	if rnd.IntN(2) == 0 {
		e.textAt, text = 1+rnd.Int64N(100), anyText(rnd, 50)
	}
	if rnd.IntN(2) == 0 {
		e.messageID = sql.NullString{String: anyText(rnd, 20), Valid: true}
	}
	e.sum = frameSum(e.frame, int(e.textAt), text)
	return e
}

// Any rows come back as they were, and what is changed of a block, or its place, is found.
func TestBlocksRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 15))
	for range 200 {
		from := 1 + rnd.Int64N(1<<40)
		rows := make([]eventRow, 1+rnd.IntN(30))
		for i := range rows {
			rows[i] = anyRow(rnd, from+int64(i))
		}
		to := from + int64(len(rows)) - 1
		events, sum := packRows(rows)
		back, err := unpackRows(from, to, sum, events)
		if err != nil || !slices.EqualFunc(back, rows, eventRow.equal) {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		other := bytes.Clone(events)
		other[rnd.IntN(len(other))] ^= 1 << rnd.IntN(8)
		for _, bad := range []func() ([]eventRow, error){
			func() ([]eventRow, error) { return unpackRows(from, to, sum, other) },
			func() ([]eventRow, error) { return unpackRows(from, to, sum^(1<<rnd.IntN(63)), events) },
			func() ([]eventRow, error) { return unpackRows(from+1, to+1, sum, events) },
			func() ([]eventRow, error) { return unpackRows(from, to+1, sum, events) },
			func() ([]eventRow, error) { return unpackRows(from, to, sum, events[:len(events)-1]) },
			func() ([]eventRow, error) { return unpackRows(from, from-1, sum, events) },
		} {
			if rows, err := bad(); !errors.Is(err, ErrCorrupt) || rows != nil {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
		}
	}
}

// Whatever a block holds, with sums that are right: rows or ErrCorrupt, within bounds.
func FuzzUnpackRows(f *testing.F) {
	rnd := rand.New(rand.NewPCG(1, 1))
	row := anyRow(rnd, 7)
	f.Add(appendRow(nil, &row, 0), int64(1))
	f.Add([]byte{2, 2, 0, 0, 0, 0, 0}, int64(1))
	f.Add([]byte{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, int64(3))
	f.Fuzz(func(t *testing.T, raw []byte, n int64) {
		for _, events := range [][]byte{packing.blocks.EncodeAll(raw, nil), raw} {
			for _, of := range [][]byte{raw, nil} {
				rows, err := unpackRows(7, 6+n, packSum(7, 6+n, events, of), events)
				if err != nil && !errors.Is(err, ErrCorrupt) || err == nil && int64(len(rows)) != n {
					t.Fatalf("%d rows: %v", len(rows), err)
				}
				if err == nil {
					again, sum := packRows(rows)
					if _, err := unpackRows(7, 6+n, sum, again); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// Packed or not, whoever reads sees the same, in pages of any length, and so does the next
// opening, which folds blocks where no checkpoint does.
func TestPackedEventsReadTheSame(t *testing.T) { // S3-12
	r := newRig(t)
	r.tell()
	r.say(50)
	r.commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "long", ConversationID: "c1", Role: world.RoleSystem, Content: strings.Repeat("a long word ", 300), Status: world.MessageDone, At: r.at}})
	r.say(20)
	r.packAll(7, 4)
	j := r.o.Journal
	blocks := blocksOf(t, j.w.conn)
	if len(blocks) < 9 || j.Floor() != 1 {
		t.Fatalf("blocks %v", blocks)
	}
	for range 2 {
		for after := range r.w.Tick {
			for _, limit := range []int{1, 3, 8, 100, 1000} {
				frames, err := r.o.Journal.Read(t.Context(), after, limit)
				must(t, err)
				if len(frames) != int(min(int64(limit), r.w.Tick-after)) {
					t.Fatalf("%d after %d, limit %d", len(frames), after, limit)
				}
				for i, f := range frames {
					if f.Seq != after+1+int64(i) || !bytes.Equal(f.Bytes, r.frames[after+int64(i)]) {
						t.Fatalf("event %d reads otherwise", f.Seq)
					}
				}
			}
		}
		r.close()
		r.open()
		sameJSON(t, "world", r.o.Saved.World, r.w)
		if len(r.o.Warnings) > 0 || r.o.Saved.LastAt != r.at {
			t.Fatal(r.o.Warnings, r.o.Saved.LastAt, r.at)
		}
	}
	if frames, err := r.o.Journal.Read(t.Context(), r.w.Tick, 10); err != nil || len(frames) != 0 {
		t.Fatalf("behind the head: %v, %d", err, len(frames))
	}
}

// A journal all of whose events lie in blocks knows its head and goes on.
func TestAllPacked(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.packAll(1, 0)
	for range 2 {
		r.close()
		r.open()
		if r.o.Saved.Head != r.w.Tick || r.o.Saved.LastAt != r.at {
			t.Fatalf("head %d, at %d", r.o.Saved.Head, r.o.Saved.LastAt)
		}
		r.say(2)
	}
	if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// Blocks go as a whole or stay, and what is below the floor is missing, as with rows.
func TestTrimOfBlocks(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.say(40)
	must(t, r.o.Journal.SaveBase(r.worldNow()))
	r.say(5)
	r.packAll(10, 2)
	blocks := blocksOf(t, r.o.Journal.w.conn)
	for range keptBases { // they take the place of the first, which is of the world before the first event
		r.say(1)
		must(t, r.o.Journal.SaveBase(r.worldNow()))
	}
	must(t, r.o.Journal.Trim(t.Context(), blocks[1].from+3))
	if floor := r.o.Journal.Floor(); floor != blocks[1].from {
		t.Fatalf("floor %d, block %+v", floor, blocks[1])
	}
	for range 2 {
		if _, err := r.o.Journal.Read(t.Context(), 3, 1); !errors.Is(err, ErrMissing) {
			t.Fatal(err)
		}
		if got := readAll(t, r.o.Journal, blocks[1].from-1); !slices.EqualFunc(got, r.frames[blocks[1].from-1:], slices.Equal) {
			t.Fatal("the frames differ")
		}
		r.close()
		r.open()
	}
}

// A block is as easily damaged as a row, and found by its sum: what needs it says so, what
// does not is none the worse, and an opening that would fold it goes on from what it has.
func TestDamagedBlock(t *testing.T) { // S3-17
	r := newRig(t)
	r.tell()
	r.say(10)
	must(t, r.o.Journal.SaveBase(r.worldNow()))
	base := r.w.Tick
	r.say(30)
	r.packAll(8, 4)
	blocks := blocksOf(t, r.o.Journal.w.conn)
	r.close()
	whole := &killedRig{dir: r.dir}
	for i, b := range blocks {
		for _, how := range []string{"substr(events, 1, 10) || zeroblob(length(events) - 10)", "substr(events, 1, 5)", "zeroblob(0)", "randomblob(3000)"} {
			k := whole.copy(t)
			k.sql(t, fmt.Sprintf("UPDATE journal_packs SET events = CAST(%s AS BLOB) WHERE from_seq = %d", how, b.from))
			o := mustOpen(t, k.dir)
			if b.to <= base {
				if o.Saved.Head != r.w.Tick || o.Saved.Restored.TranscriptsLost {
					t.Fatalf("block %d: %+v", i, o.Saved.Restored)
				}
				if _, err := o.Journal.Read(t.Context(), b.from-1, 5); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("events %d to %d", b.from, b.to)) {
					t.Fatal(err)
				}
				if frames, err := o.Journal.Read(t.Context(), b.to, 1000); err != nil || len(frames) != int(r.w.Tick-b.to) {
					t.Fatal(err)
				}
			} else if s := o.Saved.Restored.Salvage; o.Saved.Head != r.w.Tick || s == nil || s.Events != s.EventsKnown-(b.to-b.from+1) || len(asideNames(t, k.dir)) == 0 {
				t.Fatalf("block %d %+v: head %d, want %d; %+v, %+v", i, b, o.Saved.Head, r.w.Tick, o.Saved.Restored, s)
			}
			must(t, o.Journal.Close())
		}
	}
	// Places that contradict each other are damage too.
	for _, how := range []string{
		fmt.Sprintf("UPDATE journal_packs SET to_seq = to_seq + 1 WHERE from_seq = %d", blocks[1].from),
		fmt.Sprintf("DELETE FROM journal_packs WHERE from_seq = %d", blocks[1].from),
		fmt.Sprintf("UPDATE journal_packs SET from_seq = %d WHERE from_seq = %d", blocks[0].from+1, blocks[1].from),
	} {
		k := whole.copy(t)
		k.sql(t, how)
		if o := mustOpen(t, k.dir); !o.Saved.Restored.TranscriptsLost || o.Saved.Head < base {
			t.Fatalf("%s: %+v", how, o.Saved.Restored)
		}
	}
}

// Cut anywhere, packing has happened or it has not: the rows are there, or the block is.
func TestPackingIsCut(t *testing.T) { // S3-12, B10
	r := newRig(t)
	r.close()
	smallPages(t, r.dir)
	r.open()
	r.tell()
	r.say(20)
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(r.dir, name))
		must(t, err)
		return raw
	}
	r.packLimits(9, 2)
	for step := 0; ; step++ {
		before := len(read(JournalFile + "-wal"))
		blocks := len(blocksOf(t, r.o.Journal.w.conn))
		more, err := r.o.Journal.tidyStep()
		must(t, err)
		if !more {
			break
		}
		db, log := read(JournalFile), read(JournalFile+"-wal")
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
				k := &killedRig{dir: filepath.Join(t.TempDir(), rigRealm.ID)}
				mkdir(t, k.dir)
				k.write(t, JournalFile, db)
				k.write(t, JournalFile+"-wal", left)
				rem, err := examine(t.Context(), sqliteDriver, k.path(JournalFile))
				if err != nil || !rem.whole() || rem.head != r.w.Tick {
					t.Fatalf("step %d cut at %d of %d: %v, %+v", step, at, len(log), err, rem)
				}
				want := blocks
				if at == len(log) {
					want++
				}
				if len(rem.packs) != want {
					t.Fatalf("step %d cut at %d of %d: %d blocks", step, at, len(log), len(rem.packs))
				}
				must(t, rem.close())
				if !garbled && ((at-before)/97%9 == 0 || at == len(log)) {
					o := mustOpen(t, k.dir)
					if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
						t.Fatal("the frames differ")
					}
					sameJSON(t, "world", o.Saved.World, r.w)
					must(t, o.Journal.Close())
				}
				must(t, os.RemoveAll(k.dir))
			}
		}
	}
	if n := len(blocksOf(t, r.o.Journal.w.conn)); n < 3 {
		t.Fatalf("%d blocks", n)
	}
}

// A step that fails leaves rows or a block, and the next one goes on; commits go through.
func TestPackingFails(t *testing.T) {
	for _, at := range []string{"BEGIN IMMEDIATE", "INSERT INTO journal_packs", "DELETE FROM journal WHERE seq BETWEEN", "COMMIT", "SELECT seq, at"} {
		for _, late := range []bool{false, true} {
			if late && strings.HasPrefix(at, "SELECT") {
				continue // no driver gives rows and an error
			}
			r := faultyRig(t)
			r.say(9)
			r.packLimits(6, 3)
			if late {
				setFaults(t, nil, once(at, errDisk))
			} else {
				setFaults(t, once(at, errDisk), nil)
			}
			if _, err := r.o.Journal.tidyStep(); !errors.Is(err, errDisk) {
				t.Fatalf("%s: %v", at, err)
			}
			r.say(3)
			r.packAll(6, 3)
			setFaults(t, nil, nil)
			if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) || len(blocksOf(t, r.o.Journal.w.conn)) < 3 {
				t.Fatalf("%s: the frames differ, or these blocks: %v of %d", at, blocksOf(t, r.o.Journal.w.conn), len(got))
			}
			r.close()
			sameJSON(t, "world", mustOpen(t, r.dir).Saved.World, r.w)
		}
	}
}

// A row that is damaged already is not given a new sum: it stays a row, and is found.
func TestDamagedRowStaysARow(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.say(30)
	must(t, r.o.Journal.write("test", func() error {
		_, err := r.o.Journal.w.exec("UPDATE journal SET frame = CAST(replace(frame, 'f2', 'f3') AS BLOB) WHERE seq = 22")
		return err
	}))
	r.packAll(6, 3)
	blocks := blocksOf(t, r.o.Journal.w.conn)
	if slices.ContainsFunc(blocks, func(b packSpan) bool { return b.from <= 22 && b.to >= 22 }) || blocks[len(blocks)-1].from < 23 {
		t.Fatalf("blocks %v", blocks)
	}
	if _, err := r.o.Journal.Read(t.Context(), 21, 1); !errors.Is(err, ErrCorrupt) {
		t.Fatal(err)
	}
	if frames, err := r.o.Journal.Read(t.Context(), 22, 50); err != nil || len(frames) != int(r.w.Tick-22) {
		t.Fatal(err)
	}
}

// What was unpacked can be changed in its rows and is packed again: with the change.
func TestUnpackChangePack(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.say(40)
	r.packAll(8, 4)
	j := r.o.Journal
	blocks := blocksOf(t, j.w.conn)
	at := blocks[2].from + 1
	must(t, j.write("test", func() error {
		if err := j.w.unpack(at, blocks[3].from); err != nil {
			return err
		}
		rows, err := collect(t.Context(), j.w.conn, scanEventRow, "SELECT "+eventColumns+" FROM journal WHERE seq = ?", at)
		if err != nil {
			return err
		}
		rows[0].frame = bytes.ReplaceAll(rows[0].frame, []byte("xxxx"), []byte("----"))
		_, err = j.w.exec("UPDATE journal SET frame = ?, sum = ? WHERE seq = ?", rows[0].frame, frameSum(rows[0].frame, int(rows[0].textAt), ""), at)
		return err
	}))
	if n := len(blocksOf(t, j.w.conn)); n != len(blocks)-2 {
		t.Fatalf("%d blocks of %d", n, len(blocks))
	}
	r.frames[at-1] = bytes.ReplaceAll(r.frames[at-1], []byte("xxxx"), []byte("----"))
	for range 2 {
		if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
			t.Fatal("the frames differ")
		}
		r.packAll(8, 4)
		if n := len(blocksOf(t, r.o.Journal.w.conn)); n < len(blocks) {
			t.Fatalf("%d blocks, before %d", n, len(blocks))
		}
		r.close()
		r.open()
		r.say(10)
	}
	if err := r.o.Journal.write("test", func() error { return r.o.Journal.w.unpack(1, maxUnpack+1) }); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
}

// A step that has read before something was unpacked and changed does not put the old rows
// back.
func TestUnpackBetweenReadingAndPacking(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.say(30)
	j := r.o.Journal
	r.packLimits(8, 4)
	j.mu.Lock()
	unpacked := j.w.unpacked
	j.mu.Unlock()
	must(t, j.write("test", func() error { return j.w.unpack(1, 5) }))
	if err := j.packStep(0, 20, unpacked); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	r.packAll(8, 4)
	if got := readAll(t, j, 0); !slices.EqualFunc(got, r.frames, slices.Equal) || len(blocksOf(t, j.w.conn)) < 4 {
		t.Fatal("the frames differ")
	}
}

// Commits, reads and packing beside each other.
func TestPackingBesideCommits(t *testing.T) {
	r := newRig(t)
	r.tell()
	r.packLimits(5, 3)
	var reading sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			for after := int64(0); ; {
				frames, err := r.o.Journal.Read(context.Background(), after, 50)
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
			if _, err := r.o.Journal.tidyStep(); err != nil {
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
	r.say(150)
	close(done)
	reading.Wait()
	if got := readAll(t, r.o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
}

// A journal of version 2 is packed by and by: its long texts and its older events, and
// nothing reads otherwise for it.
func TestVersion2IsPackedByAndBy(t *testing.T) {
	dir, frames := realmOf(t, 2)
	o := mustOpen(t, dir)
	long := func(o *OpenedRealm) (n int) {
		must(t, one(t.Context(), o.Journal.w.conn, []any{&n}, "SELECT count(*) FROM messages WHERE length(content) > 2000 AND status <> 'open'"))
		return n
	}
	if long(o) < 10 || o.Journal.plain < 0 {
		t.Fatalf("%d long texts, plain %d", long(o), o.Journal.plain)
	}
	r := &rig{t: t, dir: dir, o: o, w: o.Saved.World.Clone(), at: o.Saved.LastAt, frames: frames}
	r.packAll(20, 30)
	if long(o) != 0 || o.Journal.plain != -1 || len(blocksOf(t, o.Journal.w.conn)) < 8 {
		t.Fatalf("%d long texts, plain %d", long(o), o.Journal.plain)
	}
	modelOfEarlier(t, frames).holds(t, o, frames)
	checkIndex(t, o.Journal)
	r.close()
	o = mustOpen(t, dir)
	if o.Journal.plain != -1 {
		t.Fatal(o.Journal.plain)
	}
	modelOfEarlier(t, frames).holds(t, o, frames)
}
