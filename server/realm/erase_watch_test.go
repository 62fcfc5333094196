package realm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Clients that are behind, frozen or away during an erasure get no erased words afterwards, and all clients reach the
// same world (S1-19). P16.1.
func TestEraseWhileOthersWatch(t *testing.T) {
	for _, person := range []bool{false, true} {
		onDisk(t, cast(quoting), func(d *disk) {
			c, chat, _ := d.lived()
			words := []string{chatSays}
			e := world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}
			if person {
				words = []string{adaSays, adaAside, chatSays, adaName}
				e = world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}
			}
			attach := func(pos watch.Position) *watch.Viewer {
				v, err := d.r.Attach(context.Background(), pos)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			epoch, first := c.epoch, int64(1)
			old := watch.Position{Epoch: &epoch, LastSeq: &first}
			frozen := attach(watch.Position{}) // has a snapshot waiting
			behind := attach(old)              // this client has begun to catch up
			if _, err := behind.Take(context.Background(), 1); err != nil {
				t.Fatal(err)
			}
			if _, err := behind.Take(context.Background(), 1); err != nil {
				t.Fatal(err)
			}
			watching := &tab{b: d.bench, durable: map[int64][]byte{}, returns: true}
			watching.attach(watch.Position{})

			if _, err := d.r.Erase(context.Background(), e); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			clean := func(who string, frames [][]byte) {
				for _, f := range frames {
					for _, w := range words {
						if bytes.Contains(f, []byte(w)) {
							t.Errorf("%s gets %s", who, f)
						}
					}
				}
			}
			for who, v := range map[string]*watch.Viewer{"frozen": frozen, "behind": behind} {
				for {
					frames, err := v.Take(context.Background(), 1<<16)
					clean(who, frames)
					if errors.Is(err, watch.ErrLapped) {
						break
					}
					if err != nil || len(frames) == 0 {
						t.Errorf("%s is not cut: %v", who, err)
						break
					}
				}
			}
			had := len(watching.raw)
			watching.pull()
			clean("watching", watching.raw[had:])
			away := &tab{b: d.bench, durable: map[int64][]byte{}}
			away.attach(old)
			clean("away", away.raw)
			if w := find(away.frames, "welcome"); w["reason"] != wire.SnapshotErased {
				t.Errorf("who was away is welcomed by %v", w)
			}
			if a, b := asJSON(t, away.world), asJSON(t, watching.world); !bytes.Equal(a, b) {
				t.Errorf("who was away has another world:\n%s\n%s", a, b)
			}
			// Other people continue to talk, and everybody gets their words.
			away.send(ben, "on", &wire.SpectatorSay{Text: "we go on"})
			watching.pull()
			if s := string(bytes.Join(watching.raw, nil)); !strings.Contains(s, "we go on") {
				t.Error("nothing comes any more")
			}
			d.stop()
		})
	}
}

// An erasure waits at most a second for clients that have frames to read, so a client that reads them is not cut
// (P16.1).
func TestEraseWaitsForReaders(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		d.lived()
		attach := func() *watch.Viewer {
			v, err := d.r.Attach(context.Background(), watch.Position{})
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		read := func(v *watch.Viewer) error {
			for {
				frames, err := v.Take(context.Background(), 1<<16)
				if err != nil || len(frames) == 0 {
					return err
				}
			}
		}
		reads, frozen := attach(), attach()
		later(watch.ListMost * watch.ListEvery) // until they are counted in the list of spectators
		for _, v := range []*watch.Viewer{reads, frozen} {
			if err := read(v); err != nil {
				t.Fatal(err)
			}
		}
		began, erased := time.Now(), make(chan error, 1)
		go func() {
			_, err := d.r.Erase(context.Background(), world.Erasure{
				SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test",
			})
			erased <- err
		}()
		synctest.Wait()
		if err := read(reads); err != nil {
			t.Errorf("a client that reads is cut: %v", err)
		}
		if err := <-erased; err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited < time.Second || waited > 2*time.Second {
			t.Errorf("the erasure waited %v for a client that does not read", waited)
		}
		if err := read(reads); err != nil {
			t.Errorf("a client that has read is cut: %v", err)
		}
		if err := read(frozen); !errors.Is(err, watch.ErrLapped) {
			t.Errorf("a client that does not read is not cut: %v", err)
		}
		d.stop()
	})
}

// An erasure is refused while the disk does not answer, and nothing of it is recorded, because it cannot be undone
// (P16.4).
func TestNoErasureWhileTheDiskIsAway(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		d.stop()
		d.kill = &killer{from: d.dir, to: d.dir + "-copy", within: -1, left: 1 << 30}
		d.open(false)
		c := d.tab()
		c.returns = true
		chat := begun(t, c.send(planter, "n", chatWith("sage")))
		d.kill.set(true)
		c.send(ben, "s", &wire.SpectatorSay{Text: "does it answer?"})
		time.Sleep(time.Second)
		_, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"})
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.Unsaved {
			t.Errorf("it is begun: %v", err)
		}
		d.kill.set(false)
		time.Sleep(time.Minute)
		if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Errorf("with the disk back: %v", err)
		}
		if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{"c-none"}, Reason: world.ErasedOnRequest, Who: "test"}); !errors.As(err, &e) || e.Code != wire.NotFound {
			t.Errorf("a conversation that is not there: %v", err)
		}
		d.stop()
	})
}

func (k *killer) set(dead bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dead = dead
}

// The erasure of a running process is refused. The erasure of a paused process ends it.
func TestEraseTheProcess(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		c, _, _ := d.lived()
		conv := c.world.ProcessState.ConversationID
		c.send(ben, "r", &wire.PlayerCommand{Text: "/resume"})
		if c.world.ProcessState.Status == world.StatusRunning {
			if f := find(c.send(ben, "e", &wire.HistoryErase{ConversationID: conv}), "error"); f == nil || f["code"] != "conflict" {
				t.Errorf("a process that runs: %v", f)
			}
		}
		c.send(ben, "p2", &wire.PlayerCommand{Text: "/pause"})
		c.send(ben, "k2", &wire.PlayerCommand{Text: "/skip"})
		c.send(ben, "p3", &wire.PlayerCommand{Text: "/pause"})
		if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{conv}, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		c.pull()
		if p := c.world.ProcessState; p.Status != world.StatusIdle || p.ProblemStatement != "" || p.ConversationID != "" {
			t.Errorf("the process is %+v", p)
		}
		if f := find(c.send(ben, "again", &wire.StartProcess{Problem: "anew", TemplateID: "standard_brainstorm"}), "process:started"); f == nil {
			t.Error("no other process begins")
		}
		d.equal(t)
		d.stop()
	})
}

// The log of a busy realm has ids, and neither words that were said nor names (S1-B9).
func TestTheLogHasNoWords(t *testing.T) {
	var log syncBuffer
	onDisk(t, cast(quoting), func(d *disk) {
		d.stop()
		d.log = zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.TraceLevel)
		d.open(false)
		c, chat, _ := d.lived()
		c.send(planter, "f", &wire.ChatSend{ConversationID: chat, Content: "wait " + chatSays})
		if _, err := d.r.Erase(context.Background(), world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		d.stop()
	})
	text := log.String()
	for _, w := range []string{adaSays, adaAside, chatSays, benSays, adaName} {
		if strings.Contains(text, w) || strings.Contains(text, strings.Fields(w)[0]) {
			t.Errorf("the log says %q:\n%s", w, text)
		}
	}
	if !strings.Contains(text, `"realm":"r1"`) || !strings.Contains(text, `"erasure":`) {
		t.Errorf("the log has no ids:\n%s", text)
	}
}

// The audit records who changed what, with the old and the new value, and no words that were said. It stays after an
// erasure (S1-19, S1-25). P16.10.
func TestTheAuditKeepsChangesAndNoWords(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		c, chat, council := d.lived()
		c.send(ben, "set", &wire.UpdateSettings{Settings: raw(`{"maxAgents":20}`)})
		c.send(ben, "set2", &wire.UpdateSettings{Settings: raw(`{"maxAgents":21}`)})
		c.send(ben, "end", &wire.ConversationAbort{ConversationID: council})
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: ben.SpectatorID}); err != nil {
			t.Fatal(err)
		}
		d.stop()
		d.open(false)
		synctest.Wait()
		rows, err := d.o.Journal.Audit(context.Background(), 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		has := func(action, who, before, after, note, conversation string) {
			t.Helper()
			for _, r := range rows {
				if r.Action == action && r.Who == who && r.Before == before && r.After == after && (note == "" || r.Note == note) && r.ConversationID == conversation && r.Seq > 0 && r.At > 0 {
					return
				}
			}
			t.Errorf("the audit has no %s by %s from %q to %q of %q", action, who, before, after, conversation)
		}
		has("conversation.started", planter.SpectatorID, "", "active", "chat", chat)
		has("conversation.status", ben.SpectatorID, "active", "abandoned", "", council)
		has("settings:updated", ben.SpectatorID, "12", "20", "maxAgents", "")
		has("settings:updated", ben.SpectatorID, "20", "21", "maxAgents", "")
		has("history:erased", ben.SpectatorID, "", "request", "p1 1 conversations", "")
		has("realm:restored", "server", "", "checkpoint", "", "")
		text, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []string{adaSays, adaAside, chatSays, benSays, adaName, "speak of the night", "what to keep"} {
			if bytes.Contains(text, []byte(w)) {
				t.Errorf("the audit says %q", w)
			}
		}
		late, err := d.o.Journal.Audit(context.Background(), rows[len(rows)-1].At, 0, 0)
		if err != nil || len(late) == 0 || len(late) >= len(rows) {
			t.Errorf("since the end there are %d of %d: %v", len(late), len(rows), err)
		}
		d.stop()
	})
}

// syncBuffer is a buffer for a log that several goroutines write.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
