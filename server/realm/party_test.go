package realm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/party"
	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// teamFiles has the teams of a test. set changes a team's file while an actor can read it.
type teamFiles struct{ list atomic.Pointer[[]*world.Team] }

func (f *teamFiles) Teams() []*world.Team { return *f.list.Load() }

func (f *teamFiles) Team(id string) (*world.Team, error) {
	for _, t := range f.Teams() {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no team %s", id)
}

func (f *teamFiles) set(t world.Team) {
	list := slices.DeleteFunc(slices.Clone(f.Teams()), func(have *world.Team) bool { return have.ID == t.ID })
	list = append(list, &t)
	f.list.Store(&list)
}

// duo returns a team of two people and two agents; solo returns a team of one person and one agent.
func duo() world.Team {
	return world.Team{ID: "duo", Name: "The Two", Members: []world.Member{
		{ID: "ann", Name: "Ann", DisplayName: "Lady Ann", Type: world.KindHuman, Role: "person", Color: "#aaaaaa", Order: 0},
		{ID: "bob", Name: "Bob", DisplayName: "Lord Bob", Type: world.KindHuman, Role: "person", Color: "#bbbbbb", Order: 1},
		{ID: "cy", Name: "Cy", DisplayName: "Old Cy", Type: world.KindAgent, Role: "sage", Color: "#cccccc", Order: 2},
		{ID: "di", Name: "Di", DisplayName: "Young Di", Type: world.KindAgent, Role: "bard", Color: "#dddddd", Order: 3},
	}}
}

func solo() world.Team {
	d := duo()
	return world.Team{ID: "solo", Name: "The One", Members: []world.Member{d.Members[0], d.Members[2]}}
}

func newTeams() *teamFiles {
	d, s := duo(), solo()
	f := &teamFiles{}
	f.list.Store(&[]*world.Team{&d, &s})
	return f
}

// answers plays the members of a party by the words that they get: it answers "say X" with X.
func answers(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
	_, text, found := strings.Cut(t.Words, "say ")
	switch who, asks := strings.CutPrefix(t.Words, "ask "); {
	case asks:
		text = "You?\n[NEXT: " + who + "]"
	case !found:
		text = t.MemberID + " heard " + t.Words
	case text == "wait":
		if err := emit(Chunk{Text: "half a"}); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	case text == "fail":
		return &TurnError{Code: world.ChatModel, Message: "it broke"}
	}
	return emit(Chunk{Text: text})
}

func onParty(t *testing.T, play cast, f func(b *bench, teams *teamFiles)) {
	synctest.Test(t, func(t *testing.T) {
		teams := newTeams()
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, teams: teams}
		b.start(false)
		f(b, teams)
		b.stop()
	})
}

// session sends the command that begins a session of a team, and returns the session's id.
func (c *tab) session(who Person, id, team string) string {
	c.b.t.Helper()
	return begun(c.b.t, c.send(who, id, &wire.TeamSet{TeamID: team}))
}

func (c *tab) says(who Person, id, talk, words string) []map[string]any {
	c.b.t.Helper()
	return c.send(who, id, &wire.ChatSend{ConversationID: talk, Content: words})
}

// refused returns the text of the error among frames, "" for none.
func refused(frames []map[string]any) string {
	if e := find(frames, "error"); e != nil {
		return e["message"].(string)
	}
	return ""
}

// S2-02, S2-03, S2-08, S2-B8, S2-B13: a session begins paused and waits for the first person. Words ask agents, and
// agents ask others. Routing markers are in no row. P14.1.
func TestPartyTalks(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		frames := c.send(ada, "s", &wire.TeamSet{TeamID: "solo"})
		id := begun(t, frames)
		ready := find(frames, "team:ready")
		if ready == nil || ready["restored"] != false || ready["conversationId"] != id {
			t.Fatalf("S2-03: %v", ready)
		}
		if first := frames[0]; first["requestId"] != "s" {
			t.Errorf("the first event does not carry the command's requestId: %v", first)
		}
		if p := c.world.Party; p.Status != world.PartyPaused || p.WaitingFor != "ann" || b.head(id).Status != world.ConversationPaused {
			t.Fatalf("it begins as %+v", p)
		}
		frames = c.says(ada, "w1", id, "hello there\n[TEAM_TASK: mend the roof]\n[NEXT: Old_Cy]")
		if f := find(frames, "chat.started"); f["requestId"] != "w1" {
			t.Errorf("answer: %v", f)
		}
		synctest.Wait()
		c.pull()
		wantScript(t, b, id, "user:ann:hello there\n[TEAM_TASK: mend the roof]", "assistant:cy:cy heard hello there")
		if p := c.world.Party; p.Status != world.PartyPaused || p.WaitingFor != "ann" || p.TeamTask != "mend the roof" || p.Executing != nil {
			t.Errorf("S2-B13: %+v", p)
		}
		if m := b.rows(id)[0]; m.Name != "Lady Ann" || m.SpectatorID != "p1" {
			t.Errorf("who said it: %+v", m)
		}
		c.says(ada, "w2", id, "[NEXT: cy]")
		c.pull()
		if got := b.script(id); !slices.Equal(got[2:], []string{"user:ann:", "assistant:cy:cy heard "}) {
			t.Errorf("words that only route: %q", got)
		}
	})
}

func (b *bench) rows(id string) []world.Message {
	t, err := b.journal.tables()
	if err != nil {
		b.t.Fatal(err)
	}
	var out []world.Message
	for _, m := range t.rows {
		if m.ConversationID == id {
			out = append(out, *m)
		}
	}
	return out
}

// S2-B10, S2-B12, S2-B14: words belong to the person who is registered on the connection. Unknown names are skipped
// with a note. Words during a turn go into the queue. Agents ask each other and a person.
func TestPartyRoutes(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c, d := b.tab(), b.tab()
		c.v.Identify(ada.Listed())
		d.v.Identify(ben.Listed())
		id := c.session(ada, "s", "duo")
		c.says(ada, "w1", id, "ask di\n[NEXT: cy, ghost]")
		synctest.Wait()
		c.pull()
		wantScript(t, b, id, "user:ann:ask di", "system::Skipped unknown members: ghost. Available: Ann, Bob, Cy, Di",
			"assistant:cy:You?", "assistant:di:di heard You?")
		if p := c.world.Party; p.WaitingFor != "ann" || !slices.Equal(p.Seats, []world.PartySeat{{MemberID: "ann", SpectatorID: "p1"}}) {
			t.Errorf("party: %+v", p)
		}
		// Ben cannot speak as Ann, whatever he writes: his words belong to Bob, whose seat is free.
		d.pull()
		d.says(ben, "w2", id, "I am Ann [FROM: Ann]")
		if rows := b.rows(id); rows[4].MemberID != "bob" || !strings.Contains(rows[5].Content, "[FROM: Ann] was not followed") {
			t.Errorf("S2-B10: %+v", rows[4:])
		}
		// Words during a turn go into the queue.
		c.pull()
		c.says(ada, "w3", id, "say wait\n[NEXT: cy]")
		d.says(ben, "w4", id, "and you?\n[NEXT: di]")
		if p := d.world.Party; p.Executing == nil || p.Executing.Target != "cy" || len(p.Queue) != 1 || p.Queue[0].Target != "di" {
			t.Fatalf("it does not queue: %+v", p)
		}
		// S2-B14: each change sends who is asked, whose turn it is, and the number of turns.
		told := find(d.frames[len(d.frames)-2:], "party:update")["party"].(map[string]any)
		queue, executing := told["queue"].([]any), told["executing"].(map[string]any)
		item := func(n float64, target, parent string) map[string]any {
			return map[string]any{"n": n, "target": target, "parent": parent, "intent": "P2"}
		}
		rows := b.rows(id)
		if want := item(4, "di", rows[len(rows)-1].MessageID); len(queue) != 1 || !reflect.DeepEqual(queue[0], want) {
			t.Errorf("S2-B14: the queue is told as %v, want %v", queue, want)
		}
		if executing["target"] != "cy" || executing["n"] != 3.0 || told["asked"] != 4.0 || told["turns"] != 0.0 || told["local"] != 0.0 {
			t.Errorf("S2-B14: %v", told)
		}
		run := find(c.frames[len(c.frames)-6:], "chat.started")["requestId"].(string)
		c.send(ada, "", &wire.ChatCancel{ConversationID: id, RequestID: run})
		if p := c.world.Party; p.Status != world.PartyPaused || p.WaitingFor != "ann" || len(p.Queue) != 1 || p.Executing != nil {
			t.Fatalf("after a cancel: %+v", p)
		}
		if saved := find(c.frames[len(c.frames)-3:], "session:saved"); saved == nil || saved["sessionId"] != id {
			t.Error("S2-13: a cancel is no save point")
		}
		c.send(ada, "r", &wire.ConversationResume{ConversationID: id})
		c.pull()
		if got := b.script(id); got[len(got)-1] != "assistant:di:di heard and you?" {
			t.Errorf("resumed: %q", got)
		}
		// P9.13: a second person who pauses it, or resumes it, too late is no error, and nothing changes.
		before := c.world.Party
		reply := find(c.send(ada, "p", &wire.ConversationPause{ConversationID: id}), "command:reply")
		if reply == nil || reply["text"] != "The party waits." || reply["seq"] != nil {
			t.Errorf("pause twice: %v", reply)
		}
		if !reflect.DeepEqual(c.world.Party, before) {
			t.Errorf("a pause that came too late changed %+v to %+v", before, c.world.Party)
		}
	})
}

// S2-05, S2-06, S2-07, S2-09, S2-12, S2-16: a session is restored in the steps of document 002. If that is not
// possible, the error has the document's words, and there is no current session. P14.3, P14.5.
func TestPartyRestores(t *testing.T) {
	onParty(t, answers, func(b *bench, teams *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		first := c.session(ada, "s1", "duo")
		c.says(ada, "w1", first, "hello\n[TEAM_TASK: mend it]\n[NEXT: cy, di]")
		c.pull()
		second := c.session(ada, "s2", "solo")
		if b.head(first).Status != world.ConversationPaused || c.world.Party.ConversationID != second {
			t.Fatalf("another team: %+v", c.world.Party)
		}
		less := duo()
		less.Members = slices.Delete(less.Members, 3, 4)
		teams.set(less)

		idle := func(want string, frames []map[string]any, team string) {
			t.Helper()
			if got := refused(frames); got != want {
				t.Errorf("error %q, want %q", got, want)
			}
			p := c.world.Party
			if p.TeamID != team || p.ConversationID != "" || p.Status != world.PartyIdle || find(frames, "team:ready") != nil {
				t.Errorf("after a failure: %+v", p)
			}
		}
		idle(party.NotFound("nowhere", "duo"), c.send(ada, "r1", &wire.TeamSet{TeamID: "duo", ResumeSessionID: "nowhere"}), "duo")
		idle("Session teamId mismatch: snapshot is for team 'duo', but current team is 'solo'.\nPlease use the correct team configuration.",
			c.send(ada, "r2", &wire.TeamSet{TeamID: "solo", ResumeSessionID: first}), "solo")

		updated := b.head(first).UpdatedAt
		frames := c.send(ada, "r3", &wire.TeamSet{TeamID: "duo", ResumeSessionID: first})
		order := []string{"party:update", "session:warning", "conversation.team", "conversation.renamed", "conversation.status",
			"party:update", "session:saved", "session:restored", "team:ready", "command:reply"}
		if got := types(frames); !slices.Equal(got, order) {
			t.Errorf("S2-07: %v, want %v", got, order)
		}
		warning := find(frames, "session:warning")
		if got := warning["message"]; got != "⚠️  Some speakers in history are not in current team: Di\n   Their messages will be displayed with original names." {
			t.Errorf("S2-09: %q", got)
		}
		if got := fmt.Sprint(warning["missingMembers"]); got != "[map[id:di name:Di]]" {
			t.Errorf("S2-09: %v", got)
		}
		if got, want := b.head(first).Title, "Restored - "+updated.Go().UTC().Format("Jan 2, 03:04 PM"); got != want {
			t.Errorf("S2-12: title %q, want %q", got, want)
		}
		if status := find(frames, "conversation.status"); b.journal.who[int64(status["seq"].(float64))-1] != ada.SpectatorID {
			t.Errorf("the audit does not name who restored the session: %v", status)
		}
		restored := find(frames, "session:restored")
		if fmt.Sprint(restored["messageCount"]) != "3" || fmt.Sprint(restored["stats"].(map[string]any)["messagesByRole"]) != "map[ann:1 cy:1 di:1]" {
			t.Errorf("S2-16: %v", restored)
		}
		p := c.world.Party
		if p.Status != world.PartyPaused || p.WaitingFor != "ann" || len(p.Queue) != 0 || p.Executing != nil || p.TeamTask != "mend it" || p.ConversationID != first {
			t.Errorf("S2-08: %+v", p)
		}
		if again := c.send(ada, "r3", &wire.TeamSet{TeamID: "duo", ResumeSessionID: first}); len(again) != 1 || again[0]["type"] != "command:reply" {
			t.Errorf("sent again: %v", types(again))
		}
		c.says(ada, "w9", first, "who is there?\n[NEXT: cy]")
		c.pull()
		if got := b.script(first); got[len(got)-1] != "assistant:cy:cy heard who is there?" {
			t.Errorf("it does not go on: %q", got)
		}
		listed := find(c.send(ada, "l", &wire.TeamList{}), "team:listed")
		if got := fmt.Sprint(listed); !strings.Contains(got, `5 messages - "hello"`) || !strings.Contains(got, first) || strings.Contains(got, second) {
			t.Errorf("S2-B3: %v", got)
		}
	})
}

// S2-08, S2-09: after a kill the current session is Ready-Idle. If a member has left the team meanwhile, a warning has
// the member's old name, and the party waits. P14.15.
func TestPartyOutlivesAKill(t *testing.T) {
	onParty(t, answers, func(b *bench, teams *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "duo")
		c.says(ada, "w1", id, "hello\n[TEAM_TASK: mend it]\n[NEXT: di]")
		c.pull()
		c.says(ada, "w2", id, "say wait\n[NEXT: cy, di]")
		if p := c.world.Party; p.Executing == nil || len(p.Queue) != 1 {
			t.Fatalf("before the kill: %+v", p)
		}
		b.kill()
		less := duo()
		less.Members = slices.Delete(less.Members, 3, 4)
		teams.set(less)
		b.start(true)
		c.again()
		c.pull()
		p := c.world.Party
		if p.Status != world.PartyPaused || p.WaitingFor != "ann" || len(p.Queue) != 0 || p.Executing != nil || p.Asked != 3 {
			t.Errorf("after the kill: %+v", p)
		}
		if ags := c.world.Agents; len(ags) != 1 || ags[0].ID != "cy" || ags[0].Status != world.AgentIdle {
			t.Errorf("on the map: %+v", ags) // members of the team stay on the map, and former members leave it
		}
		if len(p.Called) != 2 || !slices.Equal(p.Called[1].MemberIDs, []string{"cy", "di"}) {
			t.Errorf("P14.1: whom the messages asked is lost: %+v", p.Called)
		}
		if p.TeamTask != "mend it" || !slices.Equal(p.Seats, []world.PartySeat{{MemberID: "ann", SpectatorID: "p1"}}) {
			t.Errorf("the task and who speaks for whom are kept: %+v", p)
		}
		if h := b.head(id); h.Status != world.ConversationPaused || h.Member("di") != nil || h.Reason == "" {
			t.Errorf("after the kill: %+v", h)
		}
		warning := find(c.frames, "session:warning")
		if warning == nil || !strings.Contains(warning["message"].(string), "not in current team: Di\n") {
			t.Errorf("S2-09: %v", warning)
		}
		if late := b.tab(); find(late.frames, "session:warning") == nil && !strings.Contains(fmt.Sprint(find(late.frames, "world:state")["recent"]), "team: Di") {
			t.Error("who comes later does not see the warning")
		}
		c.says(ada, "w3", id, "are you there?\n[NEXT: di]")
		if got := b.script(id); got[len(got)-1] != "system::Skipped unknown members: di. Available: Ann, Bob, Cy" {
			t.Errorf("it does not wait: %q", got)
		}
		b.kill()
		b.start(true)
		c.again()
		if n := count(c.pull(), "session:warning"); n != 0 {
			t.Errorf("it is warned again: %d", n)
		}
	})
}

// S2-13, S2-15: if the disk refuses a save, people get the sentence of document 002, the conversation continues, and
// session:saved is sent when the save has succeeded.
func TestPartySaveFails(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "solo")
		b.journal.set(fmt.Errorf("commit: %w", errors.New("disk is full")), nil)
		frames := c.says(ada, "w1", id, "hello")
		status := find(frames, "save:status")
		if status == nil || status["message"] != "❌  Failed to save session: disk is full" {
			t.Errorf("S2-15: %v", status)
		}
		if find(frames, "session:saved") != nil {
			t.Error("it says saved what is not")
		}
		c.says(ada, "w2", id, "still here?")
		b.journal.set(nil, nil)
		time.Sleep(commit.LastRetry + time.Second)
		if n := count(c.pull(), "session:saved"); n != 2 {
			t.Errorf("S2-13: %d save points are said once the disk is back", n)
		}
		wantScript(t, b, id, "user:ann:hello", "user:ann:still here?")
	})
}

// playParty plays a party with everything that can happen in one, and ends during a turn.
func playParty(c *tab, teams *teamFiles) (id string) {
	c.b.t.Helper()
	id = c.session(ada, "p1", "duo")
	c.says(ada, "p2", id, "hello\n[TEAM_TASK: mend the roof]\n[NEXT: cy, ghost]")
	c.pull()
	c.says(ben, "p3", id, "say `[NEXT: di]`\n[FROM: Ann] [NEXT: di!P3, cy!P1]")
	c.pull()
	c.says(ada, "p4", id, "say wait\n[NEXT: cy]")
	c.says(ben, "p5", id, "ask bob\n[NEXT: di]")
	c.send(ada, "p6", &wire.ConversationPause{ConversationID: id})
	if run := c.running(); run != "" {
		c.send(ada, "", &wire.ChatCancel{ConversationID: id, RequestID: run})
	}
	c.send(ada, "p7", &wire.ConversationResume{ConversationID: id})
	c.pull()
	c.says(ben, "p8", id, "say fail\n[NEXT: cy]")
	c.pull()
	c.send(ada, "p9", &wire.TeamTakeMember{MemberID: "ann"})
	other := begun(c.b.t, c.send(ben, "p10", &wire.ConversationStart{Kind: world.KindParty, TeamID: "solo", Title: "one by one"}))
	c.says(ada, "p11", other, "and you?\n[NEXT: cy]")
	c.pull()
	c.send(ada, "p12", &wire.TeamSet{TeamID: "duo", ResumeSessionID: "nowhere"})
	c.send(ada, "p13", &wire.TeamSet{TeamID: "duo", ResumeSessionID: id})
	grown := duo()
	grown.Members = append(grown.Members, world.Member{ID: "ed", Name: "Ed", DisplayName: "Ed", Type: world.KindAgent, Role: "scout", Color: "#eeeeee", Order: 4})
	teams.set(grown)
	c.says(ada, "p14", id, "welcome\n[NEXT: ed]")
	c.pull()
	c.send(ada, "p15", &wire.ConversationAbort{ConversationID: id})
	c.send(ada, "p16", &wire.TeamSet{TeamID: "duo", ResumeSessionID: id})
	c.says(ada, "p17", id, "say wait\n[NEXT: cy, di, bob]")
	c.says(ben, "p18", id, "[DROP: di]")
	return id
}

// running returns the newest run under way, "" for none.
func (c *tab) running() string {
	out := ""
	for _, f := range c.frames {
		switch f["type"] {
		case "chat.started":
			if f["status"] == world.RunRunning {
				out = f["requestId"].(string)
			}
		case "chat.done", "chat.error", "chat.cancelled":
			if f["requestId"] == out {
				out = ""
			}
		}
	}
	return out
}

// takeIn kills the realm and opens it again with a session file to import.
func (b *bench) takeIn(s *party.Snapshot) {
	b.t.Helper()
	b.kill()
	taken := make(chan struct{})
	file := fileOf(b.t, s, func() { close(taken) })
	file.Name = "old.json"
	b.given = []sessionFile{file}
	b.start(true)
	<-taken
	b.given = nil
}

// S2-01: until a restore has ended, nobody can speak in the party or set another team. Commands that come meanwhile are
// refused in their order.
func TestPartyTakesNoWordsWhileItIsRestored(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		id := left(c)
		gate := make(chan struct{})
		b.journal.set(nil, gate)
		frames := c.send(ada, "r", &wire.TeamSet{TeamID: "duo", ResumeSessionID: id})
		frames = append(frames, c.says(ada, "w", id, "too early")...)
		again := b.tab() // the sender's page was reloaded and sends the words again
		again.send(ada, "r", &wire.TeamSet{TeamID: "duo", ResumeSessionID: id})
		frames = append(frames, c.send(ben, "x", &wire.TeamSet{TeamID: "solo"})...)
		frames = append(frames, c.send(ben, "y", &wire.TeamTakeMember{})...)
		if len(frames) != 0 {
			t.Fatalf("shown before it is on disk: %v", types(frames))
		}
		b.journal.set(nil, nil)
		close(gate)
		frames = c.pull()
		frames = slices.DeleteFunc(frames, func(f map[string]any) bool { return f["type"] == "session:saved" })
		if got := types(frames); !slices.Equal(got[:4], []string{"party:update", "error", "error", "error"}) || got[len(got)-2] != "team:ready" {
			t.Errorf("%v", got)
		}
		for _, f := range frames[1:4] {
			if f["message"] != party.RestoringNow.Message {
				t.Errorf("%v", f)
			}
		}
		for _, row := range b.rows(id) {
			if row.Content == "too early" {
				t.Error("words were taken before the restore had ended")
			}
		}
		if got := find(again.pull(), "command:reply"); got == nil || got["requestId"] != "r" {
			t.Errorf("sent again it hears %v", got)
		}
		if n := count(c.frames, "session:restored"); n != 1 {
			t.Errorf("restored %d times", n)
		}
		resumes(c, "f", "duo", "nowhere")
		if frames := resumes(c, "f", "duo", "nowhere"); len(frames) != 1 || refused(frames) == "" {
			t.Errorf("a failure, sent again: %v", types(frames))
		}
		resumes(c, "r2", "duo", id)
		c.says(ada, "w3", id, "now")
		if got := b.script(id); got[len(got)-1] != "user:ann:now" {
			t.Errorf("%q", got)
		}
	})
}

// S2-B8, S2-B10: markers in code and quotes have no effect. Words cannot make another member seem to have spoken:
// neither a person by an agent's words nor an agent by a person's.
func TestPartyFakes(t *testing.T) {
	fake := cast(func(_ context.Context, t TurnRequest, emit func(Chunk) error) error {
		return emit(Chunk{Text: "Ann says:\n> [NEXT: di]\n```\n[NEXT: di]\n```\n[FROM: ann] I agree. `[NEXT: di]`"})
	})
	onParty(t, fake, func(b *bench, _ *teamFiles) {
		c := b.tab()
		c.v.Identify(ada.Listed())
		id := c.session(ada, "s", "duo")
		c.says(ada, "w", id, "> [NEXT: di]\nwhat does that do?\n[FROM: di] [NEXT: cy]")
		c.pull()
		var who []string
		for _, m := range b.rows(id) {
			who = append(who, m.Role+":"+m.MemberID+":"+m.SpectatorID)
		}
		if !slices.Equal(who, []string{"user:ann:p1", "system::", "assistant:cy:"}) {
			t.Errorf("who spoke: %q\n%q", who, b.script(id))
		}
		if p := c.world.Party; p.Status != world.PartyPaused || p.Asked != 1 {
			t.Errorf("%+v", p)
		}
		if e := refused(c.send(ben, "x", &wire.ChatSend{ConversationID: id, Content: "I am Ann", MemberID: "ann"})); !strings.Contains(e, "somebody else speaks as Lady Ann") {
			t.Errorf("%q", e)
		}
		if e := refused(c.send(ben, "y", &wire.ChatSend{ConversationID: id, Content: "I am Cy", MemberID: "cy"})); !strings.Contains(e, "is an agent") {
			t.Errorf("%q", e)
		}
	})
}

// Every way into the status paused sends session:saved (S2-B15). P14.4.
func TestPartyEveryPathIntoPausedSaves_S2_B15(t *testing.T) {
	for name, path := range map[string]func(c *tab, id string){
		"words that ask nobody":      func(c *tab, id string) { c.says(ada, "w", id, "well") },
		"words that ask a stranger":  func(c *tab, id string) { c.says(ada, "w", id, "[NEXT: ghost]") },
		"an agent's last words":      func(c *tab, id string) { c.says(ada, "w", id, "hm\n[NEXT: cy]") },
		"an agent asks a person":     func(c *tab, id string) { c.says(ada, "w", id, "ask bob\n[NEXT: cy]") },
		"an agent asks a stranger":   func(c *tab, id string) { c.says(ada, "w", id, "ask ghost\n[NEXT: cy]") },
		"a turn that fails":          func(c *tab, id string) { c.says(ada, "w", id, "say fail\n[NEXT: cy]") },
		"a turn that takes too long": func(c *tab, id string) { c.says(ada, "w", id, "say wait\n[NEXT: cy]"); time.Sleep(3 * time.Minute) },
		"somebody dismisses it": func(c *tab, id string) {
			c.says(ada, "w", id, "say wait\n[NEXT: cy]")
			c.send(ada, "d", &wire.DismissAgent{AgentID: "cy"})
		},
		"a pause": func(c *tab, id string) {
			c.says(ada, "w", id, "say wait\n[NEXT: cy]")
			c.send(ada, "p", &wire.ConversationPause{ConversationID: id})
		},
		"another team": func(c *tab, id string) {
			c.says(ada, "w", id, "say wait\n[NEXT: cy]")
			c.send(ada, "t", &wire.TeamSet{TeamID: "solo"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			onParty(t, answers, func(b *bench, _ *teamFiles) {
				c := b.tab()
				c.v.Identify(ada.Listed())
				id := c.session(ada, "s", "duo")
				path(c, id)
				c.pull()
				saved := find(c.frames, "session:saved")
				if saved == nil || saved["sessionId"] != id || b.head(id).Status != world.ConversationPaused {
					t.Errorf("saved: %v, %s", saved, b.head(id).Status)
				}
			})
		})
	}
}

// later lets d pass in the bubble.
func later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// /team lists the teams, and begins a session of a team.
func TestTeamWord(t *testing.T) {
	onParty(t, answers, func(b *bench, _ *teamFiles) {
		c := b.tab()
		say := func(id, text string) map[string]any {
			return find(c.send(ada, id, &wire.PlayerCommand{Text: text}), "command:reply")
		}
		if got := say("a", "/team"); got["text"] != "Teams: duo (The Two), solo (The One). /team deploy ID begins a session of one." {
			t.Errorf("%v", got)
		}
		if got := say("b", "/team deploy solo"); got == nil || c.world.Party.TeamID != "solo" {
			t.Errorf("%v, %+v", got, c.world.Party)
		}
		if got := refused(c.send(ada, "c", &wire.PlayerCommand{Text: "/team eat"})); got != "say /team, or /team deploy ID" {
			t.Errorf("%q", got)
		}
	})
}
