package realm

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
)

// welcomes returns a client's welcomes, each as "continuity reason".
func welcomes(frames []map[string]any) (out []string) {
	for _, f := range frames {
		if f["type"] == "welcome" {
			out = append(out, strings.TrimSpace(fmt.Sprint(f["continuity"], " ", or(f["reason"], ""))))
		}
	}
	return out
}

func or(v, other any) any {
	if v == nil {
		return other
	}
	return v
}

// One event of a stopped realm is damaged on disk. A client that would need it for a replay gets a snapshot and
// continues live from there. The list of the newest words of people in that snapshot lacks only the words of the
// damaged event (P5.4).
func TestReplayOfADamagedEvent(t *testing.T) {
	onDisk(t, cast(speak), func(d *disk) {
		c := d.tab()
		for i := range 30 {
			c.send(ada, fmt.Sprint("s", i), &wire.SpectatorSay{Text: fmt.Sprintf("words %02d.", i)})
		}
		behind := *c
		behind.seq -= 20
		damaged := c.seq - 10
		d.stop()
		db, err := sql.Open("sqlite", filepath.Join(d.dir, "realm.db"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("UPDATE journal SET frame = CAST(replace(CAST(frame AS TEXT), 'words', 'wprds') AS BLOB) WHERE seq = ?", damaged); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		d.log = zerolog.New(&log)
		d.open(false)
		defer d.stop()
		for range 2 { // the second client is answered without another read of the disk
			back := behind
			back.frames, back.raw = nil, nil
			v, err := d.r.Attach(context.Background(), watch.Position{Epoch: &back.epoch, LastSeq: &back.seq})
			if err != nil {
				t.Fatal(err)
			}
			back.v = v
			for back.world == behind.world || find(back.frames, "overlays") == nil {
				synctest.Wait()
				frames, err := v.Take(context.Background(), 1<<16)
				if err != nil {
					t.Fatalf("the replay ends the connection, and so does the next: %v", err)
				}
				for _, f := range frames {
					back.take(f)
				}
			}
			if got := welcomes(back.frames); len(got) != 1 || got[0] != "snapshot damaged" {
				t.Errorf("the welcomes are %q", got)
			}
			state := find(back.frames, "world:state")
			said := fmt.Sprint(state["recent"])
			for i := range 30 {
				if words := fmt.Sprintf("words %02d.", i); strings.Contains(said, words) == (i == 19) {
					t.Errorf("of what was said in passing the snapshot has %q: %v", words, i == 19)
				}
			}
			if find(back.send(ada, fmt.Sprint("more", back.seq), &wire.SpectatorSay{Text: "and on"}), "spectator:command") == nil {
				t.Error("nothing follows the snapshot")
			}
			v.Close()
		}
		if n := strings.Count(log.String(), `"level":"error"`); n != 1 {
			t.Errorf("the log says it %d times: %s", n, &log)
		}
	})
}

// An event in the middle of a long replay is damaged. The client gets the events before it, then a second welcome and a
// snapshot, and has the same world as everybody.
func TestDamageInsideAReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: speak, ring: ring.Limits{Items: 10, Bytes: 1 << 20}}
		b.start(false)
		defer b.stop()
		early, c := b.tab(), b.tab()
		from := early.seq
		for i := range 700 {
			c.send(ada, fmt.Sprint("s", i), &wire.SpectatorSay{Text: "words"})
		}
		time.Sleep(time.Minute) // a checkpoint is taken
		b.journal.damage(from + 600)
		early.frames = nil
		early.again()
		if got := welcomes(early.frames); len(got) != 2 || got[0] != "replay" || got[1] != "snapshot damaged" {
			t.Fatalf("the welcomes are %q", got)
		}
		if n := count(early.frames, "spectator:command"); n < 500 {
			t.Errorf("%d events came before the damaged page", n)
		}
		if count(early.frames, "overlays") != 1 || early.frames[len(early.frames)-1]["type"] == "world:state" {
			t.Errorf("it ends with %v", types(early.frames[len(early.frames)-4:]))
		}
		c.send(ada, "last", &wire.SpectatorSay{Text: "words"})
		early.pull()
		if early.seq != c.seq {
			t.Errorf("it stands at %d, the others at %d", early.seq, c.seq)
		}
	})
}

// An event after the newest snapshot is damaged. The client's connection ends with ErrLapped, so that it connects
// again, and gets a newer snapshot, which includes the effect of the damaged event.
func TestDamageBehindTheSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: speak, ring: ring.Limits{Items: 10, Bytes: 1 << 20}}
		b.start(false)
		defer b.stop()
		time.Sleep(time.Minute)
		c := b.tab()
		from := c.seq
		for i := range 50 { // within one tick of the clock, so that no checkpoint has them
			c.send(ada, fmt.Sprint("s", i), &wire.SpectatorSay{Text: "words"})
		}
		b.journal.damage(from + 20)
		v, err := b.r.Attach(context.Background(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			synctest.Wait()
			_, err = v.Take(context.Background(), 1<<16)
		}
		v.Close()
		if !errors.Is(err, watch.ErrLapped) {
			t.Fatalf("it ends with %v, and must come back", err)
		}
		time.Sleep(time.Minute)
		if late := b.tab(); late.seq != c.seq {
			t.Errorf("it stands at %d, the others at %d", late.seq, c.seq)
		}
	})
}

// damage makes events unreadable.
func (j *memJournal) damage(seqs ...int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.damaged = map[int64]bool{}
	for _, seq := range seqs {
		j.damaged[seq] = true
	}
}
