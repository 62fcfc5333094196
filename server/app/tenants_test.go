package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/keeper"
	"agentdungeon/server/realm"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const answers = `{"version":1,"turns":[{"match":{"kind":"chat"},"steps":[{"say":"You said: {{words}}"}]}]}`

// twins returns a worlds folder in which two tenants have realms with the same id.
func twins(t *testing.T, tenants ...string) string {
	t.Helper()
	worlds := filepath.Join(t.TempDir(), "worlds")
	s, err := files.Open(afero.NewOsFs(), worlds, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tenants {
		of, err := s.Tenant(name)
		if err == nil {
			_, err = of.Create(world.Realm{ID: "same", Name: "of " + name})
		}
		if err == nil {
			err = of.SetLastActive("same")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return worlds
}

func tenantOf(t *testing.T, a *App, name string) *keeper.Tenant {
	t.Helper()
	k, err := a.keeper.Tenant(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A tenant that has realms and that the operator no longer names is in the log, because its links lead nowhere.
func TestTenantsThatAreNotServedAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		worlds := twins(t, "default", "named", "forgotten")
		a := start(t, worlds, func(c *Config) { c.Tenants, c.Log = []string{"named"}, zerolog.New(zerolog.SyncWriter(&log)) })
		if _, err := a.Stop(); err != nil {
			t.Error(err)
		}
		text := log.String()
		if strings.Count(text, "are not served") != 1 || !strings.Contains(text, `"tenant":"forgotten"`) {
			t.Errorf("the log has %s", text)
		}
	})
}

// said returns the words of a conversation.
func said(t *testing.T, r *realm.Realm, id string) string {
	t.Helper()
	rows, _, err := r.Transcripts().Rows(context.Background(), id, "", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range rows {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}

// Two tenants use the same realm id, conversation id and requestId. Their realms are separate, also after a
// restart and after one of them is removed (S1-08, S1-14). An action of one tenant does not affect the other.
// P2.6.
func TestSameIdsInTwoTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := twins(t, "default", "b")
		with := func(c *Config) { castFile(t, answers)(c); c.Tenants = []string{"b"} }
		a := start(t, worlds, with)
		chats := map[string]string{}
		for _, name := range []string{"default", "b"} {
			r, ok := tenantOf(t, a, name).Current()
			if !ok || r.ID() != "same" {
				t.Fatalf("tenant %s has no last active realm", name)
			}
			submit(t, r, &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, TemplateID: "standard_brainstorm", Title: "talk"})
			page, _, err := r.Transcripts().Conversations(context.Background(), world.ConversationQuery{Limit: 10})
			if err != nil || len(page) != 1 {
				t.Fatalf("%v %v", page, err)
			}
			chats[name] = page[0].ConversationID
			who := realm.Person{SpectatorID: "p1", Name: "Ada", Color: "#aabbcc", Role: wire.RoleHost}
			if e := r.Submit(realm.Input{From: who, RequestID: "q1", Command: &wire.ChatSend{ConversationID: chats[name], Content: "words of " + name}}); e != nil {
				t.Fatal(e)
			}
			time.Sleep(time.Minute) // it streams
			synctest.Wait()
		}
		if chats["default"] != chats["b"] {
			t.Fatalf("the two have different ids: %v", chats)
		}
		check := func(when string, names ...string) {
			t.Helper()
			for _, name := range names {
				r, ok := tenantOf(t, a, name).Current()
				if !ok {
					t.Fatalf("%s: tenant %s has no realm", when, name)
				}
				got := said(t, r, chats[name])
				if want := "words of " + name + "\nYou said: words of " + name; got != want {
					t.Errorf("%s: tenant %s has %q, want %q", when, name, got, want)
				}
			}
		}
		check("at once", "default", "b")
		stop(t, a)
		a = start(t, worlds, with)
		check("after a restart", "default", "b")
		if err := tenantOf(t, a, "b").Remove(context.Background(), "same"); err != nil {
			t.Fatal(err)
		}
		check("after the other's removal", "default")
		if _, err := tenantOf(t, a, "b").Open(context.Background(), "same"); err == nil {
			t.Error("the removed one opens")
		}
		for _, name := range []string{"", "B", "..", "a/b"} { // an empty tenant is a clear error
			if _, err := a.keeper.Tenant(name); err == nil ||
				!strings.Contains(err.Error(), "a tenant's name must have") {
				t.Errorf("tenant %q: %v", name, err)
			}
			dir := t.TempDir()
			_, err := recovery.Open(context.Background(), afero.NewOsFs(), dir, world.Realm{ID: "r", Name: "R", Tenant: name}, world.DefaultSettings(), time.Now())
			if err == nil || len(entries(t, dir)) > 0 {
				t.Errorf("a realm of tenant %q opens: %v, %v", name, err, entries(t, dir))
			}
		}
		stop(t, a)
	})
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// A realm that the operator moves into another tenant's folder belongs to that tenant with its whole
// transcript, and the log says so. The first tenant does not have it any more.
func TestAMovedRealmIsTheOtherTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := twins(t, "default")
		a := start(t, worlds)
		r, _ := tenantOf(t, a, "default").Current()
		submit(t, r, &wire.SpectatorSay{Text: "before the move"})
		stop(t, a)
		if err := os.MkdirAll(filepath.Join(worlds, "tenants", "b"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(worlds, "same"), filepath.Join(worlds, "tenants", "b", "same")); err != nil {
			t.Fatal(err)
		}
		for life := range 2 {
			var log strings.Builder
			a = start(t, worlds, func(c *Config) { c.Log, c.Tenants = zerolog.New(zerolog.SyncWriter(&log)), []string{"b"} })
			if _, err := tenantOf(t, a, "default").Open(context.Background(), "same"); err == nil {
				t.Error("the first tenant still has it")
			}
			r, err := tenantOf(t, a, "b").Resume(context.Background(), "same")
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			w, err := r.World(context.Background())
			if err != nil || w.Realm.Tenant != "b" || w.Tick < 3 {
				t.Errorf("life %d: it is %+v at %d (%v)", life, w.Realm, w.Tick, err)
			}
			stop(t, a)
			told := strings.Contains(log.String(), "the realm belongs to that tenant now")
			if told != (life == 0) {
				t.Errorf("life %d: the log says %s", life, &log)
			}
		}
	})
}
