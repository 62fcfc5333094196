package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/party"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const partyScript = `{"version":1,"turns":[{"match":{"kind":"party"},"steps":[{"say":"{{role}} has heard it."}]}],"otherwise":[{"say":"Well."},{"seal":"done"}]}`

// session begins a session of a team in the open realm and adds words to it.
func (a *App) session(t *testing.T, team, words string) string {
	t.Helper()
	r, ok := home(t, a).Current()
	if !ok {
		t.Fatal("no realm is open")
	}
	submit(t, r, &wire.TeamSet{TeamID: team})
	w, err := r.World(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if words != "" {
		submit(t, r, &wire.ChatSend{ConversationID: w.Party.ConversationID, Content: words})
	}
	return w.Party.ConversationID
}

func (a *App) party(t *testing.T) world.Party {
	t.Helper()
	r, ok := home(t, a).Current()
	if !ok {
		return world.Party{}
	}
	w, err := r.World(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return w.Party
}

// S2-B7: -resume restores the latest session of the team or the one named. It fails if there is no such session, or
// without a team. Without the flag a start notes that an earlier session exists. -no-resume opens no realm and
// deletes nothing.
func TestResumeAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		script := castFile(t, partyScript)
		fails := func(want string, r Resume) {
			t.Helper()
			a, err := Start(context.Background(), Config{
				Addr: "127.0.0.1:1", Worlds: worlds, Log: zerolog.Nop(), Resume: r,
				Listen: nobodyListens,
			})
			if err == nil {
				stop(t, a)
				t.Errorf("%+v starts", r)
			} else if err.Error() != want {
				t.Errorf("%+v: %q, want %q", r, err, want)
			}
		}
		fails("Error: --team is required", Resume{Wanted: true})
		fails("Error: --resume and --no-resume exclude each other", Resume{Wanted: true, None: true})
		fails("No previous session to resume for team 'guild'. Start a new session.", Resume{Wanted: true, Team: "guild"})
		fails(party.NotFound("nowhere", "guild"), Resume{Wanted: true, Team: "guild", Session: "nowhere"})

		a := start(t, worlds, script)
		link(t, a, repo(t))
		if a.Note() != "" {
			t.Errorf("note %q where there was no session", a.Note())
		}
		first := a.session(t, "guild", "What should we do first?\n[NEXT: sentinel]")
		second := a.session(t, "guild", "")
		stop(t, a)

		a = start(t, worlds, script)
		if got := a.party(t); a.Note() != party.PreviousExists || got.ConversationID != second {
			t.Errorf("without a flag: note %q, party %+v", a.Note(), got)
		}
		stop(t, a)
		fails(party.NotFound("nowhere", "guild"), Resume{Wanted: true, Session: "nowhere"})
		for _, r := range []Resume{{Wanted: true}, {Wanted: true, Team: "guild"}, {Wanted: true, Session: first}} {
			a = start(t, worlds, script, func(c *Config) { c.Resume = r })
			if got := a.party(t); got.ConversationID != first || got.Status != world.PartyPaused || got.WaitingFor != "host" || a.Note() != "" {
				t.Errorf("%+v: %+v, note %q", r, got, a.Note())
			}
			stop(t, a)
		}
		a = start(t, worlds, script)
		if a.Note() != "" {
			t.Errorf("note %q about the session that is at hand", a.Note())
		}
		stop(t, a)

		a = start(t, worlds, script, func(c *Config) { c.Resume.None = true })
		if _, open := home(t, a).Current(); open || a.Note() != "" {
			t.Error("-no-resume opens a realm, or has something to say")
		}
		stop(t, a)
		a = start(t, worlds, script)
		if got := a.party(t); got.ConversationID != first {
			t.Errorf("-no-resume lost the pointer: %+v", got)
		}
		stop(t, a)
	})
}

// Teams of the worlds folder are added to the embedded ones and read again when they change. An invalid file
// is logged once. A file that becomes invalid keeps its last valid content.
// P14.2.
func TestTeamFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		var log bytes.Buffer
		all := &teams{store: a.store, log: zerolog.New(zerolog.SyncWriter(&log))}
		ids := func() (out []string) {
			for _, team := range all.Teams() {
				out = append(out, team.ID)
			}
			return out
		}
		write := func(name, text string) {
			t.Helper()
			path := filepath.Join(worlds, "teams", name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		night := *team.Builtin()[0]
		night.ID, night.Name = "night", "Night Watch"
		file, err := json.Marshal(night)
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(); !slices.Equal(got, []string{"guild"}) {
			t.Errorf("embedded: %v", got)
		}
		write("night.json", string(file))
		write("bad.json", `{"id":"bad"}`)
		if got := ids(); !slices.Equal(got, []string{"guild", "night"}) {
			t.Errorf("with files: %v", got)
		}
		ids()
		if n := strings.Count(log.String(), "bad.json: "); n != 1 {
			t.Errorf("a bad file is named %d times: %s", n, log.String())
		}
		write("night.json", `{"id":`)
		if got := ids(); !slices.Equal(got, []string{"guild", "night"}) || !strings.Contains(log.String(), "night.json: ") {
			t.Errorf("a file that breaks: %v\n%s", got, log.String())
		}
		if err := os.Remove(filepath.Join(worlds, "teams", "night.json")); err != nil {
			t.Fatal(err)
		}
		if got := ids(); !slices.Equal(got, []string{"guild"}) {
			t.Errorf("a file that is gone: %v", got)
		}
		if _, err := all.Team("night"); err == nil || !strings.Contains(err.Error(), "bad.json") {
			t.Errorf("no such team: %v", err)
		}
	})
}

// S2-09, S2-10, S2-12, S2-17, S2-B4: session files of an older program in the realm's folder are imported once, with
// the speaker's fields named id and name or, in older files, roleId and roleName. An invalid file is named, stays in
// place and blocks nothing. P14.16.
func TestSessionsOfAnOlderProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		script := castFile(t, partyScript)
		a := start(t, worlds, script)
		id := link(t, a, repo(t)).ID()
		stop(t, a)
		dir := filepath.Join(worlds, id, "sessions")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write := func(name, session, speaker string) {
			t.Helper()
			text := `{"schemaVersion":"1.0","teamId":"guild","sessionId":"` + session + `","createdAt":"1999-11-26T10:00:00Z","updatedAt":"1999-11-27T15:04:00Z",
			"context":{"teamTask":"hold the gate","version":1,"messages":[
			{"id":"1","speaker":{"id":"host","name":"Host","displayName":"The Host"},"content":"Who goes there?","timestamp":"1999-11-26T10:00:01Z"},
			{"id":"2","speaker":` + speaker + `,"content":"Nobody.","timestamp":"1999-11-26T10:00:02Z"}]}}`
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("new.json", "s-new", `{"id":"ghost","name":"Ghost","displayName":"The Ghost"}`)
		untold := filepath.Join(dir, "untold.json") // its messages have no times
		if err := os.WriteFile(untold, []byte(`{"schemaVersion":"1.0","teamId":"guild","sessionId":"s-untold","createdAt":"1999-11-20T10:00:00Z","updatedAt":"1999-11-21T10:00:00Z",
			"context":{"messages":[{"id":"1","speaker":{"id":"host"},"content":"When was this?"}]}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		write("old.json", "s-old", `{"roleId":"sentinel","roleName":"Sentinel","roleTitle":"The Sentinel"}`)
		write("bad.json", "s-bad", `{"name":"nobody"}`)
		var log bytes.Buffer
		a = start(t, worlds, script, func(c *Config) { c.Log = zerolog.New(zerolog.SyncWriter(&log)) })
		synctest.Wait()
		r, _ := home(t, a).Current()
		rows := func(session string) (out []string) {
			t.Helper()
			rows, _, err := r.Transcripts().Rows(context.Background(), session, "", 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range rows {
				out = append(out, m.Role+":"+m.MemberID+":"+m.Name+":"+m.Content)
			}
			return out
		}
		if got := rows("s-old"); !slices.Equal(got, []string{"user:host:Host:Who goes there?", "assistant:sentinel:Sentinel:Nobody."}) {
			t.Errorf("S2-10: %q", got)
		}
		// An exported session has only the newer names of the speaker's fields.
		file, err := a.exportSession(context.Background(), world.DefaultTenant, r.ID(), "s-old")
		if err != nil {
			t.Fatal(err)
		}
		if text := string(file.Data); strings.Contains(text, `"role`) || !strings.Contains(text, `"id": "sentinel"`) || !strings.Contains(text, `"name": "Sentinel"`) || !strings.Contains(text, `"displayName": "`) {
			t.Errorf("S2-10: a session of the older format is written again as\n%s", text)
		}
		untoldRows, _, err := r.Transcripts().Rows(context.Background(), "s-untold", "", 0, 10)
		if err != nil || len(untoldRows) != 1 || untoldRows[0].At.String() != "1999-11-20T10:00:00.000Z" {
			t.Errorf("a message without a time: %+v, %v", untoldRows, err)
		}
		// The list of sessions is sorted by their last change, which the file states, not by the time of the import
		// (S2-B4, S2-B6).
		found, err := r.Transcripts().Sessions(context.Background(), "guild", 10)
		if err != nil || len(found) != 3 || found[2].ConversationID != "s-untold" || found[2].UpdatedAt.String() != "1999-11-21T10:00:00.000Z" ||
			found[1].UpdatedAt.String() != "1999-11-27T15:04:00.000Z" {
			t.Errorf("S2-B4: %+v, %v", found, err)
		}
		if !strings.Contains(log.String(), "sessions/bad.json: Invalid session snapshot: context.messages[1].speaker.id: is missing") {
			t.Errorf("S2-17: %s", log.String())
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 1 || left[0].Name() != "bad.json" {
			t.Errorf("what lies there: %v, %v", left, err)
		}
		stop(t, a)
		broken := Config{
			Addr: "127.0.0.1:1", Worlds: worlds, Log: zerolog.Nop(), Version: "test", Listen: nobodyListens, Resume: Resume{Wanted: true, Team: "guild", Session: "s-bad"},
		}
		if _, err := Start(context.Background(), broken); err == nil || !strings.HasPrefix(err.Error(), "Invalid session snapshot: context.messages[1].speaker.id: is missing\nIt is sessions/bad.json ") {
			t.Errorf("S2-17: -resume of a session whose file is broken says %v", err)
		}
		write("old.json", "s-old", `{"roleId":"sentinel"}`) // this session was imported before
		a = start(t, worlds, script, func(c *Config) {
			c.Resume, c.Pace = Resume{Wanted: true, Team: "guild", Session: "s-new"}, world.PaceInstant
		})
		synctest.Wait()
		r, _ = home(t, a).Current()
		if got := rows("s-old"); len(got) != 2 || got[1] != "assistant:sentinel:Sentinel:Nobody." {
			t.Errorf("taken in twice: %q", got)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "bad.json" {
			t.Errorf("a file that was taken in before stays: %v, %v", left, err)
		}
		if p := a.party(t); p.ConversationID != "s-new" || p.TeamTask != "hold the gate" || p.WaitingFor != "host" {
			t.Errorf("S2-11: %+v", p)
		}
		c, err := r.Transcripts().Conversation(context.Background(), "s-new")
		if err != nil || c.Conversation.Title != "Restored - "+time.Date(1999, 11, 27, 15, 4, 0, 0, time.UTC).Local().Format("Jan 2, 03:04 PM") || c.Conversation.CreatedAt.Go().Year() != 1999 {
			t.Errorf("S2-12: %+v, %v", c.Conversation, err)
		}
		submit(t, r, &wire.ChatSend{ConversationID: "s-new", Content: "Go on.\n[NEXT: sentinel]"})
		if got := rows("s-new"); len(got) != 4 || !strings.HasSuffix(got[3], "has heard it.") {
			t.Errorf("it does not go on: %q", got)
		}
		stop(t, a)
	})
}

// S2-B4: session files that cannot be imported do not prevent the import of others, however many there are.
func TestBadSessionsHinderNoGoodOne_S2_B4(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		id := link(t, a, repo(t)).ID()
		stop(t, a)
		write := func(name, version, session string) {
			t.Helper()
			path := filepath.Join(worlds, id, "sessions", name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			text := `{"schemaVersion":"` + version + `","teamId":"guild","sessionId":"` + session + `","createdAt":"1999-11-26T10:00:00Z","updatedAt":"1999-11-26T10:00:00Z",
			"context":{"messages":[{"id":"1","speaker":{"id":"host"},"content":"Hello"}]}}`
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		const good = 20
		for i := range good {
			write(fmt.Sprintf("a%02d.json", i), "0.9", fmt.Sprint("old", i))
			write(fmt.Sprintf("b%02d.json", i), "1.0", fmt.Sprint("good", i))
		}
		write("c.json", "2.0", "new")
		for opening := range 2 {
			var log bytes.Buffer
			a = start(t, worlds, func(c *Config) { c.Log = zerolog.New(zerolog.SyncWriter(&log)) })
			synctest.Wait()
			r, _ := home(t, a).Current()
			found, err := r.Transcripts().Sessions(context.Background(), "guild", 100)
			if err != nil || len(found) != good {
				t.Errorf("opening %d: %d sessions, %v", opening+1, len(found), err)
			}
			stop(t, a)
			// S2-B5, S2-17: the server names each of these files with the reason.
			if text := log.String(); !strings.Contains(text, "sessions/a19.json: Schema version 0.9 is deprecated. Please migrate to 1.0.") ||
				!strings.Contains(text, "sessions/c.json: Schema version 2.0 is not supported. Please upgrade Agent Dungeon.") {
				t.Errorf("opening %d: %s", opening+1, text)
			}
		}
		left, err := os.ReadDir(filepath.Join(worlds, id, "sessions"))
		if err != nil || len(left) != good+1 {
			t.Errorf("%d files are left, %v", len(left), err)
		}
	})
}

// A session that was imported and then erased is not imported again from a file that is still there or was
// put there again; the file is removed. Erasing it a second time changes nothing (S2-B4).
func TestAnErasedSessionIsNotTakenInAgain_S2_B4(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		id := link(t, a, repo(t)).ID()
		stop(t, a)
		path := filepath.Join(worlds, id, "sessions", "old.json")
		write := func() {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(`{"schemaVersion":"1.0","teamId":"guild","sessionId":"s-old","createdAt":"1999-11-26T10:00:00Z","updatedAt":"1999-11-26T10:00:00Z",
			"context":{"messages":[{"id":"1","speaker":{"id":"host"},"content":"qzplanted words"}]}}`), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write()
		a = start(t, worlds)
		synctest.Wait()
		r, _ := home(t, a).Current()
		sessions := func() int {
			t.Helper()
			found, err := r.Transcripts().Sessions(context.Background(), "guild", 10)
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		if sessions() != 1 {
			t.Fatal("it is not taken in")
		}
		for range 2 {
			submit(t, r, &wire.HistoryErase{ConversationID: "s-old"})
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		stop(t, a)
		if n := countWords(t, worlds); n > 0 {
			t.Errorf("it is erased and still there, %d times", n)
		}
		write()
		a = start(t, worlds)
		defer stop(t, a)
		synctest.Wait()
		r, _ = home(t, a).Current()
		if n := sessions(); n != 0 {
			t.Error("what was erased is back")
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its file is still there: %v", err)
		}
	})
}

// In a party the scouts answer questions that can be measured.
func TestScoutsSpeakInAParty(t *testing.T) {
	a := start(t, filepath.Join(t.TempDir(), "worlds"), func(c *Config) { c.Pace = world.PaceInstant })
	defer stop(t, a)
	r, err := home(t, a).Link(context.Background(), repo(t), func(wire.RealmProgress) {})
	if err != nil {
		t.Fatal(err)
	}
	who := realm.Person{SpectatorID: "p1", Name: "Ada", Color: "#aabbcc", Role: wire.RoleHost}
	send := func(cmd wire.Command) {
		t.Helper()
		if e := r.Submit(realm.Input{From: who, Command: cmd}); e != nil {
			t.Fatal(e)
		}
	}
	send(&wire.TeamSet{TeamID: "guild"})
	send(&wire.ChatSend{ConversationID: a.party(t).ConversationID, Content: "How many files are there?\n[NEXT: cartographer]"})
	v, err := r.Attach(context.Background(), watch.Position{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for p := a.party(t); p.Turns == 0 || p.Executing != nil; p = a.party(t) {
		if p.Status == world.PartyPaused {
			t.Fatalf("it rests without a turn: %+v", p)
		}
		<-v.Ready()
		if _, err := v.Take(context.Background(), 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	rows, _, err := r.Transcripts().Rows(context.Background(), a.party(t).ConversationID, "", 0, 10)
	if err != nil || len(rows) != 2 || rows[1].MemberID != "cartographer" || !strings.Contains(rows[1].Content, "3 files") {
		t.Errorf("%+v, %v", rows, err)
	}
}
