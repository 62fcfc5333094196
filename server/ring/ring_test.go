package ring

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func item(seq int64, size int) Item {
	return Item{Seq: seq, Bytes: bytes.Repeat([]byte{'x'}, size)}
}

func TestReadGivesItemsInOrderAndRespectsBounds(t *testing.T) {
	r := New(Limits{Items: 100, Bytes: 1 << 20}, 10)
	defer r.Close()
	r.Append(item(11, 5), item(0, 5), item(12, 5))
	got, next, ok := r.Read(nil, 0, ^uint64(0), 1<<20)
	if !ok || len(got) != 3 || next != 3 || got[0].Seq != 11 || got[1].Seq != 0 || got[2].Seq != 12 {
		t.Fatalf("read %v next %d ok %v", got, next, ok)
	}
	if got, next, _ := r.Read(nil, 0, ^uint64(0), 1); len(got) != 1 || next != 1 {
		t.Fatalf("one item must be given even over maxBytes: %d, next %d", len(got), next)
	}
	if got, _, _ := r.Read(nil, 0, 2, 1<<20); len(got) != 2 {
		t.Fatalf("end is exclusive: %d items", len(got))
	}
}

func TestAfterFindsTheFirstItemBehindASeq(t *testing.T) {
	r := New(Limits{Items: 4, Bytes: 1 << 20}, 0)
	defer r.Close()
	r.Append(item(1, 1), item(0, 1), item(2, 1))
	for seq, want := range map[int64]uint64{0: 0, 1: 2, 2: 3, 9: 3} {
		if got, ok := r.After(seq); !ok || got != want {
			t.Errorf("after %d: %d %v, want %d", seq, got, ok, want)
		}
	}
	r.Append(item(3, 1), item(4, 1)) // the oldest, seq 1, goes
	if _, ok := r.After(0); ok {
		t.Error("seq 1 is gone: after 0 must fail")
	}
	if got, ok := r.After(1); !ok || got != 2 {
		t.Errorf("after 1: %d %v", got, ok)
	}
	if _, _, ok := r.Read(nil, 0, 9, 9); ok {
		t.Error("a lapped reader must be told")
	}
}

// After random appends a read returns the same items as a plain list of all items, or says that the reader was
// lapped, and the ring keeps its limits of items and bytes (S4-15).
func TestRandomAgainstModel(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		limits := Limits{Items: 1 + rng.IntN(200), Bytes: 1 + rng.IntN(4000)}
		r := New(limits, 0)
		var all []Item
		var seq int64
		for range 500 {
			it := Item{Bytes: []byte(fmt.Sprint(len(all)))}
			if rng.IntN(3) > 0 {
				seq++
				it.Seq = seq
			}
			all = append(all, it)
			r.Append(it)
			from := uint64(rng.IntN(len(all) + 1))
			got, next, ok := r.Read(nil, from, ^uint64(0), 1<<20)
			if !ok {
				if from >= uint64(len(all)-1) {
					t.Fatalf("seed %d: the newest item is gone", seed)
				}
				continue
			}
			if next != uint64(len(all)) || len(got) != len(all)-int(from) {
				t.Fatalf("seed %d: %d items to %d, want %d", seed, len(got), next, len(all)-int(from))
			}
			for i, g := range got {
				if !bytes.Equal(g.Bytes, all[int(from)+i].Bytes) {
					t.Fatalf("seed %d: item %d is %q", seed, i, g.Bytes)
				}
			}
			if len(r.slots)-r.off > limits.Items {
				t.Fatalf("seed %d: %d items over the bound", seed, len(r.slots)-r.off)
			}
			held := 0
			for _, slot := range r.slots[r.off:] {
				held += len(slot.Bytes)
			}
			if held > limits.Bytes && len(r.slots)-r.off > 1 {
				t.Fatalf("seed %d: %d bytes over the bound", seed, held)
			}
			if cut := rng.Int64N(seq + 1); true {
				index, ok := r.After(cut)
				if ok {
					for i, it := range all {
						if uint64(i) < index && it.Seq > cut {
							t.Fatalf("seed %d: after %d skips seq %d", seed, cut, it.Seq)
						}
					}
				}
			}
		}
		r.Close()
	}
}

func TestSubscribersAreWokenOnceForManyAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(DefaultLimits, 0)
		ch := make(chan struct{}, 1)
		r.Subscribe(ch, nil, nil)
		for i := range int64(1000) {
			r.Append(item(i+1, 1))
		}
		synctest.Wait()
		select {
		case <-ch:
		default:
			t.Fatal("not woken")
		}
		r.Unsubscribe(ch)
		r.Append(item(1001, 1))
		synctest.Wait()
		select {
		case <-ch:
			t.Fatal("woken after it went")
		default:
		}
		r.Close()
	})
}

// A reader that was lapped is told at once, also if it does not read, and only once (S4-15).
func TestLappedReaderIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Limits{Items: 2, Bytes: 1 << 20}, 0)
		defer r.Close()
		var slow, fast atomic.Uint64
		told := map[string]int{}
		r.Subscribe(make(chan struct{}, 1), &slow, func() { told["slow"]++ })
		r.Subscribe(make(chan struct{}, 1), &fast, func() { told["fast"]++ })
		for i := range int64(5) {
			r.Append(item(i+1, 1))
			fast.Store(uint64(i + 1))
			synctest.Wait()
			if want := min(1, int(i)/2); told["slow"] != want || told["fast"] != 0 {
				t.Fatalf("after %d items: told %v, want slow %d", i+1, told, want)
			}
		}
	})
}

// The channel of Passed is closed once no reader that follows has older items to read. A reader that was lapped, that
// has left, or that only wants signals does not count.
func TestPassedWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Limits{Items: 3, Bytes: 1 << 20}, 0)
		defer r.Close()
		var reads, lapped, leaves atomic.Uint64
		leaving := make(chan struct{}, 1)
		r.Subscribe(make(chan struct{}, 1), nil, nil)
		r.Subscribe(make(chan struct{}, 1), &reads, func() {})
		r.Subscribe(make(chan struct{}, 1), &lapped, func() {})
		r.Subscribe(leaving, &leaves, func() {})
		reads.Store(2)
		leaves.Store(2)
		for i := range int64(4) {
			r.Append(item(i+1, 1))
		}
		passed := r.Passed(3)
		closed := func() bool {
			synctest.Wait()
			select {
			case <-passed:
				return true
			default:
				return false
			}
		}
		if closed() {
			t.Error("closed while two readers have not read item 2")
		}
		r.Unsubscribe(leaving)
		if closed() {
			t.Error("closed while a reader has not read item 2")
		}
		reads.Store(3)
		r.Moved()
		if !closed() {
			t.Error("not closed, but every reader has read the items before 3")
		}
	})
}
