package party

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// legacy is a file of the older format with one message of the newer format.
const legacy = `{
  "schemaVersion": "1.0",
  "teamId": "crew", "sessionId": "s-1",
  "createdAt": "2025-11-27T14:00:00.000Z", "updatedAt": "2025-11-27T20:04:05.000Z",
  "context": {
    "messages": [
      {"id": "m1", "speaker": {"roleId": "p", "roleName": "Pat", "roleTitle": "The Lead", "type": "human"}, "content": "Mend the build [TEAM_TASK: mend it]", "timestamp": "2025-11-27T14:00:01.000Z", "routing": {"x": [1]}},
      {"id": "m2", "speaker": {"roleId": "gone", "roleName": "Old Hand"}, "content": "I did.", "timestamp": 1764252002000},
      {"id": "m3", "speaker": {"id": "left", "name": "Leftie", "displayName": "Left"}, "content": "Me too."},
      {"id": "m4", "speaker": {"roleId": "system"}, "content": "A note."},
      {"id": "m5", "speaker": {"roleId": "nameless"}, "content": "Hm."},
      {"id": "m6", "speaker": {"id": "gone", "name": "Older Hand"}, "content": "Still."},
      {"id": "m7", "speaker": {"roleId": "a", "roleName": "Ada"}, "content": "Bye."}
    ],
    "teamTask": "mend it", "timestamp": 1764252000000, "version": 1
  },
  "metadata": {"lastSpeakerId": "a", "messageCount": 99, "summary": "wrong"}
}`

func snap(t testing.TB) *Snapshot {
	t.Helper()
	s, err := ParseSnapshot([]byte(legacy))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var now = time.Date(2025, 11, 27, 22, 30, 0, 0, time.UTC)

func restore(t *testing.T) *Restored {
	t.Helper()
	team := crew("a", "P", "Q")
	r, err := restoreSession(State{}, &team, "s-1", snap(t), now, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The four errors of a restore, with their exact texts. Each is checked before the next in the document's
// order (S2-07, S2-18: should throw if ...). P14.6.
func TestRestoreErrors_S2_04_S2_05_S2_06_S2_07(t *testing.T) {
	team := crew("a", "P")
	other := snap(t)
	other.TeamID = "theirs"
	for _, tc := range []struct {
		team *world.Team
		snap *Snapshot
		want string
	}{
		{nil, nil, "Team must be set before restoring session"},                                                                                           // S2-04
		{nil, other, "Team must be set before restoring session"},                                                                                         // S2-04
		{&team, nil, "Session 's-1' not found for team 'crew'.\nUse --resume without ID to restore the latest session, or start a new session."},          // S2-05
		{&team, other, "Session teamId mismatch: snapshot is for team 'theirs', but current team is 'crew'.\nPlease use the correct team configuration."}, // S2-06
	} {
		r, err := restoreSession(State{}, tc.team, "s-1", tc.snap, now, time.UTC)
		if r != nil || err == nil || err.Error() != tc.want {
			t.Errorf("got  %v\nwant %s", err, tc.want)
		}
	}
	// After a failed restore the party has its team, no session and the status idle.
	if s := reset(State{}, team); s.TeamID != "crew" || s.Status != "idle" || s.ConversationID != "" || s.Check(team) != nil {
		t.Errorf("%+v", s)
	}
}

// S2-09: the warning lists missing members in the older and the newer format, by the newest name in the history, else
// by the id. The speaker system does not count as missing. The restore continues (S2-18: should warn with missing
// member names, should skip system messages).
func TestMissingMembers_S2_09(t *testing.T) {
	r := restore(t)
	want := []world.MissingMember{{ID: "gone", Name: "Older Hand"}, {ID: "left", Name: "Leftie"}, {ID: "nameless", Name: "nameless"}}
	if !reflect.DeepEqual(r.Missing, want) {
		t.Errorf("%+v", r.Missing)
	}
	if text := missingText(r.Missing); text != "⚠️  Some speakers in history are not in current team: Older Hand, Leftie, nameless\n   Their messages will be displayed with original names." {
		t.Errorf("%q", text)
	}
	team := crew("a", "P", "gone", "left", "nameless") // S2-18: should not warn when all members exist
	if r, err := restoreSession(State{}, &team, "s-1", snap(t), now, time.UTC); err != nil || len(r.Missing) != 0 || r.Missing == nil {
		t.Errorf("%+v %v", r, err)
	}
}

// S2-10: migrate returns a new list with the newer names, and files are written with these only.
func TestMigrate_S2_10(t *testing.T) {
	s := snap(t)
	before := fmt.Sprintf("%+v", s)
	got := migrate(s.Context.Messages)
	if fmt.Sprintf("%+v", s) != before || &got[0] == &s.Context.Messages[0] {
		t.Error("the originals were changed")
	}
	for i, want := range []Speaker{
		{ID: "p", Name: "Pat", DisplayName: "The Lead", Type: world.KindHuman}, {ID: "gone", Name: "Old Hand", DisplayName: "Old Hand"}, {ID: "left", Name: "Leftie", DisplayName: "Left"},
		{ID: "system", Name: "system", DisplayName: "system"}, {ID: "nameless", Name: "nameless", DisplayName: "nameless"},
	} {
		if got[i].Speaker != want {
			t.Errorf("%d: %+v, want %+v", i, got[i].Speaker, want)
		}
	}
	if again := migrate(got); !reflect.DeepEqual(again, got) {
		t.Error("migrated twice is something else")
	}
	file, err := s.File()
	if err != nil || strings.Contains(string(file), "role") {
		t.Errorf("an old field is written (%v):\n%s", err, file)
	}
	back, err := ParseSnapshot(file)
	if err != nil || !reflect.DeepEqual(back.Context.Messages, got) {
		t.Errorf("%v %+v", err, back)
	}
	if r := restore(t); !reflect.DeepEqual(r.Messages, got) {
		t.Errorf("%+v", r.Messages)
	}
}

// S2-11: a restored session has the messages and the task. A snapshot's context also has the present time and
// version 1.
func TestContextImport_S2_11(t *testing.T) {
	if r := restore(t); len(r.Messages) != 7 || r.State.TeamTask != "mend it" {
		t.Errorf("%+v", r)
	}
	if c := NewSnapshot(world.Conversation{}, nil, now).Context; c.Timestamp != world.TimeOf(now) || c.Version != 1 {
		t.Errorf("%+v", c)
	}
}

func TestRebuiltSession_S2_12(t *testing.T) {
	r := restore(t)
	s := r.State
	if s.ConversationID != "s-1" || s.TeamID != "crew" || s.Status != "paused" || s.TeamTask != "mend it" || s.Newest != "m7" {
		t.Errorf("%+v", s)
	}
	if r.Title != "Restored - Nov 27, 08:04 PM" {
		t.Error(r.Title)
	}
	if file := snap(t); file.CreatedAt.String() != "2025-11-27T14:00:00.000Z" || file.UpdatedAt.String() != "2025-11-27T20:04:05.000Z" {
		t.Errorf("%v %v", file.CreatedAt, file.UpdatedAt)
	}
	if r.Stats.TotalMessages != 7 || r.Stats.Duration != (8*time.Hour+30*time.Minute).Milliseconds() ||
		!reflect.DeepEqual(r.Stats.MessagesByRole, map[string]int{"p": 1, "gone": 2, "left": 1, "system": 1, "nameless": 1, "a": 1}) {
		t.Errorf("%+v", r.Stats)
	}
	early, err := restoreSession(State{}, ptr(crew("P", "a")), "s-1", snap(t), time.UnixMilli(1), time.UTC)
	if err != nil || early.Stats.Duration != 0 {
		t.Errorf("the clock went back: %+v %v", early, err)
	}
	for at, want := range map[string]string{ // local time, en-US
		"2025-01-05T00:00:00Z": "Restored - Jan 5, 12:00 AM", "2025-12-31T12:07:00Z": "Restored - Dec 31, 12:07 PM", "2025-06-10T09:30:00+02:00": "Restored - Jun 10, 07:30 AM",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if got := restoredTitle(when, time.UTC); err != nil || got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if got := restoredTitle(now, time.FixedZone("", 9*3600)); got != "Restored - Nov 28, 07:30 AM" {
		t.Error(got)
	}
}

func ptr[T any](v T) *T { return &v }

// S2-08: a restored session is Ready-Idle, whatever its state was.
func TestReadyIdle_S2_08(t *testing.T) {
	b := sit(t, "a", "P", "Q", "b")
	b.says("q", "Go. [NEXT: a, b!P1] [TEAM_TASK: other]")
	b.s.Seats = []Seat{{MemberID: "q", SpectatorID: "s1"}}
	r, err := restoreSession(b.s, &b.team, "s-1", snap(t), now, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	s := r.State
	if len(s.Queue) != 0 || s.Queue == nil || s.Executing != nil || s.Status != "paused" || s.WaitingFor != "p" || s.ConversationID != "s-1" || s.TeamTask != "mend it" || s.Turns+s.Local != 0 {
		t.Errorf("%+v", s)
	}
	if len(s.Seats) != 1 || s.Check(b.team) != nil {
		t.Errorf("who speaks for whom is kept: %+v", s)
	}
	if _, some := nextTurn(s, b.team, everyAgent); some {
		t.Error("an agent runs before a person types")
	}
	b.s, b.log = s, nil
	b.says("b", "I am still here.").want("error: it is not the turn of D b")
	b.says("p", "Go. [NEXT: b]").want("starts b")

	none := crew("a", "b")
	if r, err = restoreSession(State{}, &none, "s-1", snap(t), now, time.UTC); err != nil || r.State.WaitingFor != "" || r.State.Status != Paused {
		t.Errorf("with nobody to wait for: %+v %v", r, err)
	}
	d, e := resume(r.State, none, "a") // S2-08: then somebody resumes it
	if e != nil || d.State.Status != Active {
		t.Errorf("%+v %v", d, e)
	}
}

// S2-17: the error of an invalid file names the field.
func TestParseSnapshotErrors_S2_17(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{`"teamId": "crew", `, ``, "teamId: is missing"},
		{`"sessionId": "s-1"`, `"sessionId": ""`, "sessionId: is empty"},
		{`"2025-11-27T20:04:05.000Z"`, `"yesterday"`, `updatedAt: "yesterday" is no RFC 3339 time`},
		{`"2025-11-27T14:00:00.000Z"`, `true`, `createdAt: must be a time`},
		{`1764252002000`, `-1`, `context.messages[1].timestamp: must be milliseconds since 1970`},
		{`"roleId": "gone", `, ``, "context.messages[1].speaker.id: is missing"},
		{`"speaker": {"roleId": "gone", "roleName": "Old Hand"}, `, ``, "context.messages[1].speaker: is missing"},
		{`"content": "Me too."`, `"content": 5`, "context.messages[2].content: must be a string"},
		{`"context": {`, `"context": [], "x": {`, "context: must be an object"},
		{`"messages": [`, `"messages": {}, "x": [`, "context.messages: must be a list"},
		{`"version": 1`, `"version": 2`, "context.version: is 2; it must be 1 to 1"},
		{`"metadata": {`, `"metadata": [], "x": {`, "metadata: must be an object"},
		{`"schemaVersion": "1.0",`, ``, "schemaVersion: is missing"},
		{`"schemaVersion": "1.0"`, `"schemaVersion": "one"`, `schemaVersion: "one" is no version`},
		{`"wrong"}`, `"wrong"`, "line 18: the file ends too early"},
	} {
		_, err := ParseSnapshot([]byte(strings.Replace(legacy, tc.from, tc.to, 1)))
		if want := "Invalid session snapshot: " + tc.want; err == nil || err.Error() != want {
			t.Errorf("%s -> %s:\n got %v\nwant %s", tc.from, tc.to, err, want)
		}
	}
}

func FuzzParseSnapshot(f *testing.F) {
	f.Add([]byte(legacy))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSnapshot(data)
		if err != nil {
			return
		}
		file, err := s.File()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseSnapshot(file)
		if err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		if again, err := back.File(); err != nil || string(again) != string(file) {
			t.Fatalf("%v: it is written otherwise the second time:\n%s\n%s", err, file, again)
		}
	})
}

// S2-B3: a session is written as a file of the form that document 002 describes.
func TestSnapshotFile_S2_B3(t *testing.T) {
	head := world.Conversation{ConversationID: "c7", Team: crew("P", "a"), CreatedAt: 1_764_252_000_000, UpdatedAt: 1_764_252_900_000}
	row := func(id, role, member, status, content string) world.Message {
		return world.Message{MessageID: id, Role: role, MemberID: member, Name: "As it was", Status: status, Content: content, At: head.CreatedAt + world.Time(1000*len(id))}
	}
	rows := []world.Message{
		row("m1", world.RoleUser, "p", world.MessageDone, "Look at the\nbuild, which has been failing since Tuesday [TEAM_TASK: mend it]"),
		row("m2", world.RoleTool, "a", world.MessageDone, "what a tool gave"),
		row("m3", world.RoleSystem, "", world.MessageDone, "a note"),
		row("m4", world.RoleAssistant, "a", world.MessageInterrupted, "I was cut o"),
		row("m5", world.RoleAssistant, "gone", world.MessageDone, "Bye."),
		row("m6", world.RoleAssistant, "a", world.MessageOpen, ""),
	}
	file, err := NewSnapshot(head, rows, time.UnixMilli(1_764_253_000_000)).File()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "schemaVersion": "1.0",
  "teamId": "crew",
  "sessionId": "c7",
  "createdAt": "2025-11-27T14:00:00.000Z",
  "updatedAt": "2025-11-27T14:15:00.000Z",
  "context": {
    "messages": [
      {
        "id": "m1",
        "speaker": {
          "id": "p",
          "name": "N-P",
          "displayName": "D P",
          "type": "human"
        },
        "content": "Look at the\nbuild, which has been failing since Tuesday [TEAM_TASK: mend it]",
        "timestamp": "2025-11-27T14:00:02.000Z"
      },
      {
        "id": "m4",
        "speaker": {
          "id": "a",
          "name": "N-a",
          "displayName": "D a",
          "type": "agent"
        },
        "content": "I was cut o",
        "timestamp": "2025-11-27T14:00:02.000Z",
        "status": "interrupted"
      },
      {
        "id": "m5",
        "speaker": {
          "id": "gone",
          "name": "As it was",
          "displayName": "As it was",
          "type": "agent"
        },
        "content": "Bye.",
        "timestamp": "2025-11-27T14:00:02.000Z"
      }
    ],
    "teamTask": "mend it",
    "timestamp": "2025-11-27T14:16:40.000Z",
    "version": 1
  },
  "metadata": {
    "lastSpeakerId": "gone",
    "messageCount": 3,
    "summary": "3 messages - \"Look at the build, which has been failing since Tu...\""
  }
}
`
	if string(file) != want {
		t.Errorf("%s", file)
	}
}

func TestSummary_S2_B3(t *testing.T) {
	fifty := strings.Repeat("0123456789", 5)
	for _, tc := range []struct {
		n     int
		first string
		want  string
	}{
		{15, "Hello\n there [NEXT: a]", `15 messages - "Hello there"`},
		{2, fifty, `2 messages - "` + fifty + `"`},
		{2, fifty + "x", `2 messages - "` + fifty + `..."`},
		{1, strings.Repeat("é", 51), `1 message - "` + strings.Repeat("é", 50) + `..."`},
		{3, `Say "hi"`, `3 messages - "Say "hi""`},
		{0, "", `0 messages - ""`},
	} {
		if got := summary(tc.n, tc.first); got != tc.want {
			t.Errorf("got %s\nwant %s", got, tc.want)
		}
	}
}

// S2-B5: a newer schema version and an older one have errors of their own.
func TestCheckVersion_S2_B5(t *testing.T) {
	for v, want := range map[string]string{
		"1.0": "<nil>", "1.1": "Schema version 1.1 is not supported. Please upgrade Agent Dungeon.", "2.0": "Schema version 2.0 is not supported. Please upgrade Agent Dungeon.",
		"10.0": "Schema version 10.0 is not supported. Please upgrade Agent Dungeon.", "0.9": "Schema version 0.9 is deprecated. Please migrate to 1.0.",
		"1": `Invalid session snapshot: schemaVersion: "1" is no version`, "": `Invalid session snapshot: schemaVersion: "" is no version`, "1.-1": `Invalid session snapshot: schemaVersion: "1.-1" is no version`,
	} {
		if got := fmt.Sprint(checkVersion(v)); got != want {
			t.Errorf("%s: %s, want %s", v, got, want)
		}
	}
	if _, err := ParseSnapshot([]byte(`{"schemaVersion": "3.0", "all": "else is different"}`)); err == nil || !strings.Contains(err.Error(), "3.0 is not supported") {
		t.Errorf("%v", err)
	}
}

// S2-B4: the latest session is the one with the newest change; a session without words does not count.
func TestLatest_S2_B4(t *testing.T) {
	list := []kind.Found{{SessionID: "a", TeamID: "x", UpdatedAt: 10, Messages: 2}, {SessionID: "b", TeamID: "x", UpdatedAt: 30, Messages: 1}, {SessionID: "c", TeamID: "x", UpdatedAt: 20, Messages: 5}, {SessionID: "d", TeamID: "y", UpdatedAt: 99, Messages: 5}, {SessionID: "e", TeamID: "x", UpdatedAt: 50, Messages: 0}}
	if got := latest(list, "x"); got == nil || got.SessionID != "b" {
		t.Errorf("%+v", got)
	}
	if got := latest(list, "z"); got != nil {
		t.Errorf("%+v", got)
	}
}

// S2-B7: for each combination of options, with and without a saved session, Choose returns the session, the note or
// the error that the rule states.
func TestChoose_S2_B7(t *testing.T) {
	const note = "Note: Previous session exists. Use --resume to restore, or --no-resume to suppress this message."
	saved := []kind.Found{{SessionID: "s1", TeamID: "crew", UpdatedAt: 10, Messages: 2}, {SessionID: "s2", TeamID: "crew", UpdatedAt: 20, Messages: 2}, {SessionID: "s3", TeamID: "other", UpdatedAt: 30, Messages: 2}}
	for name, tc := range map[string]struct {
		ask  kind.Ask
		list []kind.Found
		want string
	}{
		"default, none":          {kind.Ask{TeamID: "crew"}, nil, "new"},
		"default, saved":         {kind.Ask{TeamID: "crew"}, saved, "new, " + note},
		"default, of others":     {kind.Ask{TeamID: "crew"}, saved[2:], "new"},
		"--no-resume, none":      {kind.Ask{TeamID: "crew", NoResume: true}, nil, "new"},
		"--no-resume, saved":     {kind.Ask{TeamID: "crew", NoResume: true}, saved, "new"},
		"--resume, none":         {kind.Ask{TeamID: "crew", Resume: true}, nil, "error: No previous session to resume for team 'crew'. Start a new session."},
		"--resume, saved":        {kind.Ask{TeamID: "crew", Resume: true}, saved, "s2"},
		"--resume s1, none":      {kind.Ask{TeamID: "crew", Resume: true, SessionID: "s1"}, nil, "error: " + NotFound("s1", "crew")},
		"--resume s1, saved":     {kind.Ask{TeamID: "crew", Resume: true, SessionID: "s1"}, saved, "s1"},
		"--resume s9, saved":     {kind.Ask{TeamID: "crew", Resume: true, SessionID: "s9"}, saved, "error: " + NotFound("s9", "crew")},
		"--resume s3, other's":   {kind.Ask{TeamID: "crew", Resume: true, SessionID: "s3"}, saved, "s3"}, // Restore says whose it is
		"both":                   {kind.Ask{TeamID: "crew", Resume: true, NoResume: true}, saved, "error: Error: --resume and --no-resume exclude each other"},
		"no team":                {kind.Ask{}, saved, "error: Error: --team is required"},
		"no team, but --resume":  {kind.Ask{Resume: true}, saved, "error: Error: --team is required"},
		"no team and no session": {kind.Ask{NoResume: true}, nil, "error: Error: --team is required"},
	} {
		id, note, err := offline{}.Choose(tc.ask, tc.list)
		got := id
		if id == "" {
			got = "new"
		}
		if note != "" {
			got += ", " + note
		}
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// S2-B17: a prompt has the newest five messages, without markers and bounded; the history itself is
// unchanged.
func TestWindow_S2_B17(t *testing.T) {
	var rows []world.Message
	for i := range 9 {
		rows = append(rows, world.Message{MessageID: fmt.Sprint("m", i), Role: world.RoleUser, Status: world.MessageDone, Content: fmt.Sprintf("words %d [TEAM_TASK: x] [FROM: p]", i)})
	}
	rows[6].Role = world.RoleTool
	rows[7].Content = "[FROM: p]"
	text := func(rows []world.Message) string {
		var out []string
		for _, r := range rows {
			out = append(out, r.Content)
		}
		return strings.Join(out, "|")
	}
	before := text(rows)
	if got := text(window(rows)); got != "words 2|words 3|words 4|words 5|words 8" {
		t.Errorf("%s", got)
	}
	if text(rows) != before {
		t.Error("the history was changed")
	}
	rows[5].Content = strings.Repeat("é", windowBytes/2-5)
	if got := window(rows); len(got) != 2 || got[0].MessageID != "m5" {
		t.Errorf("%d rows", len(got))
	}
	rows[8].Content = strings.Repeat("é", windowBytes)
	if got := window(rows); len(got) != 1 || len(got[0].Content) != windowBytes {
		t.Errorf("%d rows", len(got))
	}
	if got := window(nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// The examples in an agent's guide mean what the guide says.
func TestGuide(t *testing.T) {
	team := crew("P", "a", "b")
	guide := guide(team, "a")
	for _, part := range []string{"p (D P, person)", "b (D b, agent)", "[NEXT: name]", "[NEXT: one, other]", "[NEXT: name!P1]", "[TEAM_TASK: ...]", "[DROP: name]", "[DROP: ALL]"} {
		if !strings.Contains(guide, part) {
			t.Errorf("%s is not told", part)
		}
		if m, _ := Read("x\n" + part); part[0] == '[' && m.text() == "" {
			t.Errorf("%s does nothing", part)
		}
	}
	if strings.Contains(guide, "D a") {
		t.Error("it cannot ask itself")
	}
}
