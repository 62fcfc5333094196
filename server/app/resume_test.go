package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"agentdungeon/server/party"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const partyScript = `{"version":1,"turns":[{"match":{"kind":"party"},"steps":[{"say":"{{role}} has heard it."}]}],"otherwise":[{"say":"Well."},{"seal":"done"}]}`

// session begins a session of a team in the realm at hand and says something in it.
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

// S2-B7: what a start resumes, with and without a session of before.
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

// Teams of the worlds folder add to the embedded ones and are read again when they
// change; one that is wrong is named, once, and a good one that breaks keeps counting.
func TestTeamFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		var log bytes.Buffer
		all := &teams{store: a.store, log: zerolog.New(&log)}
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
		night := *party.Builtin()[0]
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
