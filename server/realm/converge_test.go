package realm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/server/soak"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Several clients, with a random seed: connections are cut, the server restarts cleanly or is killed, disks fail for a
// while, and older copies of the folder are restored. At the end every client's reduced state equals the server's, and
// no frame was missing or came twice (tab checks that on every frame). Commands, drivers and the disk run concurrently;
// the actor takes one step at a time (S4-14: run with -race). AGENTDUNGEON_SEEDS sets the number of runs.
func TestClientsConverge(t *testing.T) {
	seeds := soak.Cases(30, 20)
	if n, err := strconv.Atoi(os.Getenv("AGENTDUNGEON_SEEDS")); err == nil {
		seeds = n
	}
	first := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("AGENTDUNGEON_SEED"), 10, 64); err == nil {
		first = n
	}
	for seed := first; seed < first+uint64(seeds); seed++ {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { converge(t, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

type copied struct {
	frames  []world.Frame
	events  []world.Event
	answers []world.CommandRow
	lines   []world.Line
}

func converge(t *testing.T, rng *rand.Rand) {
	seed := rng.Uint64()
	driver := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		script := rand.New(rand.NewPCG(seed, uint64(len(turn.RequestID)+turn.N)))
		for range 1 + script.IntN(4) {
			select {
			case <-time.After(time.Duration(script.IntN(300)) * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := emit(Chunk{Text: "word "}); err != nil {
				return err
			}
		}
		if script.IntN(2) == 0 {
			if err := emit(Chunk{Tool: &ToolStart{CallID: "c", Name: "look", Reads: script.IntN(3) > 0}}); err != nil {
				return err
			}
			time.Sleep(time.Duration(script.IntN(600)) * time.Millisecond)
			if err := emit(Chunk{ToolEnd: &ToolEnd{CallID: "c", OK: true, Output: "seen"}}); err != nil {
				return err
			}
		}
		if turn.Completion == world.CompleteSignal {
			return emit(Chunk{Seal: &Seal{}})
		}
		return nil
	})
	b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: driver}
	b.start(false)
	tabs := []*tab{}
	for range 3 {
		tabs = append(tabs, b.tab())
	}
	shown := map[int64]string{} // frames by seq, until an older copy is restored
	var older *copied
	for step := range 120 {
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
		switch rng.IntN(14) {
		case 0, 1, 2, 3:
			cmds := []wire.Command{
				&wire.SpectatorSay{Text: "hello"}, start("standard_brainstorm"), &wire.PlayerCommand{Text: "/pause"},
				&wire.PlayerCommand{Text: "/resume"}, &wire.PlayerCommand{Text: "/skip"}, &wire.PlayerCommand{Text: "/restart"},
				&wire.TakeRole{RoleID: "ideator"}, &wire.DismissAgent{AgentID: "ideator"}, &wire.PlayerCommand{Text: "/summon ideator"},
				&wire.PlayerCommand{Text: "words"}, &wire.PlayerCommand{Text: "/ask ideator and you?"},
			}
			if rng.IntN(2) == 0 {
				cmds = talking(rng, tabs[0])
			}
			who := []Person{ada, ben}[rng.IntN(2)]
			if e := b.r.Submit(Input{From: who, RequestID: fmt.Sprint("q", step), Command: cmds[rng.IntN(len(cmds))]}); e != nil {
				t.Fatal(e)
			}
		case 4, 5, 6:
			tabs[rng.IntN(len(tabs))].pull()
		case 7, 8: // a cut
			c := tabs[rng.IntN(len(tabs))]
			c.v.Close()
			c.again()
		case 9:
			b.journal.set(fmt.Errorf("no space"), nil)
			time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond)
			b.journal.set(nil, nil)
		case 10:
			b.journal.mu.Lock()
			older = &copied{slices.Clone(b.journal.frames), slices.Clone(b.journal.events), slices.Clone(b.journal.answers), slices.Clone(b.lines)}
			b.journal.mu.Unlock()
		case 11, 12:
			if rng.IntN(2) == 0 {
				b.stop()
			} else {
				b.kill()
			}
			b.start(rng.IntN(2) == 0)
			for _, c := range tabs {
				c.again()
			}
		case 13:
			if older == nil || rng.IntN(3) > 0 {
				continue
			}
			b.kill()
			b.journal.frames, b.journal.events, b.journal.answers, b.lines = slices.Clone(older.frames), slices.Clone(older.events), slices.Clone(older.answers), slices.Clone(older.lines)
			clear(shown)
			b.start(false)
			for _, c := range tabs {
				c.durable = map[int64][]byte{} // the client's frames belong to another epoch
				c.again()
			}
		}
		for _, c := range tabs {
			for seq, f := range c.durable {
				if old, ok := shown[seq]; ok && old != string(f) {
					t.Fatalf("seq %d is two things:\n%s\n%s", seq, old, f)
				}
				shown[seq] = string(f)
			}
		}
	}
	time.Sleep(time.Minute) // meanwhile drivers finish, or wait for a person
	fresh := b.tab()
	for i, c := range tabs {
		c.pull()
		if a, z := canonical(t, c.world), canonical(t, fresh.world); a != z {
			t.Fatalf("tab %d:\n%s\nserver:\n%s", i, a, z)
		}
		if err := c.world.Validate(); err != nil {
			t.Fatalf("tab %d: %v", i, err)
		}
	}
	last := int64(0)
	for seq := range shown {
		last = max(last, seq)
	}
	if head := b.journal.head(); last > head {
		t.Fatalf("seq %d was shown, the journal ends at %d", last, head)
	}
	b.stop()
	sound(t, "in the end", b.journal)
}

// talking returns commands about the councils and chats that a client (a tab) knows.
func talking(rng *rand.Rand, c *tab) []wire.Command {
	ids := []string{"c0"}
	for _, f := range c.frames {
		if f["type"] == "conversation.started" {
			ids = append(ids, f["conversation"].(map[string]any)["conversationId"].(string))
		}
	}
	id := ids[len(ids)-1-rng.IntN(min(4, len(ids)))]
	roles := []string{"ideator", "facilitator", "synthesizer"}
	return []wire.Command{
		&wire.ConversationStart{Kind: world.KindChat, MemberIDs: roles[:1], TemplateID: "standard_brainstorm"},
		&wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: roles[:1+rng.IntN(3)], TaskPrompt: "weigh it", MaxTurns: 1 + rng.IntN(5), TemplateID: "standard_brainstorm"},
		&wire.ChatSend{ConversationID: id, Content: "hello"}, &wire.ChatSend{ConversationID: id, Content: "again"},
		&wire.ConversationResume{ConversationID: id}, &wire.ConversationPause{ConversationID: id},
		&wire.ConversationAbort{ConversationID: id}, &wire.ConversationClose{ConversationID: id}, &wire.ConversationRename{ConversationID: id, Title: "another"},
		&wire.ConversationOpen{ConversationID: id}, &wire.ConversationList{},
	}
}

// A viewer that the ring overtakes during its replay is not cut as too slow. It gets the remaining events, then the
// overlays and the map, and misses nothing.
func TestCatchingUpIsNotTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, ring: ring.Limits{Items: 8, Bytes: 1 << 20}}
		b.start(false)
		defer b.stop()
		say := func(n int) {
			for range n {
				if e := b.r.Submit(Input{From: ada, Command: &wire.SpectatorSay{Text: "x"}}); e != nil {
					t.Fatal(e)
				}
			}
			synctest.Wait()
		}
		say(600)
		b.r.SetSurvey(aSurvey(t), dungeon.Change{All: true})
		zero, epoch := int64(0), "e1"
		v, err := b.r.Attach(t.Context(), watch.Position{Epoch: &epoch, LastSeq: &zero, MapGeneration: &zero})
		if err != nil {
			t.Fatal(err)
		}
		c := &tab{b: b, v: v, durable: map[int64][]byte{}, world: world.New(world.Realm{})}
		for range 3 { // the welcome and the first missed frames
			frames, err := v.Take(t.Context(), 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range frames {
				c.take(f)
			}
			say(200) // live frames overtake the position that the viewer got
		}
		c.pull()
		if c.seq != b.journal.head() || find(c.frames, "overlays") == nil {
			t.Fatalf("at %d of %d", c.seq, b.journal.head())
		}
		if find(c.frames, "map:changed") == nil { // P5.15: the map comes with the overlays of the first position
			t.Error("the client did not get the map that it lacks")
		}
	})
}
