package realm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// beside is a journal whose rescue writes to a folder beside the realm's, or fails.
type beside struct {
	*journal.Journal
	dir  string
	fail error
	hold chan struct{} // if not nil, a rescue waits for it
}

func (b *beside) Rescue(m world.Memory) (string, error) {
	if b.hold != nil {
		<-b.hold
	}
	if b.fail != nil {
		return "", b.fail
	}
	dir, err := recovery.NewRescuer(b.Journal).Rescue(m)
	b.dir = dir
	return dir, err
}

// rescued returns a realm on a disk, with a rescue that the test observes.
func rescued(d *disk) *beside {
	d.stop()
	b := &beside{}
	d.with = func(c *Config) { b.Journal, c.Rescuer = d.o.Journal, b }
	d.open(false)
	return b
}

// The realm's folder is deleted while people talk. Words said after that are not acknowledged, everybody is told and
// can still read, and the stop says where the rescued realm is. It has everything that was shown, with the insights of
// agents (P12.2, S3-14).
func TestRescue(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		b := rescued(d)
		c, chat, _ := d.lived()
		learned := c.world.Tick
		known := map[string][]string{}
		for _, f := range c.frames {
			if f["type"] == "knowledge:updated" {
				known[f["agentId"].(string)] = append(known[f["agentId"].(string)], f["text"].(string))
			}
		}
		if err := os.RemoveAll(d.dir); err != nil {
			t.Fatal(err)
		}
		frames := c.send(ben, "late", &wire.ChatSend{ConversationID: chat, Content: "into which file?"})
		if find(frames, "chat.started") != nil || find(frames, "command:reply") != nil {
			t.Errorf("it is acknowledged: %v", types(frames))
		}
		synctest.Wait()
		told := find(append(frames, c.pull()...), "save:status")
		if told == nil || told["state"] != wire.SaveBroken {
			t.Fatalf("everybody is told %v", told)
		}
		late := d.tab()
		if told = find(late.frames, "save:status"); told == nil || !strings.Contains(told["message"].(string), filepath.Base(b.dir)) || strings.Contains(told["message"].(string), filepath.Dir(b.dir)) {
			t.Errorf("who comes later is told %v", told)
		}
		if late.seq != c.seq {
			t.Errorf("who comes later sees %d events of %d", late.seq, c.seq)
		}
		_, err := d.r.Stop(context.Background())
		if !errors.Is(err, world.ErrMoved) || !strings.Contains(err.Error(), b.dir) {
			t.Errorf("the stop says %v", err)
		}
		if err := os.Rename(b.dir, d.dir); err != nil {
			t.Fatal(err)
		}
		d.with = nil
		d.open(false)
		c.again()
		if got := welcomes(c.frames[len(c.frames)-20:]); len(got) == 0 || got[len(got)-1] != "replay" {
			t.Errorf("it comes back by %q", got)
		}
		if c.world.Tick < learned {
			t.Errorf("it has %d events of %d", c.world.Tick, learned)
		}
		if len(known) == 0 {
			t.Error("nobody has learned anything")
		}
		for id, want := range known {
			got := []string{}
			for _, v := range d.o.Saved.Vaults {
				for _, in := range v.Insights {
					if v.AgentID == id {
						got = append(got, in.Text)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s was shown to have learned %q, and knows %q", id, want, got)
			}
		}
		d.stop()
	})
}

// The folder is deleted and nothing is committed before the stop: the stop notices the deletion. A stop that no longer
// waits for the disk still waits for a rescue.
func TestRescueAtTheStop(t *testing.T) {
	onDisk(t, cast(speak), func(d *disk) {
		b := rescued(d)
		d.lived()
		b.hold = make(chan struct{})
		if err := os.RemoveAll(d.dir); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { close(b.hold) })
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := d.r.Stop(ctx); err == nil {
			t.Error("the stop says that all is well")
		}
		select {
		case <-d.r.Done():
		default:
			t.Error("the stop leaves while the realm is being rescued")
		}
		if _, err := os.Stat(b.dir); b.dir == "" || err != nil {
			t.Errorf("it is not rescued: %v", err)
		}
	})
}

// If a rescue fails, people are told, and so is the caller of the stop.
func TestRescueFails(t *testing.T) {
	onDisk(t, cast(speak), func(d *disk) {
		b := rescued(d)
		b.fail = errors.New("no room anywhere")
		c := d.tab()
		if err := os.RemoveAll(d.dir); err != nil {
			t.Fatal(err)
		}
		frames := c.send(ada, "late", &wire.SpectatorSay{Text: "into which file?"})
		synctest.Wait()
		frames = append(frames, c.pull()...)
		if last := frames[len(frames)-1]; last["type"] != "save:status" || !strings.Contains(last["message"].(string), "could not be written elsewhere") {
			t.Errorf("people are told %v", last)
		}
		if _, err := d.r.Stop(context.Background()); !errors.Is(err, world.ErrMoved) || !errors.Is(err, b.fail) {
			t.Errorf("the stop says %v", err)
		}
	})
}
