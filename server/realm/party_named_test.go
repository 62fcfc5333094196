package realm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/party"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// left returns a session of the team duo in which a task was set, both agents spoke and the person left during a turn.
// The current session is one of the team solo.
func left(c *tab) (id string) {
	c.b.t.Helper()
	c.v.Identify(ada.Listed())
	id = c.session(ada, "l1", "duo")
	c.says(ada, "l2", id, "hello\n[TEAM_TASK: mend it]\n[NEXT: cy, di]")
	c.pull()
	c.says(ada, "l3", id, "say wait\n[NEXT: di, cy]")
	other := c.session(ada, "l4", "solo")
	c.says(ada, "l5", other, "and you?")
	c.pull()
	return id
}

func resumes(c *tab, id, team, session string) []map[string]any {
	c.b.t.Helper()
	return c.send(ada, id, &wire.TeamSet{TeamID: team, ResumeSessionID: session})
}

// S2-18: the test cases that document 002 names in its section 13, one test each.
func TestNamedCases_S2_18(t *testing.T) {
	type named struct {
		name string
		run  func(t *testing.T, b *bench, c *tab, teams *teamFiles, id string)
	}
	sections := []struct {
		name  string
		cases []named
	}{
		{"setTeam with restore", []named{
			{"should restore session when resumeSessionId provided", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, id string) {
				frames := append(resumes(c, "r", "duo", id), c.pull()...)
				ready := find(frames, "team:ready")
				if count(frames, "team:ready") != 1 || ready["restored"] != true || ready["team"].(map[string]any)["id"] != "duo" || c.world.Party.ConversationID != id { // S2-03
					t.Errorf("S2-18: %v, %+v", ready, c.world.Party)
				}
			}},
			{"should start fresh when resumeSessionId not provided", func(t *testing.T, b *bench, c *tab, _ *teamFiles, id string) {
				frames := c.send(ada, "r", &wire.TeamSet{TeamID: "duo"})
				fresh := begun(t, frames)
				if fresh == id || count(frames, "team:ready") != 1 || find(frames, "team:ready")["restored"] != false || len(b.rows(fresh)) != 0 || c.world.Party.TeamTask != "" {
					t.Errorf("S2-18: %+v", c.world.Party)
				}
			}},
			{"should clear previous state before restore", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, id string) { // S2-02
				c.says(ada, "w", c.world.Party.ConversationID, "say wait\n[TEAM_TASK: another]\n[NEXT: cy]")
				frames := resumes(c, "r", "duo", id)
				first := find(frames, "party:update")["party"].(map[string]any)
				if first["status"] != world.PartyIdle || first["conversationId"] != "" || first["executing"] != nil || first["teamTask"] != "" || first["waitingFor"] != "" {
					t.Errorf("S2-02: before the restore it is %v", first)
				}
				if find(frames, "chat.cancelled") == nil {
					t.Error("S2-02: a turn of the session before goes on")
				}
			}},
		}},
		{"restoreSession", []named{
			{"should throw if team not set", func(t *testing.T, _ *bench, _ *tab, _ *teamFiles, _ string) { // S2-04
				b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: answers, teams: newTeams()}
				b.start(false)
				defer b.stop()
				c := b.tab()
				id := c.session(ada, "s", "duo")
				// A realm has lost its party and still has its transcripts.
				b.stop()
				for i, ev := range b.journal.events {
					if u, ok := ev.Body.(*world.PartyUpdated); ok {
						u.Party = world.Party{Status: world.PartyIdle}
						b.journal.events[i] = ev
					}
				}
				b.start(false)
				c = b.tab()
				if got := refused(c.send(ada, "r", &wire.ConversationResume{ConversationID: id})); got != "Team must be set before restoring session" {
					t.Errorf("S2-04: %q", got)
				}
				if got := refused(c.says(ada, "w", id, "hello")); got != "No team loaded. Use /team deploy <config> first" { // S2-B11
					t.Errorf("S2-04: %q", got)
				}
				if got := refused(c.send(ada, "x", &wire.TeamSet{TeamID: "ghost", ResumeSessionID: id})); got != "there is no team ghost" {
					t.Errorf("S2-04: %q", got)
				}
			}},
			{"should throw if session not found", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, _ string) { // S2-05
				want := "Session 'nowhere' not found for team 'duo'.\nUse --resume without ID to restore the latest session, or start a new session."
				if got := refused(resumes(c, "r", "duo", "nowhere")); got != want || c.world.Party.Status != world.PartyIdle {
					t.Errorf("S2-05: %q, %+v", got, c.world.Party)
				}
			}},
			{"should throw if teamId mismatch", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, id string) { // S2-06
				want := "Session teamId mismatch: snapshot is for team 'duo', but current team is 'solo'.\nPlease use the correct team configuration."
				if got := refused(resumes(c, "r", "solo", id)); got != want || c.world.Party.TeamID != "solo" {
					t.Errorf("S2-06: %q, %+v", got, c.world.Party)
				}
			}},
			{"should warn on member consistency issues", func(t *testing.T, _ *bench, c *tab, teams *teamFiles, id string) { // S2-09
				less := duo()
				less.Members = less.Members[:3]
				teams.set(less)
				frames := resumes(c, "r", "duo", id)
				if count(frames, "session:warning") != 1 || find(frames, "team:ready") == nil {
					t.Errorf("S2-09: %v", types(frames))
				}
			}},
			{"should migrate legacy speaker fields", func(t *testing.T, b *bench, c *tab, _ *teamFiles, _ string) { // S2-10
				old := &party.Snapshot{SchemaVersion: "1.0", TeamID: "duo", SessionID: "old", Context: party.Context{Messages: []party.Message{
					{ID: "1", Speaker: party.Speaker{RoleID: "cy", RoleName: "Cy", RoleTitle: "Old Cy"}, Content: "I was here."},
					{ID: "2", Speaker: party.Speaker{RoleID: "gone"}, Content: "So was I."},
				}}}
				b.takeIn(old)
				c.again()
				frames := resumes(c, "r", "duo", "old")
				rows := b.rows("old")
				if len(rows) != 2 || rows[0].MemberID != "cy" || rows[0].Name != "Cy" || rows[1].MemberID != "gone" || rows[1].Name != "gone" {
					t.Errorf("S2-10: %+v", rows)
				}
				if w := find(frames, "session:warning"); w == nil || !strings.Contains(fmt.Sprint(w["missingMembers"]), "id:gone name:gone") {
					t.Errorf("S2-10: %v", w)
				}
				if old.Context.Messages[0].Speaker.RoleID != "cy" {
					t.Error("S2-10: the original was changed")
				}
			}},
			{"should import context correctly", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, id string) { // S2-11
				resumes(c, "r", "duo", id)
				c.says(ada, "w", id, "prompt\n[NEXT: cy]")
				c.pull()
				for _, want := range []string{"mend it", "hello", "cy heard hello", "di heard hello", "Young Di", "[NEXT: name]"} {
					if !strings.Contains(c.b.prompt, want) {
						t.Errorf("S2-11: the next prompt lacks %q:\n%s", want, c.b.prompt)
					}
				}
			}},
			{"should rebuild session with correct stats", func(t *testing.T, b *bench, c *tab, _ *teamFiles, id string) { // S2-12
				later(time.Hour)
				before := b.head(id)
				frames := resumes(c, "r", "duo", id)
				stats := find(frames, "session:restored")["stats"].(map[string]any)
				if want := map[string]any{"totalMessages": 5.0, "messagesByRole": map[string]any{"ann": 2.0, "cy": 1.0, "di": 2.0}, "duration": 3600_000.0}; !reflect.DeepEqual(stats, want) {
					t.Errorf("S2-12: %v", stats)
				}
				h := b.head(id)
				if h.Title != "Restored - "+before.UpdatedAt.Go().UTC().Format("Jan 2, 03:04 PM") || h.Status != world.ConversationPaused || h.CreatedAt != before.CreatedAt {
					t.Errorf("S2-12: %+v", h)
				}
			}},
			{"should reset to Ready-Idle state", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, id string) { // S2-08
				resumes(c, "r", "duo", id)
				later(time.Hour)
				c.pull()
				if p := c.world.Party; p.Status != world.PartyPaused || len(p.Queue) != 0 || p.Executing != nil || p.WaitingFor != "ann" {
					t.Errorf("S2-08: %+v", p)
				}
			}},
		}},
		{"checkMemberConsistency", []named{
			{"should not warn when all members exist", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, id string) {
				if find(resumes(c, "r", "duo", id), "session:warning") != nil {
					t.Error("S2-18: it warns")
				}
			}},
			{"should warn with missing member names", func(t *testing.T, _ *bench, c *tab, teams *teamFiles, id string) {
				less := duo()
				less.Members = less.Members[:2]
				teams.set(less)
				got := find(resumes(c, "r", "duo", id), "session:warning")["message"]
				if got != "⚠️  Some speakers in history are not in current team: Cy, Di\n   Their messages will be displayed with original names." {
					t.Errorf("S2-18: %q", got)
				}
			}},
			{"should skip system messages", func(t *testing.T, b *bench, c *tab, _ *teamFiles, _ string) {
				// Messages of the system in an imported session are messages of the session.
				b.takeIn(&party.Snapshot{SchemaVersion: "1.0", TeamID: "duo", SessionID: "old", Context: party.Context{Messages: []party.Message{
					{ID: "1", Speaker: party.Speaker{ID: "ann", Name: "Ann"}, Content: "hello"},
					{ID: "2", Speaker: party.Speaker{ID: team.SystemID, Name: "system"}, Content: "Ann is here."},
				}}})
				c.again()
				frames := resumes(c, "r", "duo", "old")
				if find(frames, "session:warning") != nil || fmt.Sprint(find(frames, "session:restored")["messageCount"]) != "2" {
					t.Errorf("S2-18: the system is missing in the team: %v, %v", find(frames, "session:warning"), find(frames, "session:restored"))
				}
				// System rows that this server writes are not messages of the session.
				id := c.session(ada, "s", "duo")
				c.says(ada, "w", id, "hello\n[NEXT: ghost]") // a system row says that no member has that name
				c.session(ada, "s2", "solo")
				frames = resumes(c, "r2", "duo", id)
				if find(frames, "session:warning") != nil || fmt.Sprint(find(frames, "session:restored")["messageCount"]) != "1" {
					t.Errorf("S2-18: %v", frames)
				}
			}},
			{"should call onMemberConsistencyWarning callback", func(t *testing.T, _ *bench, c *tab, teams *teamFiles, id string) {
				less := duo()
				less.Members = less.Members[:3]
				teams.set(less)
				got := find(resumes(c, "r", "duo", id), "session:warning")["missingMembers"]
				if !reflect.DeepEqual(got, []any{map[string]any{"id": "di", "name": "Di"}}) {
					t.Errorf("S2-18: %v", got)
				}
			}},
		}},
		{"saveCurrentSession", []named{
			{"should save snapshot to storage", func(t *testing.T, b *bench, _ *tab, _ *teamFiles, id string) { // S2-B3
				saved, err := b.journal.Conversation(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				file, err := party.NewSnapshot(saved.Conversation, b.rows(id), time.Now()).File()
				back, e := party.ParseSnapshot(file)
				if err != nil || e != nil || len(back.Context.Messages) != 5 || back.Context.TeamTask != "mend it" || back.Metadata.Summary != `5 messages - "hello"` {
					t.Errorf("S2-B3: %v, %v\n%s", err, e, file)
				}
			}},
			{"should not throw on save error", func(t *testing.T, b *bench, c *tab, _ *teamFiles, _ string) { // S2-15
				at := c.world.Party.ConversationID
				b.journal.set(errors.New("permission denied"), nil)
				frames := c.says(ada, "w", at, "still here")
				if s := find(frames, "save:status"); s == nil || s["message"] != "❌  Failed to save session: permission denied" || find(frames, "error") != nil {
					t.Errorf("S2-15: %v", s)
				}
				c.says(ada, "w2", at, "and you?\n[NEXT: cy]")
				b.journal.set(nil, nil)
				later(commit.LastRetry + time.Second)
				c.pull()
				if got := b.script(at); got[len(got)-1] != "assistant:cy:cy heard and you?" {
					t.Errorf("S2-15: the talk stopped: %q", got)
				}
			}},
			{"should emit session:saved event", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, _ string) { // S2-16
				at := c.world.Party.ConversationID
				saved := find(c.says(ada, "w", at, "well"), "session:saved")
				if saved == nil || saved["sessionId"] != at || saved["conversationId"] != at || saved["seq"] != nil {
					t.Errorf("S2-16: %v", saved)
				}
			}},
		}},
		{"save triggers", []named{ // S2-13
			{"should save on turn completion (AI → Human)", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, _ string) {
				at := c.world.Party.ConversationID
				frames := append(c.says(ada, "w", at, "well\n[NEXT: cy]"), c.pull()...)
				if order := types(frames); count(frames, "session:saved") != 1 || slices.Index(order, "session:saved") < slices.Index(order, "assistant.segment.closed") {
					t.Errorf("S2-18: %v", order)
				}
			}},
			{"should save on stop()", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, _ string) {
				at := c.world.Party.ConversationID
				frames := c.send(ada, "x", &wire.ConversationClose{ConversationID: at})
				if saved := find(frames, "session:saved"); saved == nil || saved["sessionId"] != at || c.world.Party.ConversationID != "" {
					t.Errorf("S2-18: %v", types(frames))
				}
				empty := c.session(ada, "e", "solo") // S2-14
				if frames := c.send(ada, "y", &wire.ConversationAbort{ConversationID: empty}); find(frames, "session:saved") != nil {
					t.Error("S2-18: a session of nothing is saved")
				}
			}},
			{"should save on user cancellation", func(t *testing.T, _ *bench, c *tab, _ *teamFiles, _ string) {
				at := c.world.Party.ConversationID
				c.says(ada, "w", at, "say wait\n[NEXT: cy]")
				frames := c.send(ada, "", &wire.ChatCancel{ConversationID: at, RequestID: c.running()})
				if order := types(frames); count(frames, "session:saved") != 1 || slices.Index(order, "session:saved") < slices.Index(order, "chat.cancelled") {
					t.Errorf("S2-18: %v", order)
				}
			}},
		}},
	}
	var counts []int
	for _, section := range sections {
		counts = append(counts, len(section.cases))
	}
	if !slices.Equal(counts, []int{3, 8, 4, 3, 3}) {
		t.Errorf("S2-18: the document names 3, 8, 4, 3 and 3 cases, here are %v", counts)
	}
	for _, section := range sections {
		for _, c := range section.cases {
			t.Run(section.name+"/"+c.name, func(t *testing.T) {
				var at *bench
				play := cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
					at.prompt = q.Prompt
					return answers(ctx, q, emit)
				})
				onParty(t, play, func(b *bench, teams *teamFiles) {
					at = b
					tab := b.tab()
					id := left(tab)
					c.run(b.t, b, tab, teams, id)
				})
			})
		}
	}
}
