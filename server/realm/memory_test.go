package realm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/kinds"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// shredder is a disk that accepts everything and stores nothing, so that only the realm uses memory.
type shredder struct {
	memJournal
	last int64
}

func (j *shredder) Commit(b *world.Batch) error {
	for _, r := range b.Records {
		if r.Event.Seq != j.last+1 {
			return fmt.Errorf("seq %d after %d", r.Event.Seq, j.last)
		}
		j.last = r.Event.Seq
	}
	return nil
}

func (j *shredder) Read(context.Context, int64, int) ([]world.Frame, error) {
	return nil, errors.New("shredded")
}

type noFiles struct{ memFiles }

func (*noFiles) WriteCheckpoint(world.Checkpoint) error { return nil }

// inUse returns the number of bytes of reachable memory.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second collection frees what the first one has finalized
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// S4-15, B25: a realm keeps a bounded amount of memory however long it runs and however much streams: the newest frames
// in the ring, the newest rows, bounded lists. The only viewer never reads. After everything that is bounded is full,
// four times as many frames add almost no memory.
func TestMemoryIsFlat_S4_15(t *testing.T) {
	const turn = 64 << 10
	synctest.Test(t, func(t *testing.T) {
		words := strings.Repeat("words and ", 1<<10/10)
		play := cast(func(_ context.Context, _ TurnRequest, emit func(Chunk) error) error {
			for range turn / len(words) {
				if err := emit(Chunk{Text: words}); err != nil {
					return err
				}
			}
			return nil
		})
		j := &shredder{}
		w := world.New(world.Realm{ID: "r1", Name: "realm", Tenant: "default"})
		b := &bench{t: t, journal: &j.memJournal}
		b.r = Start(Config{
			Saved: world.Saved{Realm: w.Realm, World: w, Epoch: "e1"}, Journal: j, Files: &noFiles{}, Kinds: kinds.All(), Templates: builtin{[]*world.Template{actors()}},
			Drivers: play, Pace: world.PaceInstant, RingLimits: ring.Limits{Items: 1 << 20, Bytes: 1 << 20},
		})
		defer b.r.Stop(context.Background())
		deaf, err := b.r.Attach(t.Context(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		defer deaf.Close()
		c := b.tab()
		id := begun(t, c.send(ada, "n", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"sage"}, TemplateID: "actors"}))
		c.v.Close()
		n := 0
		talk := func(turns int) {
			for range turns {
				n++
				if e := b.r.Submit(Input{From: ada, RequestID: fmt.Sprint("q", n), Command: &wire.ChatSend{ConversationID: id, Content: "go on"}}); e != nil {
					t.Fatal(e)
				}
				synctest.Wait()
				time.Sleep(time.Second)
			}
		}
		talk(200)
		before := inUse()
		talk(800)
		grown := inUse() - before
		t.Logf("%d KiB in use, %d KiB more after %d MiB", before>>10, grown>>10, 800*turn>>20)
		if grown > 4<<20 {
			t.Errorf("S4-15: memory grows: %d KiB more after %d MiB of talk", grown>>10, 800*turn>>20)
		}
	})
}
