package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/dungeon"
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
			tabs[i].v.Identify(person(i).Listed())
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

// Those who watch without a name are counted, until they register or leave. P5.13.
func TestListCountsWhoHasNoName(t *testing.T) {
	bubble(t, nil, func(b *bench) {
		c, other := b.tab(), b.tab()
		c.v.Identify(ada.Listed())
		told := func() string {
			time.Sleep(2 * watch.ListEvery)
			list := find(c.pull(), "spectator:list")
			return fmt.Sprint(list["count"], " ", list["unnamed"])
		}
		if got := told(); got != "1 1" {
			t.Errorf("with a watcher without a name: %s", got)
		}
		other.v.Identify(ben.Listed())
		if got := told(); got != "2 <nil>" {
			t.Errorf("after the watcher has registered: %s", got)
		}
		late := b.tab()
		if got := told(); got != "2 1" {
			t.Errorf("with a late watcher: %s", got)
		}
		late.v.Close()
		if got := told(); got != "2 <nil>" {
			t.Errorf("after the late watcher has left: %s", got)
		}
	})
}

// The list says since when the holder of a role is away whose last window has closed, until they are back. P5.13.
func TestListSaysSinceWhenAHolderIsAway(t *testing.T) {
	onStage(t, nil, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "What now?", TemplateID: "actors"})
		c.send(ada, "t", &wire.TakeRole{RoleID: "sage"})
		come := func(p Person) *tab {
			one := b.tab()
			one.v.Identify(p.Listed())
			return one
		}
		first, second, without := come(ada), come(ada), come(ben)
		told := func() any {
			time.Sleep(2 * watch.ListEvery)
			return find(c.pull(), "spectator:list")["left"]
		}
		told()
		first.v.Close()
		time.Sleep(2 * watch.ListEvery)
		if list := find(c.pull(), "spectator:list"); list != nil {
			t.Errorf("a person with another window is said to be away: %v", list)
		}
		at := world.TimeOf(time.Now()).String()
		second.v.Close()
		without.v.Close()
		want := fmt.Sprint([]any{map[string]any{"spectatorId": ada.SpectatorID, "at": at}})
		if got := fmt.Sprint(told()); got != want {
			t.Errorf("after ada has left: %s, want %s", got, want)
		}
		come(ada)
		if got := told(); got != nil {
			t.Errorf("ada is back: %v", got)
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
		late.v.Identify(ada.Listed())
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
				b.tab().v.Identify(person(came).Listed())
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

// spectator:list says which file a person looks at, until they look at none or leave. P19.5.
func TestTheListSaysWhoLooksAtWhichFile(t *testing.T) {
	bubble(t, speak, func(b *bench) {
		b.r.SetSurvey(aSurvey(t), dungeon.Change{All: true})
		file := ""
		for e := range aSurvey(t).Tree.All {
			if !e.Folder {
				file = e.Path
			}
		}
		watching, c, second := b.tab(), b.tab(), b.tab()
		c.v.Identify(ada.Listed())
		second.v.Identify(ada.Listed())
		guest := ben
		guest.Role = wire.RoleSpectator
		looks := func() (path, line any) {
			time.Sleep(2 * watch.ListEvery)
			list := find(watching.pull(), "spectator:list")
			if list == nil {
				return "no list", nil
			}
			one := list["spectators"].([]any)[0].(map[string]any)
			return one["path"], one["line"]
		}
		looks()
		if got := find(c.send(ada, "q1", &wire.FileOpen{Path: file, Line: 12}), "command:reply"); got == nil || got["requestId"] != "q1" {
			t.Fatalf("P19.5: no answer: %v", got)
		}
		if path, line := looks(); path != file || line != 12.0 {
			t.Errorf("P19.5: the list says %v, line %v", path, line)
		}
		c.v.Identify(ada.Listed()) // another name is no other file
		second.send(ada, "q2", &wire.FileOpen{Path: ""})
		if path, _ := looks(); path != "no list" {
			t.Errorf("P19.5: another window without a file changes the list: %v", path)
		}
		for _, path := range []string{"nothing", "", "../x"} {
			code := "not_found"
			if path == "../x" {
				code = "bad_field"
			}
			got := find(c.send(ada, "", &wire.FileOpen{Path: path}), "error")
			if path == "" {
				got, code = find(c.send(guest, "", &wire.FileOpen{Path: file}), "error"), "not_allowed"
			}
			if got == nil || got["code"] != code {
				t.Errorf("P19.5: %q: %v, want %s", path, got, code)
			}
		}
		c.send(ada, "", &wire.UpdateSettings{Settings: map[string]json.RawMessage{"filesFor": json.RawMessage(`"everybody"`)}})
		if got := find(c.send(guest, "q3", &wire.FileOpen{Path: file}), "command:reply"); got == nil {
			t.Error("P19.5: a spectator may not look where the realm allows it")
		}
		c.send(ada, "", &wire.FileOpen{})
		if path, line := looks(); path != nil || line != nil {
			t.Errorf("P19.5: no file is open, and the list says %v, line %v", path, line)
		}
	})
}
