package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Every event of this version is read byte for byte as it was shown, whatever the text of its row is.
func TestReadGivesWhatWasShown(t *testing.T) {
	texts := []string{
		"", "plain", `"quoted" and \back\slash`, "line\nbreak\ttab\r\u0000\u0001\u001f\u007f", "<script>&amp;</script>\u2028\u2029",
		"\U0001f409 dragon, \u00e9, \u0301 combining", "not \xff\xfe UTF-8 \xc3", `{"content":"in it"}`, `,"content":"`, strings.Repeat("long ", 1<<18),
	}
	r := storetest.NewRig(t)
	n, tool := 0, "lost"
	for _, text := range texts {
		for _, body := range append(world.Bodies(), &world.ToolStart{}, &world.ToolOutput{}, &world.ToolEnd{}) {
			n++
			id := fmt.Sprint(n)
			switch b := body.(type) {
			case *world.ConversationStarted:
				b.Conversation = world.Conversation{ConversationID: "c" + id, Title: text, Team: world.Team{Name: text}}
			case *world.ChatStarted:
				*b = world.ChatStarted{ConversationID: "c", RequestID: "r" + id, Message: &world.Message{MessageID: "m" + id, Name: text, Content: text}}
			case *world.SegmentStarted:
				b.MessageID, b.RequestID, b.Name = "m"+id, "r"+id, text
			case *world.SegmentClosed:
				b.Message = world.Message{MessageID: "m" + id, Name: text, Content: text, Status: world.MessageDone}
			case *world.MessageAdded:
				b.Message = world.Message{MessageID: "m" + id, Name: text, Content: text, StageID: text}
			case *world.ToolStart:
				tool = "m" + id
				b.MessageID, b.RequestID, b.Name, b.Input = tool, "r"+id, text, text
			case *world.ToolOutput:
				b.MessageID, b.Text = tool, text
			case *world.ToolEnd:
				b.MessageID, b.Output = tool, text
				tool = "lost" + id // the next end has no start
				if cut, is := world.Cut(text, 8); is && len(text) < 50 {
					b.Output, b.Full, b.Cut = cut, text, true
				}
			case *world.FindingPosted:
				b.Finding.Text = text
			case *world.ArtifactSaved:
				b.Artifact.Text = text
			}
			batch := r.Batch(body)
			if end, ok := body.(*world.ToolEnd); len(text) > 1<<20 && batch.Records[0].Event.Row() == nil && (!ok || end.Cut) {
				continue // only rows have texts of a megabyte
			}
			if err := r.O.Journal.Commit(batch); err != nil {
				t.Fatal(err)
			}
			r.W.Tick++
			r.Frames = append(r.Frames, batch.Records[0].Frame)
		}
	}
	if got := storetest.ReadAll(t, r.O.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	r.Close()
	o := storetest.MustOpen(t, r.Dir)
	if got := storetest.ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ after a restart")
	}
	for _, m := range must2(t)(o.Journal.Rows(t.Context(), "", "", 0, 1000)) {
		if !slices.ContainsFunc(texts, func(text string) bool {
			if m.Role == world.RoleTool && m.Status == world.MessageOpen {
				text += text
			}
			return text == m.Content || m.Tool != nil && m.Tool.Cut && strings.HasPrefix(text, m.Content)
		}) {
			t.Fatalf("row %s says %q", m.MessageID, m.Content)
		}
	}
}

func must2(t *testing.T) func([]world.Message, bool, error) []world.Message {
	return func(rows []world.Message, _ bool, err error) []world.Message {
		t.Helper()
		storetest.Must(t, err)
		return rows
	}
}

// A row is open and empty from its start on, and has its text from its close on.
func TestReadBeforeAndAfterARowCloses(t *testing.T) { // S4-04, S4-05, S4-06
	r := storetest.NewRig(t)
	for _, bodies := range storetest.Tale()[:3] {
		r.Commit(bodies...)
	}
	j := r.O.Journal
	rows := must2(t)(j.Rows(t.Context(), "c1", "", 0, 10))
	if len(rows) != 1 || rows[0].Status != world.MessageOpen || rows[0].Content != "" {
		t.Fatalf("%+v", rows)
	}
	opened := rows[0].Seq
	r.Commit(storetest.Tale()[3]...)
	rows = must2(t)(j.Rows(t.Context(), "c1", "", 0, 10))
	if len(rows) != 1 || rows[0].Seq != opened || rows[0].Status != world.MessageDone || !strings.HasPrefix(rows[0].Content, "Once upon") {
		t.Fatalf("%+v", rows)
	}
	if got := storetest.ReadAll(t, j, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	var stored int
	storetest.Must(t, sqlite.One(t.Context(), j.Writer(), []any{&stored}, "SELECT count(*) FROM journal WHERE instr(CAST(frame AS TEXT), 'Once upon') > 0"))
	if stored != 0 {
		t.Fatal("the text is stored a second time")
	}
}

func TestRowsSayWhetherThereAreMore(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell() // four rows
	for _, c := range []struct {
		before int64
		limit  int
		want   string
		more   bool
	}{{0, 3, "m2 m3 m4", true}, {0, 4, "m1 m2 m3 m4", false}, {0, 5, "m1 m2 m3 m4", false}, {15, 1, "m3", true}, {7, 10, "", false}, {8, 10, "m1", false}} {
		rows, more, err := r.O.Journal.Rows(t.Context(), "c1", "", c.before, c.limit)
		storetest.Must(t, err)
		var ids []string
		for _, m := range rows {
			ids = append(ids, m.MessageID)
		}
		if got := strings.Join(ids, " "); got != c.want || more != c.more {
			t.Errorf("before %d limit %d: %q, more %t; want %q, %t", c.before, c.limit, got, more, c.want, c.more)
		}
	}
}

// A text or frame that was changed is an error, never another text.
func TestReadRefusesWhatHasChanged(t *testing.T) {
	for _, damage := range []string{
		"UPDATE messages SET content = 'lies' WHERE message_id = 'm1'",
		"UPDATE messages SET content = '', status = 'open' WHERE message_id = 'm1'",
		"DELETE FROM messages WHERE message_id = 'm1'",
		"UPDATE journal SET text_at = text_at - 1 WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET text_at = -3 WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET text_at = 100000 WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET frame = substr(frame, 2) WHERE message_id = 'm1' AND text_at > 0",
		"UPDATE journal SET message_id = 'm2' WHERE message_id = 'm1'",
	} {
		r := storetest.NewRig(t)
		r.Tell()
		r.Checkpoint() // so that nothing is folded at the start
		r.Close()
		(&storetest.KilledRig{Dir: r.Dir}).SQL(t, damage)
		j := storetest.MustOpen(t, r.Dir).Journal
		var refused bool
		for after := int64(0); after < r.W.Tick; after++ {
			frames, err := j.Read(t.Context(), after, 1)
			switch {
			case errors.Is(err, disk.ErrCorrupt):
				refused = true
			case err != nil:
				t.Fatal(err)
			case len(frames) == 1 && !slices.Equal(frames[0].Bytes, r.Frames[after]):
				t.Errorf("%s: event %d reads %s", damage, after+1, frames[0].Bytes)
			}
		}
		if !refused {
			t.Errorf("%s: not noticed", damage)
		}
	}
}

func TestReadBounds(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm})
	var bodies []world.Body
	for i := range 1200 {
		bodies = append(bodies, storetest.Findings(fmt.Sprint("f", i))...)
	}
	r.Commit(bodies...)
	for i := range 5 {
		r.Commit(&world.MessageAdded{Message: world.Message{MessageID: fmt.Sprint("m", i), Content: strings.Repeat("y", 400<<10)}})
	}
	r.Commit(&world.MessageAdded{Message: world.Message{MessageID: "big", Content: strings.Repeat("y", 3<<20)}})
	r.Say(3)
	j := r.O.Journal
	for _, c := range []struct {
		after int64
		limit int
		want  int
	}{{0, 5, 5}, {0, 0, 1000}, {0, 5000, 1000}, {1195, 1000, 9}, {1201, 1000, 3}, {1206, 1000, 1}, {1207, 1000, 3}, {1210, 10, 0}, {5000, 10, 0}} {
		frames, err := j.Read(t.Context(), c.after, c.limit)
		if err != nil || len(frames) != c.want {
			t.Errorf("after %d limit %d: %d frames, %v; want %d", c.after, c.limit, len(frames), err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Read(ctx, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	r.Close()
	if _, err := j.Read(t.Context(), 0, 10); err == nil {
		t.Error("a closed journal is read")
	}
	storetest.MustBe(t, j.Commit(r.Batch(storetest.Findings("late")...)), disk.ErrClosed)
	storetest.Must(t, j.Close())
}

// After a restart in the middle of a stage the actor gets the newest window, the unfinished runs, and the facts
// of that stage and attempt only.
func TestLoadTheStage(t *testing.T) { // S0-11, S0-14, S3-22
	r := storetest.NewRig(t)
	r.Tell()
	long := strings.Repeat("\u00e9", world.MaxArtifactText)
	for i := range 60 {
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("s", i), ConversationID: "c1", Role: world.RoleSystem, Content: "x", Status: world.MessageDone, At: 20}})
	}
	close4 := func(status string) *world.SegmentClosed {
		return &world.SegmentClosed{ConversationID: "c1", RequestID: "t3", Reason: world.ClosedByDone, Message: world.Message{
			MessageID: "m4", ConversationID: "c1", RequestID: "t3", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one", Content: long, Status: status, At: 30}}
	}
	r.Commit(close4(world.MessageDone), &world.ChatDone{ConversationID: "c1", RequestID: "t3", MemberID: "bard", Turn: &world.TurnDone{Turn: world.Turn{StageID: "one", RoleID: "bard", Attempt: 1, N: 2}, StageTurns: 3, MemberTurns: 2}})
	r.Close()
	r.Open()
	c := r.O.Saved.Conversations[0]
	if len(c.Messages) != wire.ViewMessages || !c.HasMore || c.Messages[0].MessageID != "s10" {
		t.Fatalf("%d messages from %s, more %t", len(c.Messages), c.Messages[0].MessageID, c.HasMore)
	}
	var said []string
	for _, m := range c.StageRows {
		said = append(said, m.MessageID)
		if len(m.Content) > world.MaxArtifactText || !utf8.ValidString(m.Content) {
			t.Fatalf("%s has %d bytes", m.MessageID, len(m.Content))
		}
	}
	if !slices.Equal(said, []string{"m1", "m2", "m4"}) || len(c.Runs) != 3 {
		t.Fatalf("said %v, runs %+v", said, c.Runs)
	}
	if want := r.At; c.LastTurnAt != want {
		t.Fatalf("last turn at %d, want %d", c.LastTurnAt, want)
	}
	// The counts are those of the transcript, whatever the world has.
	r.W.ProcessState.StageTurnCounts["one"] = 9
	r.W.ProcessState.AgentTurnCounts["one:bard"] = 7
	r.Checkpoint()
	r.Close()
	r.Open()
	res := r.O.Saved.Restored
	if res.StageTurnCounts["one"] != 3 || res.AgentTurnCounts["one:bard"] != 2 || len(res.AgentTurnCounts) != 1 {
		t.Fatalf("counts %v %v", res.StageTurnCounts, res.AgentTurnCounts)
	}
	// Facts of the first attempt do not count for the second.
	r.Commit(&world.ProcessStageRestarted{StageID: "one", Attempt: 2, Counts: []string{"one", "one:bard", "one:sage"}})
	r.Commit(&world.ChatStarted{ConversationID: "c1", RequestID: "t9", MemberID: "sage", Status: world.RunRunning, Turn: &world.Turn{StageID: "one", RoleID: "sage", Attempt: 2, N: 1}})
	r.Close()
	r.Open()
	c = r.O.Saved.Conversations[0]
	if len(c.StageRows) != 0 || len(c.Runs) != 1 || c.Runs[0].RequestID != "t9" {
		t.Fatalf("said %+v, runs %+v", c.StageRows, c.Runs)
	}
	if res := r.O.Saved.Restored; res.StageTurnCounts != nil || res.AgentTurnCounts != nil {
		t.Fatalf("counts %v %v", res.StageTurnCounts, res.AgentTurnCounts)
	}
	// After a crash right after the stage's last event, the next stage is loaded.
	r.Commit(&world.ProcessAdvanced{FromStageID: "one", ToStageID: "two", StageIndex: 1, TotalStages: 2})
	killed := r.Killed()
	if p := storetest.MustOpen(t, killed).Saved.World.ProcessState; p.Stage().ID != "two" || p.StageAttempt != 1 {
		t.Fatalf("stage %s, attempt %d", p.Stage().ID, p.StageAttempt)
	}
}

// A world whose transcripts are lost keeps the conversation of its process.
func TestLostTranscriptKeepsItsConversation(t *testing.T) {
	for status, want := range map[string]string{
		world.StatusRunning: world.ConversationActive, world.StatusPaused: world.ConversationPaused, world.StatusCompleted: world.ConversationCompleted,
	} {
		r := storetest.NewRig(t)
		r.Tell()
		r.W.ProcessState.Status = status
		r.Checkpoint()
		k := &storetest.KilledRig{Dir: r.Killed()}
		k.Remove(t, storetest.AllDB...)
		s := storetest.MustOpen(t, k.Dir).Saved
		if len(s.Conversations) != 1 {
			t.Fatalf("%d conversations", len(s.Conversations))
		}
		c := s.Conversations[0].Conversation
		if c.ConversationID != "c1" || c.Kind != world.KindProcess || c.Status != want || c.Title != "Tale: why?" || (c.EndedAt != 0) != (want == world.ConversationCompleted) {
			t.Fatalf("%+v", c)
		}
		types := []string{c.Team.Members[0].Type, c.Team.Members[1].Type}
		if !slices.Equal(types, []string{world.KindAgent, world.KindHuman}) || c.Team.Members[1].DisplayName != "Ada" {
			t.Fatalf("team %+v", c.Team)
		}
	}
}

func TestCommandsAreRemembered(t *testing.T) { // P6.2
	r := storetest.NewRig(t)
	row := func(n int, at world.Time) world.CommandRow {
		return world.CommandRow{SpectatorID: fmt.Sprint("s", n%3), RequestID: fmt.Sprint("q", n), Hash: "h", Reply: []byte(`{"n":` + fmt.Sprint(n) + `}`), At: at}
	}
	now := world.TimeOf(storetest.RigStart)
	day := world.Time(tables.CommandsFor.Milliseconds())
	commit := func(rows ...world.CommandRow) {
		t.Helper()
		storetest.Must(t, r.O.Journal.Commit(&world.Batch{Commands: rows}))
	}
	commit(row(1, now-2*day), row(2, now-day/2))
	commit(row(3, now), world.CommandRow{RequestID: "anonymous", Hash: "x", At: now}) // no reply, nobody
	commit(row(3, now))                                                               // again, after an error
	r.Close()
	r.Open()
	got := r.O.Saved.Commands
	want := []world.CommandRow{row(2, now-day/2), {RequestID: "anonymous", Hash: "x", At: now}, row(3, now)}
	storetest.SameJSON(t, "commands", got, want)
	stored := func(want int) {
		t.Helper()
		var n int
		storetest.Must(t, sqlite.One(t.Context(), r.O.Journal.Writer(), []any{&n}, "SELECT count(*) FROM commands"))
		if n != want {
			t.Fatalf("%d rows are stored, want %d", n, want)
		}
	}
	stored(3)
	if r.O.Saved.Head != 0 || r.O.Saved.Restored != nil {
		t.Fatalf("head %d", r.O.Saved.Head)
	}
	// At most world.MaxCommandRows are kept: the oldest are deleted.
	for i := 0; i <= world.MaxCommandRows; i += 1000 {
		var rows []world.CommandRow
		for n := range 1000 {
			rows = append(rows, row(1000+i+n, now+1))
		}
		commit(rows...)
	}
	r.Close()
	r.Open()
	got = r.O.Saved.Commands
	if len(got) != world.MaxCommandRows || got[0].RequestID != "q2000" {
		t.Fatalf("%d rows from %s", len(got), got[0].RequestID)
	}
	stored(world.MaxCommandRows)
	var raw json.RawMessage = got[0].Reply
	storetest.SameJSON(t, "reply", raw, json.RawMessage(`{"n":2000}`))
}
