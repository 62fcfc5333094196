package realm

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A team's file changes under a session: who has gone is asked no more and is warned about
// once, who is new can be asked, and the turn under way of somebody who has gone ends by
// itself (S2-08, S2-09).
func TestPartyTeamChanges(t *testing.T) {
	var hold chan struct{}
	play := cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
		if strings.Contains(q.Words, "slowly") {
			<-hold
		}
		return answers(ctx, q, emit)
	})
	onParty(t, play, func(b *bench, teams *teamFiles) {
		hold = make(chan struct{})
		c := b.tab()
		c.v.Identify(ada)
		id := c.session(ada, "s", "duo")
		c.says(ada, "w1", id, "hello\n[NEXT: di]")
		c.pull()
		c.says(ada, "w2", id, "slowly\n[NEXT: di, cy]")
		changed := duo()
		changed.Members[3] = world.Member{ID: "ed", Name: "Ed", DisplayName: "Ed the New", Type: world.KindAgent, Role: "nobody-knows", Color: "#eeeeee", Order: 4}
		teams.set(changed)
		close(hold)
		synctest.Wait()
		c.pull()
		if got := b.script(id); got[len(got)-2] != "assistant:di:di heard slowly" || got[len(got)-1] != "assistant:cy:cy heard slowly" {
			t.Errorf("the turn under way: %q", got)
		}
		if n := count(c.frames, "session:warning"); n != 1 || !strings.Contains(find(c.frames, "session:warning")["message"].(string), "team: Di\n") {
			t.Errorf("%d warnings", n)
		}
		c.says(ada, "w3", id, "and who are you?\n[NEXT: ed]")
		c.pull()
		if got := b.script(id); got[len(got)-1] != "assistant:ed:ed heard and who are you?" {
			t.Errorf("who is new: %q", got)
		}
		if rows := b.rows(id); rows[1].Name != "Young Di" {
			t.Errorf("the old name is gone: %+v", rows[1])
		}
		recoloured := changed
		recoloured.Members = append([]world.Member{}, changed.Members...)
		recoloured.Members[0].Color = "#000000"
		teams.set(recoloured)
		c.says(ada, "w4", id, "well")
		if n := count(c.frames, "session:warning"); n != 1 {
			t.Errorf("a colour is warned about: %d warnings", n)
		}
		h := b.head(id)
		if got := h.Member("ann").Color; got != "#000000" {
			t.Errorf("the colour is %s", got)
		}
	})
}

// A tool that does more than look and was cut off makes the party wait, and it says so:
// after a cancel, a time limit and a kill.
func TestPartyWaitsWhereNobodyKnowsWhatAToolDid(t *testing.T) {
	act := cast(func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		if err := emit(Chunk{Text: "I do it now. "}); err != nil {
			return err
		}
		if err := emit(Chunk{Tool: &ToolStart{CallID: "c", Name: "deploy"}}); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	for name, cut := range map[string]func(b *bench, c *tab, id string){
		"cancel": func(_ *bench, c *tab, id string) {
			c.send(ada, "", &wire.ChatCancel{ConversationID: id, RequestID: c.running()})
		},
		"time limit": func(_ *bench, c *tab, _ string) { later(3 * time.Minute); c.pull() },
		"kill":       func(b *bench, c *tab, _ string) { b.kill(); b.start(true); c.again(); c.pull() },
		"stop":       func(b *bench, c *tab, _ string) { b.stop(); b.start(true); c.again(); c.pull() },
	} {
		t.Run(name, func(t *testing.T) {
			onParty(t, act, func(b *bench, _ *teamFiles) {
				c := b.tab()
				id := c.session(ada, "s", "solo")
				c.says(ada, "w", id, "go\n[NEXT: cy]")
				cut(b, c, id)
				h := b.head(id)
				if h.Status != world.ConversationPaused || !strings.Contains(h.Reason, "Old Cy was cut off while it used deploy") {
					t.Errorf("%s: %q", h.Status, h.Reason)
				}
				if p := c.world.Party; p.Status != world.PartyPaused || p.Executing != nil || p.WaitingFor != "ann" {
					t.Errorf("%+v", p)
				}
				rows := b.rows(id)
				if rows[1].Content != "I do it now. " || rows[2].Status != world.MessageInterrupted {
					t.Errorf("%+v", rows)
				}
			})
		})
	}
}

// Where nothing plays who is asked, it waits and says so (S2-B12).
func TestPartyWithoutDrivers(t *testing.T) {
	onParty(t, nil, func(b *bench, _ *teamFiles) {
		c := b.tab()
		id := c.session(ada, "s", "solo")
		c.says(ada, "w", id, "hello\n[NEXT: cy]")
		if h := b.head(id); h.Status != world.ConversationPaused || h.Reason != "Old Cy was asked, but nothing plays this member here." {
			t.Errorf("%s: %q", h.Status, h.Reason)
		}
	})
}

// A party's turns end with a failure that is said, what failed is asked again by resuming,
// and a second try says what became of the first.
func TestPartyTakesAFailedTurnAgain(t *testing.T) {
	tries := 0
	var prompt string
	play := cast(func(_ context.Context, q TurnRequest, emit func(Chunk) error) error {
		tries++
		if prompt = q.Prompt; tries == 1 {
			return &TurnError{Code: world.ChatLimit, Message: "too much"}
		}
		return emit(Chunk{Text: "shorter"})
	})
	onParty(t, play, func(b *bench, _ *teamFiles) {
		c := b.tab()
		id := c.session(ada, "s", "solo")
		c.says(ada, "w", id, "hello\n[NEXT: cy]")
		c.pull()
		if got := b.head(id).Reason; got != "Old Cy failed. [NEXT: cy] or resume asks again." {
			t.Errorf("%q", got)
		}
		c.send(ada, "r", &wire.ConversationResume{ConversationID: id})
		c.pull()
		wantScript(t, b, id, "user:ann:hello", "system::Chat error: too much", "assistant:cy:shorter")
		if !strings.Contains(prompt, "too long to be kept") {
			t.Errorf("the second try is not told of the first:\n%s", prompt)
		}
		if e := refused(c.send(ada, "r2", &wire.ConversationResume{ConversationID: id})); !strings.Contains(e, "nobody waits for a turn") {
			t.Errorf("%q", e)
		}
	})
}
