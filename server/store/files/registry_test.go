package files_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func create(t *testing.T, s *files.Worlds, r world.Realm) files.RealmEntry {
	t.Helper()
	e, err := of(s, cmp.Or(r.Tenant, world.DefaultTenant)).Create(r)
	storetest.Must(t, err)
	return e
}

// home returns the realms of the default tenant.
func home(s *files.Worlds) *files.Tenant { return of(s, world.DefaultTenant) }

func of(s *files.Worlds, tenant string) *files.Tenant {
	t, err := s.Tenant(tenant)
	if err != nil {
		panic(err)
	}
	return t
}

// all returns the realms of all tenants.
func all(s *files.Worlds) []files.RealmEntry {
	out := []files.RealmEntry{}
	for _, name := range s.Tenants() {
		out = append(out, of(s, name).List()...)
	}
	return out
}

func ids(s *files.Worlds) []string {
	out := []string{}
	for _, e := range all(s) {
		out = append(out, e.ID)
	}
	slices.Sort(out)
	return out
}

// The registry and the last active realms are loaded when Open returns (S3-16, B1). Every realm is stored from its
// creation on (B2), and a clean stop removes nothing (B3).
func TestRegistryComesBack(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		if len(home(s).List()) != 0 || home(s).LastActive() != "" {
			t.Fatalf("a fresh folder has %v, active %q", home(s).List(), home(s).LastActive())
		}
		linked := create(t, s, world.Realm{Name: "Wörk Stuff: #1", Path: "/repo/work"})
		bare := create(t, s, world.Realm{Name: "???"})
		guest := create(t, s, world.Realm{Name: "Guest", Tenant: "guests"})
		storetest.Must(t, home(s).SetLastActive(bare.ID))
		info := linked.RealmInfo
		info.Name, info.Findings, info.Stage, info.Status, info.LastExplored = "Renamed", 41, "critique", world.StatusRunning, 1_800_000_000_000
		storetest.Must(t, home(s).Update(info))

		s, _ = reopen(t, s)
		if home(s).LastActive() != bare.ID {
			t.Errorf("active is %q, want %q", home(s).LastActive(), bare.ID)
		}
		linked.RealmInfo = info
		for _, want := range []files.RealmEntry{linked, bare, guest} {
			if got, ok := of(s, want.Tenant).Get(want.ID); !ok || got != want {
				t.Errorf("came back as %+v, was %+v", got, want)
			}
		}
		if home(s).List()[0].ID != linked.ID {
			t.Errorf("the one explored last is not first: %v", home(s).List())
		}
		if got, ok := home(s).FindByPath("/repo/x/..//work"); !ok || got.ID != linked.ID {
			t.Errorf("by path: %+v, %v", got, ok)
		}
		for _, tc := range [][2]string{{"default", ""}, {"default", "/repo"}, {"guests", "/repo/work"}} {
			if got, ok := of(s, tc[0]).FindByPath(tc[1]); ok {
				t.Errorf("%q has a realm: %+v", tc, got)
			}
		}
		guestDir, err := of(s, "guests").RealmDir(guest.ID)
		storetest.Must(t, err)
		if guestDir != filepath.Join(s.Dir(), "tenants", "guests", guest.ID) {
			t.Errorf("the guests' realm is at %s", guestDir)
		}
	})
}

func TestRealmIDs(t *testing.T) {
	for name, want := range map[string]string{
		"Wörk Stuff: #1": "w-rk-stuff-1", "???": "realm", "templates": "templates", "-a--b-": "a-b",
		"日本": "realm", strings.Repeat("x", 40): strings.Repeat("x", 32), strings.Repeat("ab ", 13): "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab",
	} {
		if got := files.Slug(name); got != want {
			t.Errorf("slug of %q is %q, want %q", name, got, want)
		}
	}
	s, _ := storetest.Open(t, afero.NewMemMapFs(), "/worlds")
	seen := map[string]bool{}
	for range 50 {
		id := create(t, s, world.Realm{Name: "Templates"}).ID
		if seen[id] || !files.UsableID(id) || !strings.HasPrefix(id, "templates-") {
			t.Errorf("id %q", id)
		}
		seen[id] = true
	}
}

func TestCreateRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		create(t, s, world.Realm{ID: "taken", Name: "Taken"})
		storetest.Must(t, fsys.MkdirAll(filepath.Join(dir, "full", "of"), 0o700))
		storetest.Must(t, fsys.MkdirAll(filepath.Join(dir, "empty"), 0o700))
		before := storetest.Names(t, fsys, dir)
		for _, r := range []world.Realm{
			{Name: ""}, {Name: " "}, {Name: "a\x00b"}, {Name: strings.Repeat("x", 41)},
			{Name: "x", ID: "."}, {Name: "x", ID: ".."}, {Name: "x", ID: "a/b"}, {Name: "x", ID: "taken"}, {Name: "x", ID: "full"},
			{Name: "x", ID: "templates"}, {Name: "x", ID: "teams"}, {Name: "x", ID: "tenants"},
			{Name: "x", Tenant: ".."}, {Name: "x", Tenant: "a/b"},
			{Name: "x", Path: "relative"}, {Name: "x", Path: "/not\xffutf8"}, {Name: "x", Path: "/" + strings.Repeat("x", wire.MaxPath)},
			{Name: "x", Path: s.Dir()}, {Name: "x", Path: s.Dir() + "/taken/repo"}, {Name: "x", Path: s.Dir() + "/../" + filepath.Base(dir)},
		} {
			if e, err := home(s).Create(r); err == nil {
				t.Errorf("%+v became %+v", r, e)
			}
		}
		_, err := home(s).Create(world.Realm{Name: "x", Path: s.Dir() + "/new"})
		storetest.MustBe(t, err, files.ErrInWorlds)
		if got := storetest.Names(t, fsys, dir); !slices.Equal(got, before) || len(home(s).List()) != 1 {
			t.Errorf("refusals left %q, were %q", got, before)
		}
		create(t, s, world.Realm{ID: "empty", Name: "a..b", Path: filepath.Dir(s.Dir())}) // around the worlds folder is fine
	})
}

// Remove deletes exactly one registered realm's folder (B9).
func TestRemove(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		storetest.Must(t, fsys.MkdirAll(filepath.Join(dir, "templates"), 0o700))
		storetest.Must(t, fsys.MkdirAll(filepath.Join(dir, "not-a-realm"), 0o700))
		keep := create(t, s, world.Realm{ID: "keep", Name: "Keep"})
		gone := create(t, s, world.Realm{ID: "gone", Name: "Gone"})
		create(t, s, world.Realm{ID: "guest", Name: "Guest", Tenant: "guests"})
		for _, id := range []string{keep.ID, gone.ID, "guest"} {
			tenant := home(s)
			if id == "guest" {
				tenant = of(s, "guests")
			}
			files, err := tenant.RealmFiles(id)
			storetest.Must(t, err)
			storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt(id, 1))))
			storetest.Must(t, files.WriteVault(world.Vault{AgentID: "scout"}))
		}
		storetest.Must(t, home(s).SetLastActive(gone.ID))
		before := storetest.Names(t, fsys, dir)
		for _, id := range []string{"", ".", "..", "/", "keep/..", "../worlds/keep", "templates", "tenants", "not-a-realm", "Gone", "gone ", "gone\x00", "*"} {
			storetest.MustBe(t, home(s).Remove(id), files.ErrNoRealm)
		}
		if got := storetest.Names(t, fsys, dir); !slices.Equal(got, before) {
			t.Fatalf("the folder holds %q, held %q", got, before)
		}

		storetest.Must(t, home(s).Remove(gone.ID))
		storetest.MustBe(t, home(s).Remove("guest"), files.ErrNoRealm)
		storetest.Must(t, of(s, "guests").Remove("guest"))
		storetest.MustBe(t, home(s).Remove(gone.ID), files.ErrNoRealm)
		want := slices.DeleteFunc(before, func(n string) bool { return n == "gone" })
		if got := storetest.Names(t, fsys, dir); !slices.Equal(got, want) {
			t.Errorf("the folder holds %q, want %q", got, want)
		}
		if got := storetest.Names(t, fsys, filepath.Join(dir, "tenants", "guests")); len(got) != 0 {
			t.Errorf("the guests' folder holds %q", got)
		}
		s, _ = reopen(t, s)
		if got := ids(s); !slices.Equal(got, []string{"keep"}) || home(s).LastActive() != "" {
			t.Errorf("there are %q, active %q", got, home(s).LastActive())
		}
		kept, err := home(s).RealmFiles(keep.ID)
		storetest.Must(t, err)
		if _, err := kept.LoadCheckpoint(files.StateFile); err != nil {
			t.Error(err)
		}
		storetest.MustBe(t, home(s).SetLastActive("gone"), files.ErrNoRealm)
		storetest.MustBe(t, home(s).Update(gone.RealmInfo), files.ErrNoRealm)
		_, err = home(s).RealmFiles("gone")
		storetest.MustBe(t, err, files.ErrNoRealm)
	})
}

// Remove does not follow a link in the place of a realm, and never deletes a linked repository, wherever it is and
// whichever realm it belongs to (B9).
func TestRemoveSparesLinksAndRepositories(t *testing.T) {
	fsys := afero.NewOsFs()
	base := t.TempDir()
	dir := filepath.Join(base, "worlds")
	s, _ := storetest.Open(t, fsys, dir)

	elsewhere := filepath.Join(base, "elsewhere")
	writeFile(t, fsys, filepath.Join(elsewhere, "precious"), "x")
	create(t, s, world.Realm{ID: "moved", Name: "Moved"})
	storetest.Must(t, os.Remove(filepath.Join(dir, "moved")))
	storetest.Must(t, os.Symlink(elsewhere, filepath.Join(dir, "moved")))
	s, _ = reopen(t, s)
	storetest.Must(t, home(s).Remove("moved"))
	if _, err := os.Lstat(filepath.Join(dir, "moved")); !os.IsNotExist(err) {
		t.Errorf("the link is still there: %v", err)
	}
	readFile(t, fsys, filepath.Join(elsewhere, "precious"))

	create(t, s, world.Realm{ID: "inner", Name: "Inner"})
	storetest.Must(t, os.Symlink(elsewhere, filepath.Join(dir, "inner", "link")))
	storetest.Must(t, home(s).Remove("inner"))
	readFile(t, fsys, filepath.Join(elsewhere, "precious"))

	// A path that leads into the worlds folder through a link from outside is refused too.
	storetest.Must(t, os.Symlink(dir, filepath.Join(base, "shortcut")))
	_, err := home(s).Create(world.Realm{Name: "x", Path: filepath.Join(base, "shortcut", "repo")})
	storetest.MustBe(t, err, files.ErrInWorlds)

	// The registry of an older version may have a realm whose path leads into the worlds folder.
	create(t, s, world.Realm{ID: "holder", Name: "Holder"})
	other := create(t, s, world.Realm{ID: "other", Name: "Other"})
	writeFile(t, fsys, filepath.Join(dir, "holder", "repo", "precious"), "x")
	other.Path = filepath.Join(base, "shortcut", "holder", "repo")
	storetest.Must(t, home(s).Update(other.RealmInfo))
	storetest.MustBe(t, home(s).Remove("holder"), files.ErrInWorlds)
	readFile(t, fsys, filepath.Join(dir, "holder", "repo", "precious"))
}

// A realm is a folder: Open adopts a folder that is not registered and removes the entry of a missing one, also if it
// was moved to another tenant.
func TestFoldersAreTheAuthority(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		write := func(id, file, text string) { writeFile(t, fsys, filepath.Join(dir, id, file), text) }
		good, err := files.EncodeCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("original", 3)), 0)
		storetest.Must(t, err)
		s, _ := storetest.Open(t, fsys, dir)
		create(t, s, world.Realm{ID: "lost", Name: "Lost"})
		empty := create(t, s, world.Realm{ID: "empty", Name: "Both files gone", Path: "/repo/both"})
		moved := create(t, s, world.Realm{ID: "moved", Name: "Moved"})
		storetest.Must(t, home(s).SetLastActive("lost"))
		storetest.Must(t, s.Close())

		storetest.Must(t, fsys.Remove(filepath.Join(dir, "lost")))
		storetest.Must(t, fsys.Remove(filepath.Join(dir, "moved")))
		storetest.Must(t, fsys.MkdirAll(filepath.Join(dir, "tenants", "guests", "moved"), 0o700))
		write("copied", "state.json", string(good))
		write("older", "state.prev.json", string(good))
		write("journal", "realm.db", "x")
		write("damaged", "state.json", "{")
		write("newer", "state.json", `{"schema":99}`)
		write("tenants/guests/guest", "state.json", string(good))
		write("tenants/default/not", "state.json", string(good)) // the default tenant lives in the root
		write("tenants/guests/copied", "state.json", string(good))
		write("templates", "state.json", string(good))
		write("with.dot", "state.json", string(good))
		write("nothing", "notes.txt", "x")

		s, log := storetest.Open(t, fsys, dir)
		want := []string{"copied", "copied", "damaged", "empty", "guest", "journal", "moved", "newer", "older"}
		if got := ids(s); !slices.Equal(got, want) {
			t.Fatalf("there are %q, want %q\n%s", got, want, log)
		}
		if home(s).LastActive() != "" {
			t.Errorf("active is %q, whose folder is gone", home(s).LastActive())
		}
		entry := func(id, tenant string) files.RealmEntry {
			return files.RealmEntry{RealmInfo: wire.RealmInfo{ID: id, Name: "The Cellar <1>", Path: "/repo/original",
				LastExplored: 1_700_000_000_003, Status: "idle", Files: 3, Findings: 3}, Tenant: tenant}
		}
		unknown := func(id string) files.RealmEntry {
			return files.RealmEntry{RealmInfo: wire.RealmInfo{ID: id, Name: id, Status: "unknown"}, Tenant: "default"}
		}
		moved.Tenant = "guests"
		for _, want := range []files.RealmEntry{entry("copied", "default"), entry("older", "default"), entry("guest", "guests"), entry("copied", "guests"),
			unknown("journal"), unknown("damaged"), unknown("newer"), empty, moved} {
			if got, _ := of(s, want.Tenant).Get(want.ID); got != want {
				t.Errorf("%s is %+v, want %+v", want.ID, got, want)
			}
		}
		for _, part := range []string{`"realm":"lost"`, "belongs to that tenant now", "belongs to no tenant"} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("the log does not say %s: %s", part, log)
			}
		}
		s, log = reopen(t, s)
		if strings.Contains(log.String(), "adopted") || !slices.Equal(ids(s), want) {
			t.Errorf("what was found was not kept: %q\n%s", ids(s), log)
		}
	})
}

func TestLinkedFolderIsNotAdopted(t *testing.T) {
	fsys := afero.NewOsFs()
	dir := t.TempDir()
	good, err := files.EncodeCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1)), 0)
	storetest.Must(t, err)
	elsewhere := t.TempDir()
	writeFile(t, fsys, filepath.Join(elsewhere, files.StateFile), string(good))
	storetest.Must(t, os.Symlink(elsewhere, filepath.Join(dir, "link")))
	storetest.Must(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")))
	s, log := storetest.Open(t, fsys, dir)
	if len(home(s).List()) != 0 || !strings.Contains(log.String(), "a symbolic link to a folder is ignored") {
		t.Errorf("there are %v\n%s", home(s).List(), log)
	}
}

// A damaged registry is set aside, never overwritten, and made again from the folders. The start continues (B10,
// S3-17).
func TestDamagedRegistry(t *testing.T) {
	valid := func(change func(m map[string]any)) string {
		m := map[string]any{"schema": 1, "realms": []any{map[string]any{"id": "x", "name": "X", "tenant": "default"}}}
		change(m)
		b, err := json.Marshal(m)
		storetest.Must(t, err)
		return string(b)
	}
	first := func(m map[string]any) map[string]any { return m["realms"].([]any)[0].(map[string]any) }
	for name, text := range map[string]string{
		"empty": "", "cut": `{"schema":1,"realms":[{"id":"x"`, "list": "[]", "null": "null",
		"no schema": valid(func(m map[string]any) { delete(m, "schema") }),
		"types":     valid(func(m map[string]any) { m["realms"] = 1 }),
		"id":        valid(func(m map[string]any) { first(m)["id"] = ".." }),
		"no id":     valid(func(m map[string]any) { first(m)["id"] = "" }),
		"reserved":  valid(func(m map[string]any) { first(m)["id"] = "tenants" }),
		"twice":     valid(func(m map[string]any) { m["realms"] = append(m["realms"].([]any), m["realms"].([]any)...) }),
		"tenant":    valid(func(m map[string]any) { first(m)["tenant"] = "../x" }),
		"name":      valid(func(m map[string]any) { first(m)["name"] = "a\nb" }),
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
				s, _ := storetest.Open(t, fsys, dir)
				for n, id := range []string{"old", "new", "mid"} {
					create(t, s, world.Realm{ID: id, Name: id})
					files, err := home(s).RealmFiles(id)
					storetest.Must(t, err)
					storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt(id, []int64{1, 3, 2}[n]))))
				}
				storetest.Must(t, s.Close())
				writeFile(t, fsys, filepath.Join(dir, "realms.json"), text)

				s, log := storetest.Open(t, fsys, dir)
				if got := ids(s); !slices.Equal(got, []string{"mid", "new", "old"}) || home(s).LastActive() != "new" {
					t.Errorf("there are %q, active %q\n%s", got, home(s).LastActive(), log)
				}
				i := slices.IndexFunc(storetest.Names(t, fsys, dir), func(n string) bool { return strings.HasPrefix(n, "realms.aside-") })
				if i < 0 || readFile(t, fsys, filepath.Join(dir, storetest.Names(t, fsys, dir)[i])) != text {
					t.Errorf("it was not set aside: %q", storetest.Names(t, fsys, dir))
				}
			})
		})
	}
}

// A registry of a newer version is not changed. The server works from the folders, keeps changes in memory, and logs
// that.
func TestNewerRegistry(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		for n, id := range []string{"one", "two"} {
			create(t, s, world.Realm{ID: id, Name: id})
			files, err := home(s).RealmFiles(id)
			storetest.Must(t, err)
			storetest.Must(t, files.WriteCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt(id, int64(2-n)))))
		}
		storetest.Must(t, s.Close())
		for text, active := range map[string]string{
			`{"schema":9,"lastActiveRealmId":"two","realms":{"two":"differently"}}`: "two",
			`{"schema":9,"lastActiveRealmId":7}`:                                    "one",
			`{"schema":9,"lastActiveRealmId":"unknown"}`:                            "one",
		} {
			writeFile(t, fsys, filepath.Join(dir, "realms.json"), text)
			s, log := storetest.Open(t, fsys, dir)
			if got := ids(s); !slices.Equal(got, []string{"one", "two"}) || home(s).LastActive() != active {
				t.Errorf("%s: there are %q, active %q", text, got, home(s).LastActive())
			}
			if !strings.Contains(log.String(), disk.ErrNewer.Error()) {
				t.Errorf("the log does not say so: %s", log)
			}
			create(t, s, world.Realm{ID: "three", Name: "Three"})
			storetest.Must(t, home(s).SetLastActive("three"))
			storetest.Must(t, home(s).Remove("three"))
			if got := readFile(t, fsys, filepath.Join(dir, "realms.json")); got != text {
				t.Errorf("it was changed to %s", got)
			}
			storetest.Must(t, s.Close())
		}
	})
}

// A registry that cannot be read for a while is not overwritten. Once it can be read, its realms and its last active
// realm are used again (B10).
func TestUnreadableRegistry(t *testing.T) {
	faults := crashfs.NewFaults(afero.NewMemMapFs())
	s, _ := storetest.Open(t, faults, "/worlds")
	create(t, s, world.Realm{ID: "one", Name: "One"}) // its folder is empty: only the registry knows it
	storetest.Must(t, home(s).SetLastActive("one"))
	storetest.Must(t, s.Close())

	unreadable := func(op crashfs.Op) error {
		if op.Path == "/worlds/realms.json" && op.Name == "open" {
			return syscall.EACCES
		}
		return nil
	}
	faults.Script(unreadable)
	s, log := storetest.Open(t, faults, "/worlds")
	if len(home(s).List()) != 0 || !strings.Contains(log.String(), "permission denied") {
		t.Errorf("there are %v\n%s", home(s).List(), log)
	}
	_, err := home(s).Create(world.Realm{ID: "two", Name: "Two"})
	storetest.MustBe(t, err, syscall.EACCES)
	faults.Heal()
	create(t, s, world.Realm{ID: "two", Name: "Two"})
	if got := ids(s); !slices.Equal(got, []string{"one", "two"}) || home(s).LastActive() != "one" {
		t.Errorf("there are %q, active %q", got, home(s).LastActive())
	}

	// If a person chooses the realm that the server has only guessed as the active one, the choice stays when
	// realms.json can be read again.
	storetest.Must(t, s.Close())
	writeFile(t, faults, "/worlds/found/realm.db", "x")
	faults.Script(unreadable)
	s, _ = storetest.Open(t, faults, "/worlds")
	faults.Heal()
	storetest.Must(t, home(s).SetLastActive("found"))
	create(t, s, world.Realm{ID: "three", Name: "Three"})
	storetest.Must(t, home(s).Remove("three"))
	s, _ = reopen(t, s)
	if got := ids(s); !slices.Equal(got, []string{"found", "one", "two"}) || home(s).LastActive() != "found" {
		t.Errorf("there are %q, active %q", got, home(s).LastActive())
	}
}

// The next start completes an interrupted removal.
func TestRemovalGoesOn(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		good, err := files.EncodeCheckpoint(storetest.CheckpointOf(t, "e1", storetest.WorldAt("r", 1)), 0)
		storetest.Must(t, err)
		for _, realm := range []string{"r", "tenants/guests/g"} {
			in, id := filepath.Split(realm)
			writeFile(t, fsys, filepath.Join(dir, in, ".removed."+id+".abcdef", files.StateFile), string(good))
			writeFile(t, fsys, filepath.Join(dir, realm, ".state.json.0123abcd.tmp"), "half")
			writeFile(t, fsys, filepath.Join(dir, realm, "knowledge", ".scout.json.0123abcd.tmp"), "half")
		}
		writeFile(t, fsys, filepath.Join(dir, ".mine.tmp"), "a person's own")
		s, _ := storetest.Open(t, fsys, dir)
		var left []string
		storetest.Must(t, afero.Walk(fsys, dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() {
				left = append(left, filepath.Base(path))
			}
			return err
		}))
		if want := []string{".lock", ".mine.tmp", "realms.json", "secret.key"}; !slices.Equal(left, want) || len(home(s).List()) != 0 {
			t.Errorf("left are %q, want %q", left, want)
		}
	})
}

// Readers never get a half-changed registry, and never wait for the disk.
func TestRegistryAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		s, _ := storetest.Open(t, fsys, dir)
		const n = 6
		done := make(chan error)
		for i := range n {
			go func() {
				e, err := home(s).Create(world.Realm{Name: fmt.Sprint("Realm ", i), Path: fmt.Sprint("/repo/", i)})
				if err == nil {
					err = home(s).SetLastActive(e.ID)
				}
				last := home(s).LastActive() // a realm that is removed before the next call is no longer active
				if _, ok := home(s).Get(last); err == nil && !ok && last != "" && home(s).LastActive() == last {
					err = fmt.Errorf("active is %q, which is unknown", last)
				}
				if err == nil && i%2 == 0 {
					err = home(s).Remove(e.ID)
				}
				done <- err
			}()
		}
		for range n {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		want := home(s).List()
		if len(want) != n/2 {
			t.Errorf("there are %v", want)
		}
		s, _ = reopen(t, s)
		if !reflect.DeepEqual(home(s).List(), want) {
			t.Errorf("came back as %v, were %v", home(s).List(), want)
		}
	})
}
