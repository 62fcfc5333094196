package realm

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func person(i int) Person {
	return Person{SpectatorID: fmt.Sprintf("p%03d", i), Name: fmt.Sprintf("person %d", i), Color: "#aabbcc", Role: wire.RoleHost}
}

func names(list map[string]any) string {
	var out []string
	for _, s := range list["spectators"].([]any) {
		out = append(out, s.(map[string]any)["spectatorId"].(string))
	}
	return strings.Join(out, " ")
}

// Joins and leaves are sent together in the order of joining, and only if the list has changed. P5.13.
func TestListIsToldWhenItChanges(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		var tabs []*tab
		for i := range 30 {
			tabs = append(tabs, b.tab())
			tabs[i].v.Identify(wire.Spectator(person(i)))
		}
		time.Sleep(2 * watch.ListEvery)
		got := c.pull()
		list := find(got, "spectator:list")
		if n := count(got, "spectator:list"); n != 1 || list["count"] != float64(30) {
			t.Fatalf("%d lists, the first is %v", n, list)
		}
		var want []string
		for i := range 30 {
			want = append(want, person(i).SpectatorID)
		}
		if names(list) != strings.Join(want, " ") {
			t.Fatalf("not in the order of joining: %s", names(list))
		}
		b.tab().v.Close() // a person looked in and did not register
		time.Sleep(2 * watch.ListEvery)
		if got := c.pull(); len(got) != 0 {
			t.Fatalf("told although nothing changed: %v", types(got))
		}
		late := b.tab()
		if names(find(late.frames, "spectator:list")) != names(list) {
			t.Fatal("a newcomer sees another list")
		}
		tabs[3].v.Close()
		time.Sleep(2 * watch.ListEvery)
		if list := find(c.pull(), "spectator:list"); list == nil || list["count"] != float64(29) || strings.Contains(names(list), "p003") {
			t.Fatalf("a leave is not told: %v", list)
		}
	})
}

// If many people are there, the list is sent less often, so that the cost of their coming does not grow with the square
// of their number.
func TestACrowdIsToldOfLessOften(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		for range 3 * watch.ListCrowd {
			if _, err := b.r.Attach(context.Background(), watch.Position{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		c.pull()
		late := b.tab()
		late.v.Identify(wire.Spectator(ada))
		time.Sleep(3 * watch.ListEvery)
		if got := c.pull(); count(got, "spectator:list") != 0 {
			t.Fatal("told as often as to a few")
		}
		time.Sleep(2 * watch.ListEvery)
		if got := c.pull(); count(got, "spectator:list") != 1 {
			t.Fatalf("not told: %v", types(got))
		}
	})
}

// While people keep coming, the list waits until nobody comes for a moment, but at most for a maximum time. P5.13.
func TestListWaitsForQuiet(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		came := 0
		come := func(during time.Duration) (lists int) {
			for range during / (watch.ListEvery / 2) {
				b.tab().v.Identify(wire.Spectator(person(came)))
				came++
				time.Sleep(watch.ListEvery / 2)
				lists += count(c.pull(), "spectator:list")
			}
			return lists
		}
		if n := come((watch.ListMost - 1) * watch.ListEvery); n != 0 {
			t.Errorf("%d lists before the longest wait is over", n)
		}
		if n := come(2 * watch.ListEvery); n != 1 {
			t.Errorf("%d lists around the end of the longest wait, not 1", n)
		}
		time.Sleep(2 * watch.ListEvery)
		if list := find(c.pull(), "spectator:list"); list == nil || list["count"] != float64(came) {
			t.Errorf("the last list is %v, but %d people are here", list, came)
		}
	})
}

// The first frames for a new viewer, up to the list of spectators, are sent together, so that a socket needs one write.
func TestFirstFramesComeTogether(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		for i := range 5 { // these events come after the world of the snapshot
			c.send(ada, fmt.Sprintf("q%d", i), &wire.SpectatorSay{Text: "hello"})
		}
		v, err := b.r.Attach(context.Background(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		frames, err := v.Take(context.Background(), 1<<20)
		last := ""
		if len(frames) > 0 {
			last = string(frames[len(frames)-1])
		}
		if err != nil || !strings.Contains(string(frames[0]), `"welcome"`) || !strings.Contains(last, `"spectator:list"`) {
			t.Errorf("%d frames come first, the last is %.60s: %v", len(frames), last, err)
		}
	})
}

// A viewer that has caught up keeps neither the frames of its attach nor memory for a burst. With 5,000 viewers these
// took more memory than everything else.
func TestIdleViewerKeepsNothing(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c := b.tab()
		for i := range 200 {
			c.send(ada, fmt.Sprintf("q%d", i), &wire.SpectatorSay{Text: "hello"})
		}
		late := b.tab()
		zero := int64(0)
		back := &tab{b: b, durable: map[int64][]byte{}, world: world.New(world.Realm{ID: "r1"})}
		back.attach(watch.Position{Epoch: &late.epoch, LastSeq: &zero})
		for i := range 300 {
			if e := b.r.Submit(Input{From: ada, RequestID: fmt.Sprintf("r%d", i), Command: &wire.SpectatorSay{Text: "hello"}, To: c.v}); e != nil {
				t.Fatal(e)
			}
		}
		synctest.Wait()
		for name, c := range map[string]*tab{"newcomer": late, "come back": back} {
			c.pull()
			if kept := c.v.Kept(); kept.Frames != 0 || kept.ReplyBytes != 0 || kept.Room > 64 {
				t.Errorf("%s: keeps %+v", name, kept)
			}
		}
	})
}
