package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A team's file changes during a session. A member who has left is not asked any more, and one warning is sent. A new
// member can be asked. The turn under way of a member who has left ends normally (S2-08, S2-09).
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
		c.v.Identify(ada.Listed())
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

// If a tool that can change something was cut off, by a cancel, a time limit or a kill, the party waits and says so.
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
				if saved := find(c.frames, "session:saved"); (name == "cancel" || name == "time limit") && (saved == nil || saved["sessionId"] != id) { // S2-B15
					t.Errorf("it came to rest without a save: %v", types(c.frames))
				}
				rows := b.rows(id)
				if rows[1].Content != "I do it now. " || rows[2].Status != world.MessageInterrupted {
					t.Errorf("%+v", rows)
				}
			})
		})
	}
}

// If no driver plays the requested member, the party waits and says so (S2-B12).
func TestPartyWithoutDrivers(t *testing.T) {
	onParty(t, nil, func(b *bench, _ *teamFiles) {
		c := b.tab()
		id := c.session(ada, "s", "solo")
		frames := c.says(ada, "w", id, "hello\n[NEXT: cy]")
		if h := b.head(id); h.Status != world.ConversationPaused || h.Reason != "Old Cy was asked, but nothing plays this member here." {
			t.Errorf("%s: %q", h.Status, h.Reason)
		}
		if count(frames, "session:saved") != 1 { // S2-B15
			t.Errorf("it came to rest without a save: %v", types(frames))
		}
	})
}

// Agents that always ask each other stop after the maximum number of turns in a row, and the party is saved. A resume
// continues with the member who was asked (S2-B14, S2-B15).
func TestPartyComesToRest_S2_B15(t *testing.T) {
	turns := 0
	play := cast(func(_ context.Context, q TurnRequest, emit func(Chunk) error) error {
		turns++
		return emit(Chunk{Text: "You go on.\n[NEXT: " + map[string]string{"cy": "di", "di": "cy"}[q.MemberID] + "]"})
	})
	onParty(t, play, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "duo")
		c.says(ada, "w", id, "begin\n[NEXT: cy]")
		c.pull()
		if turns != party.MaxTurns || count(c.frames, "session:saved") != 1 {
			t.Errorf("%d turns, %d saves", turns, count(c.frames, "session:saved"))
		}
		if h := b.head(id); h.Status != world.ConversationPaused || h.Reason != "Agents had 50 turns in a row. Say something, or resume." {
			t.Errorf("%s: %q", h.Status, h.Reason)
		}
		if p := c.world.Party; len(p.Queue) != 1 || p.Queue[0].Target != "cy" || p.WaitingFor != "ann" {
			t.Errorf("%+v", p)
		}
		c.send(ada, "r", &wire.ConversationResume{ConversationID: id})
		c.pull()
		if turns != 2*party.MaxTurns {
			t.Errorf("%d turns after a resume", turns)
		}
	})
}

// S2-B17, S2-B8: an agent's prompt has the newest five messages and no older ones, without routing markers, also in a
// restored session. The history keeps all messages.
func TestPartyTellsTheNewestFive_S2_B17(t *testing.T) {
	var prompt string
	play := cast(func(_ context.Context, q TurnRequest, emit func(Chunk) error) error {
		prompt = q.Prompt
		return emit(Chunk{Text: "I am told."})
	})
	onParty(t, play, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "duo")
		for i := range 6 {
			c.says(ada, fmt.Sprint("w", i), id, fmt.Sprintf("number %d\n[FROM: Ann] [TEAM_TASK: task %d]", i, i))
		}
		tells := func(request string, newest ...string) {
			t.Helper()
			c.says(ada, request, id, "and "+request+"\n[NEXT: cy]")
			c.pull()
			at := 0
			for _, words := range newest {
				i := strings.Index(prompt[at:], words)
				if i < 0 {
					t.Errorf("%s: %q is not told in its order:\n%s", request, words, prompt)
					return
				}
				at += i
			}
			for i := range 6 {
				if words := fmt.Sprint("number ", i); strings.Contains(prompt, words) && !slices.Contains(newest, words) {
					t.Errorf("%s: %q is told, beyond five:\n%s", request, words, prompt)
				}
			}
			if strings.Contains(prompt, "[FROM: Ann]") || strings.Contains(prompt, "[TEAM_TASK: task") || !strings.Contains(prompt, "task 5") {
				t.Errorf("%s: a marker is told, or not the task:\n%s", request, prompt)
			}
		}
		tells("more", "number 2", "number 3", "number 4", "number 5", "and more")
		c.session(ada, "s2", "solo")
		resumes(c, "r", "duo", id)
		tells("again", "number 4", "number 5", "and more", "I am told.", "and again")
		b.kill()
		b.start(true)
		c.again()
		tells("later", "and more", "I am told.", "and again", "I am told.", "and later")
		if got := b.script(id); len(got) != 12 || got[0] != "user:ann:number 0\n[FROM: Ann] [TEAM_TASK: task 0]" {
			t.Errorf("the history: %q", got)
		}
	})
}

// The routing markers in all rows of a run count when the run has ended well, also if a tool call is between the rows.
// A failed turn has no effect (P14.13).
func TestPartyAsksFromEveryRow(t *testing.T) {
	ends := error(nil)
	play := cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
		if q.MemberID == "di" {
			return emit(Chunk{Text: "Here."})
		}
		for _, chunk := range []Chunk{
			{Text: "I look first.\n[NEXT: di!P3]\n[TEAM_TASK: look]"}, {Tool: &ToolStart{CallID: "c", Name: "look", Reads: true}},
			{ToolEnd: &ToolEnd{CallID: "c", OK: true, Output: "seen [NEXT: di]"}}, {Text: "Seen. [NEXT: bob]"},
		} {
			if err := emit(chunk); err != nil {
				return err
			}
		}
		return ends
	})
	onParty(t, play, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "duo")
		c.says(ada, "w", id, "go\n[NEXT: cy]")
		c.pull()
		if p := c.world.Party; p.WaitingFor != "bob" || p.TeamTask != "look" || len(p.Queue) != 1 || p.Queue[0].Target != "di" || p.Queue[0].Intent != "P3" {
			t.Errorf("%+v", p)
		}
		c.says(ada, "d", id, "[DROP: ALL] [TEAM_TASK: none]")
		ends = &TurnError{Code: world.ChatModel, Message: "it broke"}
		c.says(ada, "w2", id, "again\n[NEXT: cy]")
		c.pull()
		if p := c.world.Party; p.WaitingFor != "ann" || p.TeamTask != "none" || len(p.Queue) != 0 {
			t.Errorf("after a failure: %+v", p)
		}
	})
}

// A session that is not the current one refuses words, pause and resume, and the error says which command restores it.
// When the current session is restored, its queue items keep their numbers.
func TestPartySessionNotAtHand(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		id := left(c)
		at := c.world.Party.ConversationID
		for request, cmd := range map[string]wire.Command{
			"w": &wire.ChatSend{ConversationID: id, Content: "hello\n[NEXT: cy]"},
			"p": &wire.ConversationPause{ConversationID: id},
			"r": &wire.ConversationResume{ConversationID: id},
		} {
			frames := c.send(ada, request, cmd)
			if e := find(frames, "error"); e == nil || e["code"] != string(wire.Conflict) || e["message"] != "this is not the current session; team:set with resumeSessionId restores it" {
				t.Errorf("%T: %v", cmd, e)
			}
		}
		if p := c.world.Party; p.ConversationID != at || len(b.rows(id)) != 5 {
			t.Errorf("%+v\n%q", p, b.script(id))
		}
		resumes(c, "r1", "duo", id)
		c.says(ada, "w1", id, "hello\n[NEXT: cy, di]")
		c.pull()
		asked := c.world.Party.Asked
		resumes(c, "r2", "duo", id)
		if p := c.world.Party; p.Asked != asked || asked != 2 {
			t.Errorf("items are numbered from %d again, not from %d", p.Asked, asked)
		}
		// A session without words cannot be restored (P14.14); a session with words stays and can be.
		empty := c.session(ada, "e", "solo")
		c.session(ada, "f", "duo")
		if h := b.head(empty); h.Status != world.ConversationAbandoned || h.Reason != "Nothing was said in it." {
			t.Errorf("%s: %q", h.Status, h.Reason)
		}
		if h := b.head(id); h.Status != world.ConversationPaused {
			t.Errorf("%s: %q", h.Status, h.Reason)
		}
	})
}

// S2-B11: nobody can make an agent speak first, not even by a command on the wire.
func TestPartyBeginsWithAPerson_S2_B11(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "duo")
		for request, cmd := range map[string]wire.Command{
			"w": &wire.ChatSend{ConversationID: id, Content: "Me first.", MemberID: "cy"},
			"t": &wire.TeamTakeMember{MemberID: "cy"},
			"r": &wire.ConversationResume{ConversationID: id},
		} {
			if got := refused(c.send(ada, request, cmd)); got != "First message must be from a human member" {
				t.Errorf("%T: %q", cmd, got)
			}
		}
		if p := c.world.Party; p.Newest != "" || p.Status != world.PartyPaused || len(b.rows(id)) != 0 {
			t.Errorf("%+v", p)
		}
	})
}

// A failed turn of a party is reported, a resume asks the same member again, and the second turn's prompt says how the
// first one ended.
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
		if got := b.head(id).Reason; got != "Old Cy failed. [NEXT: cy] asks again, resume goes on." {
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

// S2-08: a party that waits for another member than the first person waits for the first person after a kill, and no
// longer says that the other member is asked.
func TestPartyThatWaitedForAnother(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		id := c.session(ada, "s", "duo")
		c.says(ada, "w", id, "[NEXT: bob]")
		if h := b.head(id); c.world.Party.WaitingFor != "bob" || h.Reason != "Lord Bob is asked." {
			t.Fatalf("before the kill: %+v, %q", c.world.Party, h.Reason)
		}
		for range 2 {
			b.kill()
			b.start(true)
			c.again()
			c.pull()
			if h := b.head(id); c.world.Party.WaitingFor != "ann" || h.Reason != "The server was started again. Say something to go on." {
				t.Errorf("after the kill: %+v, %q", c.world.Party, h.Reason)
			}
		}
	})
}
