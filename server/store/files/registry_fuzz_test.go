package files_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func TestClosedStore(t *testing.T) {
	s, _ := storetest.Open(t, afero.NewMemMapFs(), "/worlds")
	e := create(t, s, world.Realm{Name: "R"})
	storetest.Must(t, s.Close())
	storetest.Must(t, s.Close())
	_, err := home(s).Create(world.Realm{Name: "R"})
	storetest.MustBe(t, err, disk.ErrClosed)
	storetest.MustBe(t, home(s).Update(e.RealmInfo), disk.ErrClosed)
	storetest.MustBe(t, home(s).SetLastActive(e.ID), disk.ErrClosed)
	storetest.MustBe(t, home(s).Remove(e.ID), disk.ErrClosed)
	storetest.MustBe(t, s.SetAddress("x"), disk.ErrClosed)
	storetest.MustBe(t, s.SaveWatch(retention.Watch{}), disk.ErrClosed)
}

func FuzzLoadRegistry(f *testing.F) {
	f.Add([]byte(`{"schema":1,"lastActiveRealmId":"a","realms":[{"id":"a","name":"A","path":"/x","lastExplored":"2026-01-02T03:04:05Z","status":"idle","tenant":"default","createdAt":null}]}`))
	f.Add([]byte(`{"schema":9,"lastActiveRealmId":"b"}`))
	f.Add([]byte(`{"schema":1,"realms":[{"id":"..","name":"A","tenant":"default"}]}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := afero.NewMemMapFs()
		writeFile(t, fsys, "/worlds/realms.json", string(data))
		for _, id := range []string{"a", "b"} {
			storetest.Must(t, fsys.MkdirAll("/worlds/"+id, 0o700))
			writeFile(t, fsys, "/worlds/"+id+"/realm.db", "x")
		}
		s, err := files.Open(fsys, "/worlds", zerolog.Nop())
		storetest.Must(t, err)
		if got := ids(s); !slices.Equal(got, []string{"a", "b"}) {
			t.Fatalf("there are %q", got)
		}
		for _, e := range home(s).List() {
			if !wire.ValidName(e.Name) {
				t.Fatalf("%+v", e)
			}
		}
		create(t, s, world.Realm{ID: "c", Name: "C"})
		storetest.Must(t, home(s).Remove("a"))
		want := home(s).List()
		storetest.Must(t, s.Close())
		if r, err := files.DecodeRegistry(data); err != nil && r != nil {
			return // newer: what happened since is in memory only
		}
		s, err = files.Open(fsys, "/worlds", zerolog.Nop())
		storetest.Must(t, err)
		if got := home(s).List(); !reflect.DeepEqual(got, want) {
			t.Fatalf("came back as %v, was %v", got, want)
		}
		storetest.Must(t, s.Close())
	})
}

// A folder from before there were tenants opens unchanged. The previous version can open it until another tenant has
// a realm with the same id or a last active realm (S1-20).
func TestRegistryWithoutTenants(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		good, err := files.EncodeCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("old", 1)), 0)
		storetest.Must(t, err)
		writeFile(t, fsys, filepath.Join(dir, "old", files.StateFile), string(good))
		writeFile(t, fsys, filepath.Join(dir, "realms.json"), `{"schema":1,"lastActiveRealmId":"old","realms":[{"id":"old","name":"Old","path":"/x","lastExplored":"2026-01-02T03:04:05.000Z","status":"paused"}]}`)
		s, log := storetest.Open(t, fsys, dir)
		e, ok := home(s).Get("old")
		if !ok || e.Name != "Old" || e.Status != "paused" || home(s).LastActive() != "old" || strings.Contains(log.String(), "damaged") {
			t.Errorf("%+v, active %q\n%s", e, home(s).LastActive(), log)
		}
		storetest.Must(t, home(s).Update(e.RealmInfo))
		create(t, s, world.Realm{ID: "theirs", Name: "Theirs", Tenant: "b"})
		if text := readFile(t, fsys, filepath.Join(dir, "realms.json")); !strings.Contains(text, `"schema": 1`) {
			t.Errorf("%s", text)
		}
		storetest.Must(t, of(s, "b").SetLastActive("theirs"))
		create(t, s, world.Realm{ID: "old", Name: "The same id", Tenant: "b"})
		if text := readFile(t, fsys, filepath.Join(dir, "realms.json")); !strings.Contains(text, `"schema": 2`) {
			t.Errorf("%s", text)
		}
		s, log = reopen(t, s)
		if of(s, "b").LastActive() != "theirs" || home(s).LastActive() != "old" || len(all(s)) != 3 || strings.Contains(log.String(), "damaged") {
			t.Errorf("%v\n%s", all(s), log)
		}
		if e, ok := of(s, "b").Get("old"); !ok || e.Name != "The same id" {
			t.Errorf("%+v", e)
		}
	})
}
