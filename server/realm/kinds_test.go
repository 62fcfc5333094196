package realm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/kinds"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// registered returns the kinds of the registry and the kind that only tests have.
func registered() []kind.Registration {
	return append(kinds.All(), kind.Registration{Name: "relay", New: newRelay})
}

// renamed returns the same kinds with random names.
func renamed(all []kind.Registration, rng *rand.Rand) (out []kind.Registration) {
	for i, reg := range all {
		out = append(out, kind.Registration{Name: fmt.Sprintf("k%d-%x", i, rng.Uint64()), New: reg.New})
	}
	return out
}

// rulesOf has the transcript rules by which the tests fold: the rules of the registry's kinds, or of the kinds that a
// test has registered.
var rulesOf = rulesUnder(kinds.All())

// underNames makes the tests fold by the rules of these registrations until the test ends.
func underNames(t *testing.T, all []kind.Registration) {
	t.Helper()
	was := rulesOf
	rulesOf = rulesUnder(all)
	t.Cleanup(func() { rulesOf = was })
}

func rulesUnder(all []kind.Registration) func(name string) conversation.Rules {
	set := kind.NewSet(all)
	return func(name string) conversation.Rules { return set.Of(name).Traits().Rules }
}

// observesOutside reports whether conversations of a kind show sessions that run outside of the server.
func observesOutside(all []kind.Registration, name string) bool {
	_, is := kind.NewSet(all).Of(name).(kind.Observer)
	return is
}

// beginsOne begins a conversation of a kind in the way that the kind needs, and returns its id.
func beginsOne(c *tab, name string) string {
	c.b.t.Helper()
	if observesOutside(c.b.registrations(), name) {
		return reads(c, shadow.Working, coding()[0]...)
	}
	tries := []wire.Command{
		&wire.ConversationStart{
			Kind: name, MemberIDs: []string{"sage"}, TemplateID: "actors", TaskPrompt: "weigh it", MaxTurns: 4, TeamID: "guild",
		},
		start("standard_brainstorm"),
	}
	for i, cmd := range tries {
		if f := find(c.send(ada, fmt.Sprint("begin", i, c.epoch), cmd), "conversation.started"); f != nil {
			head := f["conversation"].(map[string]any)
			if head["kind"] != name {
				c.b.t.Fatalf("a conversation of kind %v begins, not %s", head["kind"], name)
			}
			return head["conversationId"].(string)
		}
	}
	c.b.t.Fatalf("nothing begins a conversation of kind %s", name)
	return ""
}

// livesWith does everything that a person can do with a conversation.
func livesWith(c *tab, id string) {
	n := 0
	do := func(cmd wire.Command) {
		n++
		c.send(ada, fmt.Sprint("do", n), cmd)
	}
	do(&wire.ChatSend{ConversationID: id, Content: "hello\n[NEXT: sentinel]"})
	do(&wire.ConversationPause{ConversationID: id})
	for _, run := range c.active(id) {
		do(&wire.ChatCancel{ConversationID: id, RequestID: run})
	}
	time.Sleep(time.Second)
	do(&wire.ConversationResume{ConversationID: id})
	do(&wire.ChatSend{ConversationID: id, Content: "and again\n[NEXT: healer]"})
	do(&wire.ConversationRename{ConversationID: id, Title: "another title"})
	time.Sleep(time.Second)
	c.pull()
	if observesOutside(c.b.registrations(), c.b.head(id).Kind) {
		worksOn(c)
	}
}

// active returns the runs of a conversation that are under way according to the frames.
func (c *tab) active(id string) (out []string) {
	for _, f := range c.send(ada, "", &wire.ConversationOpen{ConversationID: id}) {
		if f["type"] != "snapshot" {
			continue
		}
		for _, run := range f["activeRuns"].([]any) {
			out = append(out, run.(map[string]any)["requestId"].(string))
		}
	}
	return out
}

// answered returns the turns of a conversation that agents have completed.
func (b *bench) answered(id string) (out []string) {
	b.journal.mu.Lock()
	defer b.journal.mu.Unlock()
	for _, ev := range b.journal.events {
		row, ok := ev.Body.(*world.SegmentClosed)
		if ok && row.ConversationID == id && row.Reason == world.ClosedByDone {
			out = append(out, row.Message.Content)
		}
	}
	return out
}

// slowly is a driver that says two words with a pause between them.
func slowly(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
	if err := emit(Chunk{Text: "first "}); err != nil {
		return err
	}
	select {
	case <-time.After(200 * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := emit(Chunk{Text: "then"}); err != nil {
		return err
	}
	if t.Completion == world.CompleteSignal {
		return emit(Chunk{Seal: &Seal{Summary: "done"}})
	}
	return nil
}

// For every kind of the registry, a conversation is begun, spoken in, paused, stopped, continued, renamed and ended. A
// kill at every commit loses nothing, leaves nothing under way for ever, and shows every client the world to which the
// journal folds. The same holds if the kinds have random names, so no kind compares its name with a constant.
func TestKindsConform(t *testing.T) {
	names := map[string][]kind.Registration{
		"by name":    registered(),
		"other name": renamed(registered(), rand.New(rand.NewPCG(14, 6))),
	}
	for called, all := range names {
		underNames(t, all)
		for i, reg := range all {
			t.Run(called+"/"+registered()[i].Name, func(t *testing.T) { conforms(t, all, reg.Name) })
		}
	}
}

func conforms(t *testing.T, all []kind.Registration, name string) {
	outside := observesOutside(all, name)
	bench := func(t *testing.T, j *memJournal) *bench {
		b := &bench{t: t, journal: j, files: &memFiles{}, drivers: slowly, smith: slowly,
			extra: []*world.Template{actors()}, kinds: all}
		if outside {
			b.path = "/home/dev/project"
		}
		return b
	}
	whole := &memJournal{}
	id := ""
	synctest.Test(t, func(t *testing.T) {
		b := bench(t, whole)
		b.start(false)
		c := b.tab()
		id = beginsOne(c, name)
		livesWith(c, id)
		time.Sleep(time.Minute)
		if !outside && len(b.answered(id)) == 0 {
			t.Error("nobody takes a turn")
		}
		c.send(ada, "end", &wire.ConversationAbort{ConversationID: id})
		oneWorld(t, "in the end", b, c)
		if b.head(id).Kind != name || b.head(id).Title != "another title" {
			t.Errorf("it is a %s called %q", b.head(id).Kind, b.head(id).Title)
		}
		b.stop()
		sound(t, "in the end", whole)
	})
	for n := range whole.ends {
		at := fmt.Sprintf("killed after commit %d of %d (event %d)", n+1, len(whole.ends), whole.ends[n])
		synctest.Test(t, func(t *testing.T) {
			b := bench(t, whole.upTo(n))
			b.life, b.lines = 1, []world.Line{{Epoch: "e1", FromSeq: 1}}
			time.Sleep(time.Hour)
			b.start(true)
			c := b.tab()
			time.Sleep(time.Minute)
			c.send(ada, "on", &wire.ConversationResume{ConversationID: id})
			time.Sleep(time.Minute)
			if outside {
				worksOn(c)
			}
			c.v.Close()
			c.again() // replayed
			oneWorld(t, at, b, c)
			b.stop()
			sound(t, at, b.journal)
			for i, f := range whole.frames[:whole.ends[n]] {
				if string(b.journal.frames[i].Bytes) != string(f.Bytes) {
					t.Fatalf("%s: what was shown at %d is another now", at, f.Seq)
				}
			}
		})
	}
}

// For every kind: a conversation is erased during a turn. Its words are gone from the folder and from everything that
// clients get, and words of other conversations stay. The remaining journal folds to the world of the next opening, in
// which a conversation of that kind can begin anew.
func TestKindsErase_S1_19(t *testing.T) {
	all := registered()
	underNames(t, all)
	for _, reg := range all {
		t.Run(reg.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &disk{
					bench: &bench{t: t, drivers: slowly, extra: []*world.Template{actors()}, kinds: all},
					dir:   filepath.Join(t.TempDir(), "r1"), log: zerolog.Nop(),
					with: func(cfg *Config) { cfg.Kinds = all },
				}
				d.open(false)
				erases(t, d, all, reg.Name)
			})
		})
	}
}

func erases(t *testing.T, d *disk, all []kind.Registration, name string) {
	c := d.tab()
	c.returns = true
	kept := begun(t, c.send(ben, "n", chatWith("sage")))
	c.send(ben, "k", &wire.ChatSend{ConversationID: kept, Content: benSays})
	time.Sleep(time.Minute)
	id := beginsOne(c, name)
	if observesOutside(all, name) {
		reads(c, shadow.Working, shadow.Entry{Kind: shadow.Prompt, Text: chatSays, Human: true},
			shadow.Entry{Kind: shadow.Call, CallID: "p", Tool: &shadow.Tool{Name: "Bash", Input: chatSays, Brief: chatSays}})
	}
	c.send(planter, "w", &wire.ChatSend{ConversationID: id, Content: chatSays + "\n[NEXT: sentinel]"})
	c.send(planter, "t", &wire.ConversationRename{ConversationID: id, Title: "about " + chatSays})
	c.send(planter, "p", &wire.ConversationPause{ConversationID: id})
	if grep(t, d.dir, chatSays)[chatSays] == 0 {
		t.Error("nothing is planted")
	}
	var frames []map[string]any
	for range 3 { // the process ends its turn first; a tab that was behind sends the command again
		frames = append(frames, c.send(ben, "e", &wire.HistoryErase{ConversationID: id})...)
		time.Sleep(time.Minute)
		frames = append(frames, c.pull()...)
	}
	if find(frames, "history:receipt") == nil {
		t.Errorf("it is answered by %v", types(frames))
	}
	if f := find(c.send(ben, "o", &wire.ConversationOpen{ConversationID: id}), "error"); f == nil || f["code"] != "not_found" {
		t.Errorf("opened it is %v", f)
	}
	d.gone(t, c, []string{chatSays}, []string{benSays})
	d.stop()
	d.gone(t, nil, []string{chatSays}, []string{benSays})
	d.open(false)
	d.equal(t)
	if again := beginsOne(d.tab(), name); again == id {
		t.Errorf("%s begins again under its id", name)
	}
	d.stop()
}

// oneWorld checks that a client has reduced the same world that a new client gets.
func oneWorld(t *testing.T, at string, b *bench, c *tab) {
	t.Helper()
	c.pull()
	if mine, given := canonical(t, c.world), canonical(t, b.tab().world); mine != given {
		t.Fatalf("%s:\n%s\nserver:\n%s", at, mine, given)
	}
}

// The tests' own kind goes through its stages, shows its view, and gets what a person asked for.
func TestAKindOfTheTests(t *testing.T) {
	underNames(t, registered())
	synctest.Test(t, func(t *testing.T) {
		heard := []string{}
		play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
			heard = append(heard, turn.StageID+": "+turn.Words)
			return slowly(ctx, turn, emit)
		})
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{actors()}, kinds: registered()}
		b.start(false)
		c := b.tab()
		id := beginsOne(c, "relay")
		c.send(ada, "w", &wire.ChatSend{ConversationID: id, Content: " and be brief"})
		plan := find(c.send(ada, "", &wire.ConversationOpen{ConversationID: id}), "snapshot")["plan"].(map[string]any)
		if plan["maxTurns"] != 2.0 || plan["nextMemberId"] != "sage" {
			t.Errorf("the view's plan is %v", plan)
		}
		time.Sleep(time.Minute)
		c.pull()
		want := []string{"draft: weigh it", "review: weigh it and be brief"}
		if fmt.Sprint(heard) != fmt.Sprint(want) || b.head(id).Status != world.ConversationCompleted {
			t.Errorf("it is %s, and its agent was told %q, want %q", b.head(id).Status, heard, want)
		}
		b.stop()
	})
}
