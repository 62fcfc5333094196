package realm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// oldSession returns a session of an older program with n messages of about size bytes.
func oldSession(id string, n, size int) *party.Snapshot {
	s := &party.Snapshot{SchemaVersion: party.SchemaVersion, TeamID: "duo", SessionID: id, CreatedAt: 1000, UpdatedAt: 2000}
	for i := range n {
		s.Context.Messages = append(s.Context.Messages, party.Message{
			Speaker: party.Speaker{ID: "bob", Name: "Bob"}, Content: fmt.Sprintf("%d %s", i, strings.Repeat("word ", size/5)),
		})
	}
	return s
}

func fileOf(t testing.TB, s *party.Snapshot, taken func()) sessionFile {
	data := sessionJSON(t, s)
	return sessionFile{
		Name: s.SessionID + ".json", Load: func() ([]byte, error) { return data, nil },
		Taken: func() error { taken(); return nil },
	}
}

// sessionJSON returns a snapshot in the form of a session file. The roles of its speakers have the field names of older
// versions.
func sessionJSON(t testing.TB, s *party.Snapshot) []byte {
	t.Helper()
	type speaker struct {
		ID          string `json:"id,omitempty"`
		Name        string `json:"name,omitempty"`
		DisplayName string `json:"displayName,omitempty"`
		Type        string `json:"type,omitempty"`
		RoleID      string `json:"roleId,omitempty"`
		RoleName    string `json:"roleName,omitempty"`
		RoleTitle   string `json:"roleTitle,omitempty"`
	}
	messages := []any{}
	for _, m := range s.Context.Messages {
		of := m.Speaker
		messages = append(messages, map[string]any{
			"id": m.ID, "content": m.Content, "timestamp": m.Timestamp, "status": m.Status,
			"speaker": speaker{of.ID, of.Name, of.DisplayName, of.Type, of.RoleID, of.RoleName, of.RoleTitle},
		})
	}
	data, err := json.Marshal(map[string]any{
		"schemaVersion": s.SchemaVersion, "teamId": s.TeamID, "sessionId": s.SessionID,
		"createdAt": int64(s.CreatedAt), "updatedAt": int64(s.UpdatedAt),
		"context": map[string]any{"messages": messages, "teamTask": s.Context.TeamTask},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// whole checks that a session has each of its n messages once and in order.
func (b *bench) whole(id string, n int) {
	b.t.Helper()
	rows := b.rows(id)
	for i, m := range rows {
		if !strings.HasPrefix(m.Content, fmt.Sprint(i, " ")) {
			b.t.Fatalf("row %d of %s says %.20q", i, id, m.Content)
		}
	}
	if len(rows) != n {
		b.t.Errorf("%s has %d rows of %d", id, len(rows), n)
	}
}

// S2-10: session files are imported in commits of bounded size, so that nobody waits for a file of 64 MB. If the server
// ends between two commits, the next opening continues, and nothing is imported twice. A bad file does not prevent the
// import of the others.
func TestSessionsAreTakenInByAndBy(t *testing.T) {
	const rows = party.MaxImportRows + 7
	var journal *memJournal
	files := func(taken func()) []sessionFile {
		bad := sessionFile{Name: "bad.json", Load: func() ([]byte, error) { return nil, errors.New("no session") }}
		return []sessionFile{bad, fileOf(t, oldSession("long", rows, 10), taken), fileOf(t, oldSession("wide", 9, party.MaxImportBytes/4), taken), fileOf(t, oldSession("none", 0, 0), taken)}
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: cast(speak), teams: newTeams()}
		b.start(false)
		b.stop()
		n := 0
		b.given = files(func() { n++ })
		b.start(true)
		c := b.tab()
		c.pull()
		if err := b.r.Imported(t.Context()); err != nil || n != 3 {
			t.Fatalf("%d were taken in, %v", n, err)
		}
		b.whole("long", rows)
		b.whole("wide", 9)
		before := int64(0)
		for _, end := range b.journal.ends { // a commit has at most one step of an import and ten other events
			if end-before > party.MaxImportRows+10 {
				t.Errorf("a commit has %d events", end-before)
			}
			before = end
		}
		if len(b.journal.ends) < 7 {
			t.Errorf("%d commits", len(b.journal.ends))
		}
		b.stop()
		journal = b.journal
	})
	for n := range journal.ends {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{t: t, journal: journal.upTo(n), files: &memFiles{}, drivers: cast(speak), teams: newTeams(), life: 1}
			b.lines = []world.Line{{Epoch: "e1", FromSeq: 1}}
			b.given = files(func() {})
			b.start(true)
			synctest.Wait()
			if err := b.r.Imported(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.whole("long", rows)
			b.whole("wide", 9)
			sound(t, fmt.Sprintf("killed after append %d", n+1), b.journal)
			b.stop()
		})
	}
}

// A session of which only a part has arrived cannot be resumed. When it is complete, it can. After that its file adds
// nothing, even if the file is still there. No file brings back erased words.
func TestASessionThatArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: cast(speak), teams: newTeams()}
		b.start(false)
		b.stop()
		gate := make(chan struct{})
		first, second := fileOf(t, oldSession("first", 5, 10), func() {}), fileOf(t, oldSession("second", 5, 10), func() {})
		late := first
		late.Load = func() ([]byte, error) { <-gate; return first.Load() }
		b.given = []sessionFile{second, late}
		b.start(true)
		c := b.tab()
		c.send(ada, "a", &wire.TeamSet{TeamID: "duo", ResumeSessionID: "second"})
		if c.world.Party.ConversationID != "second" {
			t.Errorf("one that is whole is not taken up: %+v", c.world.Party)
		}
		close(gate)
		synctest.Wait()
		c.pull()
		b.kill()
		b.given = []sessionFile{late} // the killed server did not remove the file
		gate = make(chan struct{})
		b.start(true)
		c.again()
		if e := find(c.send(ada, "b", &wire.TeamSet{TeamID: "duo", ResumeSessionID: "first"}), "error"); e == nil || e["message"] != party.StillImporting.Message {
			t.Errorf("one that may be a part is taken up: %v", e)
		}
		close(gate)
		synctest.Wait()
		c.send(ada, "c", &wire.TeamSet{TeamID: "duo", ResumeSessionID: "first"})
		c.says(ada, "w", "first", "5 and more")
		later(time.Minute)
		c.pull()
		before := len(b.rows("first"))
		b.kill()
		b.start(true)
		synctest.Wait()
		if got := len(b.rows("first")); before < 6 || got != before {
			t.Errorf("%d rows, and %d once its file was seen again", before, got)
		}
		b.stop()
	})
}

// S2-17: the resume of a session whose file cannot be read answers what is wrong with the file; the id in the file or
// in its name says which session it is. If nothing of a session has arrived yet, the answer is that it is still
// arriving.
func TestABrokenSessionAnswersWithItsOwnText_S2_17(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: cast(speak), teams: newTeams()}
		b.start(false)
		b.stop()
		gate := make(chan struct{})
		load := func(data string) func() ([]byte, error) {
			return func() ([]byte, error) { return []byte(data), nil }
		}
		away := sessionFile{Name: "1764252000000-s-away.json", Load: func() ([]byte, error) {
			<-gate
			return nil, errors.New("open /home/ada/worlds/r/sessions/s-away.json: permission denied")
		}}
		b.given = []sessionFile{
			{Name: "any.json", Load: load(`{"schemaVersion":"1.0","teamId":"duo","sessionId":"s-bad","createdAt":1}`)},
			{Name: "s-cut.json", Load: load(`{"schemaVersion":"1.0","teamId":"duo"`)}, away,
		}
		b.start(true)
		c := b.tab()
		n := 0
		resume := func(id string) string {
			t.Helper()
			n++
			e := find(c.send(ada, fmt.Sprint("r", n), &wire.TeamSet{TeamID: "duo", ResumeSessionID: id}), "error")
			if e == nil {
				t.Fatalf("%s is taken up", id)
			}
			return fmt.Sprint(e["code"], ": ", e["message"])
		}
		if got := resume("s-away"); got != "not_ready: "+party.StillImporting.Message {
			t.Errorf("before its file is read: %s", got)
		}
		close(gate)
		synctest.Wait()
		const mend = "\nIt is sessions/%s in the realm's folder: mend it and start the server again, or remove it."
		for id, want := range map[string]string{
			"s-bad":  "conflict: Invalid session snapshot: updatedAt: is missing" + fmt.Sprintf(mend, "any.json"),
			"s-cut":  "conflict: Invalid session snapshot: line 1: the file ends too early" + fmt.Sprintf(mend, "s-cut.json"),
			"s-away": "conflict: The session's file cannot be read; the server's log says why." + fmt.Sprintf(mend, "1764252000000-s-away.json"),
			"away":   "not_found: " + party.NotFound("away", "duo"),
			"cut":    "not_found: " + party.NotFound("cut", "duo"),
			"x":      "not_found: " + party.NotFound("x", "duo"),
		} {
			if got := resume(id); got != want {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
		b.stop()
	})
}
