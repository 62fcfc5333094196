package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// Retention reads the operator's limits at each call. An error names the kind and the field of a mistake in them,
// and then there are no limits. The limits do not disturb the settings of new realms.
func TestRetentionSettings(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		if p, err := s.Retention(); err != nil || p["forge"] != (retention.Limits{CompletedDays: 90, AbandonedDays: 90, AbandonAfterDays: 30}) || len(p) != 1 {
			t.Fatalf("by default %v (%v)", p, err)
		}
		settings := filepath.Join(dir, "settings.json")
		writeFile(t, fsys, settings, `{"maxAgents":20,"retention":{"chat":{"completedDays":365}},"abandonAfterDays":7}`)
		p, err := s.Retention() // hot
		if err != nil || p["chat"].CompletedDays != 365 || p["forge"].AbandonAfterDays != 7 {
			t.Errorf("%v (%v)", p, err)
		}
		s, log := reopen(t, s)
		if s.Defaults().MaxAgents != 20 || strings.Contains(log.String(), "settings.json is not used") {
			t.Errorf("%+v\n%s", s.Defaults(), log)
		}
		writeFile(t, fsys, settings, `{"maxAgents":22,"retention":{"chat":{"completedDays":"a year"}}}`)
		p, err = s.Retention()
		if !errors.Is(err, disk.ErrCorrupt) || p != nil || !strings.Contains(err.Error(), "retention.chat.completedDays must be a whole number of days") {
			t.Errorf("%v (%v)", p, err)
		}
		s, log = reopen(t, s)
		if s.Defaults().MaxAgents != 22 || !strings.Contains(log.String(), "no conversation is deleted until") {
			t.Errorf("%+v\n%s", s.Defaults(), log)
		}
		writeFile(t, fsys, settings, "{\n  \"maxAgents\": 22, \"maxAgents\": 20\n}")
		if _, err = s.Retention(); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), "settings.json: maxAgents: stands twice (line 2, column 33)") {
			t.Errorf("a setting twice: %v", err)
		}
		for _, text := range []string{`{`, `{"schema":99}`} {
			writeFile(t, fsys, settings, text)
			if p, err := s.Retention(); err == nil {
				t.Errorf("%s: %v", text, p)
			}
		}
	})
}

// SaveWatch and LoadWatch keep the state of the clock. A damaged file is set aside, and the state is then zero; a
// newer file is not changed.
func TestWatchIsKept(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		if w, err := s.LoadWatch(); err != nil || w.SeenAt != 0 {
			t.Fatalf("%+v (%v)", w, err)
		}
		want := retention.Watch{SeenAt: 1_700_000_000_000, PassedAt: 1_600_000_000_000, Waits: time.Hour, Jumps: []retention.Jump{{Before: 5, Off: -72 * time.Hour}}}
		storetest.Must(t, s.SaveWatch(want))
		s, _ = reopen(t, s)
		if w, err := s.LoadWatch(); err != nil || fmt.Sprint(w) != fmt.Sprint(want) {
			t.Errorf("%+v (%v)", w, err)
		}
		path := filepath.Join(dir, "retention.json")
		for _, text := range []string{"", "{", "null", `{"schema":1,"waits":-1}`, `{"schema":1,"seenAt":7}`} {
			writeFile(t, fsys, path, text)
			if w, err := s.LoadWatch(); err != nil || w.SeenAt != 0 {
				t.Errorf("%s: %+v (%v)", text, w, err)
			}
			if slices.Contains(storetest.Names(t, fsys, dir), "retention.json") {
				t.Errorf("%s is not set aside", text)
			}
		}
		writeFile(t, fsys, path, `{"schema":2,"when":"never"}`)
		if w, err := s.LoadWatch(); !errors.Is(err, disk.ErrNewer) {
			t.Errorf("%+v (%v)", w, err)
		}
		storetest.Must(t, s.Close())
		storetest.MustBe(t, s.SaveWatch(want), disk.ErrClosed)
	})
}

// Heads reads conversations beside an open realm, and of a closed realm without adding a file. The heads have running
// turns, the conversations that others refer to, and the current session.
func TestHeads(t *testing.T) {
	fsys := afero.NewOsFs()
	dir := filepath.Join(t.TempDir(), "worlds")
	s, _ := storetest.Open(t, fsys, dir)
	b := of(s, "b")
	e := create(t, s, world.Realm{ID: "r", Name: "R", Tenant: "b"})
	if heads, err := headsOf(b, "r"); err != nil || len(heads) != 0 {
		t.Errorf("of a realm that nobody has opened: %v (%v)", heads, err)
	}
	storetest.MustBe(t, second(headsOf(home(s), "r")), files.ErrNoRealm)
	home, err := b.RealmDir(e.ID)
	storetest.Must(t, err)
	realm := world.Realm{ID: e.ID, Name: e.Name, Tenant: "b"}
	o, err := recovery.Open(context.Background(), fsys, home, realm, world.DefaultSettings(), time.Now())
	storetest.Must(t, err)
	at := world.Time(1_700_000_000_000)
	conversation := func(id, kind, status string, about *world.About) world.Body {
		return &world.ConversationStarted{Conversation: world.Conversation{
			ConversationID: id, Kind: kind, Title: id, Status: status, CreatedAt: at, UpdatedAt: at, About: about, Team: world.Team{Members: []world.Member{}},
		}}
	}
	bodies := []world.Body{
		&world.RealmCreated{Realm: realm, Settings: world.DefaultSettings()},
		conversation("p1", world.KindProcess, world.ConversationActive, nil),
		conversation("p2", world.KindProcess, world.ConversationActive, nil),
		conversation("c", world.KindChat, world.ConversationActive, &world.About{ConversationID: "p1", StageID: "s"}),
		&world.ChatStarted{ConversationID: "c", RequestID: "q", MemberID: "m", Status: world.RunRunning},
		conversation("f", world.KindForge, world.ConversationActive, nil),
		&world.ConversationStatus{ConversationID: "f", Status: world.ConversationAbandoned},
		conversation("t", world.KindParty, world.ConversationPaused, nil),
	}
	batch := &world.Batch{}
	for i, body := range bodies {
		rec, err := (&world.Event{Seq: int64(i + 1), At: at + world.Time(i), V: 1, Body: body}).Encode()
		storetest.Must(t, err)
		batch.Records = append(batch.Records, rec)
	}
	storetest.Must(t, o.Journal.Commit(batch))
	want := []retention.Head{
		{ID: "p1", Kind: world.KindProcess, Status: world.ConversationActive, UpdatedAt: at},
		{ID: "p2", Kind: world.KindProcess, Status: world.ConversationActive, UpdatedAt: at, Current: true},
		{ID: "t", Kind: world.KindParty, Status: world.ConversationPaused, UpdatedAt: at, MaybeCurrent: true}, // no state.json yet
		{ID: "c", Kind: world.KindChat, Status: world.ConversationActive, UpdatedAt: at + 4, About: "p1", Running: true},
		{ID: "f", Kind: world.KindForge, Status: world.ConversationAbandoned, UpdatedAt: at + 6, EndedAt: at + 6},
	}
	check := func(when string) {
		t.Helper()
		got, err := headsOf(b, "r")
		slices.SortFunc(got, func(x, y retention.Head) int { return int(x.UpdatedAt-y.UpdatedAt)*10 + strings.Compare(x.ID, y.ID) })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v (%v)", when, got, err)
		}
	}
	check("open")
	storetest.Must(t, o.Journal.Close())
	// Any party may be the current one, until a state.json can be read (S1-16).
	at0 := storetest.WorldAt("r", int64(len(bodies)))
	at0.Party.ConversationID = "t"
	kept := files.OpenRealm(fsys, home)
	storetest.Must(t, kept.WriteCheckpoint(storetest.CheckpointOf(t, "e1", at0)))
	want[2].MaybeCurrent, want[2].Current = false, true
	check("with a state.json")
	state := filepath.Join(home, files.StateFile)
	storetest.Must(t, os.Rename(state, state+".away"))
	storetest.Must(t, os.Mkdir(state, 0o700))
	want[2].MaybeCurrent, want[2].Current = true, false
	check("with a folder in its place")
	storetest.Must(t, os.Remove(state))
	storetest.Must(t, os.Rename(state+".away", state))
	want[2].MaybeCurrent, want[2].Current = false, true
	before := storetest.Names(t, fsys, home)
	check("closed")
	if got := storetest.Names(t, fsys, home); !slices.Equal(got, before) {
		t.Errorf("looking left %q, were %q", got, before)
	}
	writeFile(t, fsys, filepath.Join(home, sqlite.JournalFile), "not a journal, and long enough to have a header of its own")
	if heads, err := headsOf(b, "r"); err == nil {
		t.Errorf("of a damaged one: %v", heads)
	}
}

func second[T any](_ T, err error) error { return err }

// headsOf returns the heads of the conversations of a tenant's realm.
func headsOf(tenant *files.Tenant, id string) ([]retention.Head, error) {
	dir, err := tenant.RealmDir(id)
	if err != nil {
		return nil, err
	}
	heads, err := history.Heads(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	tenant.MarkAtHand(id, heads)
	return heads, nil
}
