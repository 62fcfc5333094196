package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/retention"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// aged is a conversation that was last used as many days ago as the field days says. If it has not ended, it is a
// chat, because a forge that the test writes has no context with which it could continue.
type aged struct {
	id, status string
	days       int
}

func (c aged) kind() string {
	if (&world.Conversation{Status: c.status}).Ended() {
		return world.KindForge
	}
	return world.KindChat
}

// agedRealm makes a realm with these conversations, as a server of that time has left it. Each contains the word
// zyz-ID.
func agedRealm(t *testing.T, worlds, tenant, id string, talks ...aged) {
	t.Helper()
	s, err := files.Open(afero.NewOsFs(), worlds, zerolog.Nop())
	must(t, err)
	of, err := s.Tenant(tenant)
	must(t, err)
	_, err = of.Create(world.Realm{ID: id, Name: id})
	must(t, err)
	dir, err := of.RealmDir(id)
	must(t, err)
	realm := world.Realm{ID: id, Name: id, Tenant: tenant}
	o, err := recovery.Open(context.Background(), afero.NewOsFs(), dir, realm, s.Defaults(), time.Now())
	must(t, err)
	w := o.Saved.World
	at := world.TimeOf(time.Now().AddDate(-1, 0, 0))
	commit := func(bodies ...world.Body) {
		t.Helper()
		batch := &world.Batch{}
		for i, body := range bodies {
			rec, err := world.Event{Seq: w.Tick + 1 + int64(i), At: at, V: 1, Body: body}.Encode()
			must(t, err)
			batch.Records = append(batch.Records, rec)
		}
		must(t, o.Journal.Commit(batch))
		for _, rec := range batch.Records {
			world.Apply(w, rec.Event)
		}
	}
	commit(&world.RealmCreated{Realm: realm, Settings: s.Defaults()})
	for _, c := range talks {
		at = world.TimeOf(time.Now().AddDate(0, 0, -c.days)) // ordered by their days
		commit(
			&world.ConversationStarted{Conversation: world.Conversation{
				ConversationID: c.id, Kind: c.kind(), Title: "A skill zyz-" + c.id, Status: world.ConversationActive, CreatedAt: at, UpdatedAt: at,
				Team: world.Team{ID: "forge", Name: "Forge", Members: []world.Member{}},
			}},
			&world.MessageAdded{ConversationID: c.id, Message: world.Message{
				MessageID: "m-" + c.id, ConversationID: c.id, Role: world.RoleUser, Name: "Ada", Content: "make it say zyz-" + c.id, Status: world.MessageDone, At: at,
			}},
			&world.ConversationStatus{ConversationID: c.id, Status: c.status},
		)
	}
	raw, err := json.Marshal(w)
	must(t, err)
	must(t, o.Files.WriteCheckpoint(world.Checkpoint{Epoch: o.Saved.Epoch, Seq: w.Tick, SavedAt: at, World: raw}))
	must(t, o.Journal.Close())
	must(t, s.Close())
}

// holding returns the files below dir that contain the word. A server may run there, so temporary files can appear and
// disappear.
func holding(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path != dir && errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(data, []byte(word)) {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// Conversations that are older than their limit are deleted with their words: in a stopped folder and through the
// server, by command, by HTTP and by the server's own pass. A dry run lists them before. A clock that is not trusted
// deletes nothing. A pass of one tenant does not touch another's (S1-15, S1-16, S1-25, S1-B7, S1-B8). P16.13.
func TestRetentionByCommandAndByItself(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-tenants", "b")
	agedRealm(t, home.Worlds, "default", "r", aged{"gone", world.ConversationCompleted, 100}, aged{"silent", world.ConversationPaused, 40}, aged{"young", world.ConversationCompleted, 10})
	agedRealm(t, home.Worlds, "b", "r", aged{"theirs", world.ConversationAbandoned, 120}, aged{"kept", world.ConversationActive, 1})
	agedRealm(t, home.Worlds, "default", "later", aged{"late", world.ConversationAbandoned, 95}, aged{"fresh", world.ConversationActive, 1})
	run := func(args ...string) (int, string, string) {
		return home.Run(append([]string{"retention", "-worlds", home.Worlds}, args...)...)
	}
	has := func(dir, word string, want bool) {
		t.Helper()
		if found := holding(t, filepath.Join(home.Worlds, dir), word); (len(found) > 0) != want {
			t.Errorf("%s in %s: %v", word, dir, found)
		}
	}

	const chats = `"retention":{"chat":{"abandonAfterDays":30}}`
	settings := filepath.Join(home.Worlds, "settings.json")
	file(t, settings, `{`+chats+`}`)
	code, out, errs := run("-dry-run")
	if code != 0 || !strings.Contains(out, "gone") || !strings.Contains(out, "abandon") || strings.Contains(out, "theirs") || strings.Contains(out, "young") || strings.Contains(out, "zyz") {
		t.Errorf("a dry run: %d %s%s", code, out, errs)
	}
	if code, out, errs := run(); code != 1 || !strings.Contains(errs, "-force") {
		t.Errorf("a clock that nobody has seen: %d %s%s", code, out, errs)
	}
	has("r", "zyz-gone", true)
	// A mistake in the operator's settings deletes nothing; correct limits count at once.
	file(t, settings, `{"retention":{"forge":{"completedDays":"soon"}}}`)
	if code, _, errs := run("-force"); code != 1 || !strings.Contains(errs, "retention.forge.completedDays must be a whole number of days") {
		t.Errorf("a mistake in the limits: %d %s", code, errs)
	}
	has("r", "zyz-gone", true)
	file(t, settings, `{"retentionAbandonedDays":100,`+chats+`}`)

	code, out, errs = run("-force", "-json")
	var report retention.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
		t.Fatalf("%d %s%s (%v)", code, out, errs, err)
	}
	done := map[string]string{}
	for _, r := range report.Realms {
		done[r.RealmID] = fmt.Sprint(r.Tenant, " ", r.Marked, " ", r.Deleted, " ", r.Problems)
	}
	if len(done) != 2 || done["r"] != "default 1 1 []" || done["later"] != "default 0 0 []" {
		t.Errorf("%v", done)
	}
	has("r", "zyz-gone", false)
	has("r", "zyz-silent", true)
	has("r", "zyz-young", true)
	has("tenants/b/r", "zyz-theirs", true)
	if code, out, errs := run("-force"); code != 0 || !strings.Contains(out, "0 due") {
		t.Errorf("again: %d %s%s", code, out, errs)
	}
	if code, out, _ := home.Run("conversations", "-worlds", home.Worlds, "-realm", "r"); code != 0 || !strings.Contains(out, "abandoned") || strings.Contains(out, "zyz-gone") {
		t.Errorf("%d %s", code, out)
	}

	// The server makes a pass of its own at its start, because its clock was trusted a moment ago.
	must(t, os.Remove(settings))
	now, err := json.Marshal(world.TimeOf(time.Now()))
	must(t, err)
	file(t, filepath.Join(home.Worlds, "retention.json"), `{"schema":1,"seenAt":`+string(now)+`,"waits":0}`)
	l := home.Start()
	eventually(t, "the pass at the start", func() bool { return len(holding(t, filepath.Join(home.Worlds, "later"), "zyz-late")) == 0 })
	has("later", "zyz-fresh", true)
	eventually(t, "both tenants' pass", func() bool {
		return len(holding(t, filepath.Join(home.Worlds, "tenants", "b", "r"), "zyz-theirs")) == 0
	})
	has("tenants/b/r", "zyz-kept", true)
	// The command asks the server that has the folder open, as a host of one tenant, and gets only that tenant's
	// realms.
	eventually(t, "an answer of the server", func() bool {
		code, out, _ = run("-dry-run", "-tenant", "b")
		return code == 0
	})
	if !strings.Contains(out, "b/r") || strings.Contains(out, "default") {
		t.Errorf("through the server: %s", out)
	}
	at := "http://" + l.Addr + "/api/retention"
	for _, c := range []struct {
		method, query, token string
		status               int
	}{
		{"GET", "?dryRun=1", l.Token("open"), 200}, {"GET", "", l.Token("open"), 400}, {"POST", "", l.Token("open"), 200},
		{"PUT", "", l.Token("open"), 405}, {"POST", "", l.Token("spectators"), 403}, {"GET", "?dryRun=1&tenant=default", l.Token("open (b)"), 403},
	} {
		if status, body := fetch(t, c.method, at+c.query, c.token); status != c.status {
			t.Errorf("%s %s: %d %s", c.method, c.query, status, body)
		}
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	if strings.Contains(l.Log(), "zyz") {
		t.Errorf("the log has words: %s", l.Log())
	}
}
