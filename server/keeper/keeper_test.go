package keeper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// memory is a realm's journal and files in memory. No test reads them back.
type memory struct {
	realm.Transcripts
	mu      sync.Mutex
	seq     int64
	atClose error // what Close gives
	closed  bool
	told    func(world.Body, world.Time) // each event
	slow    time.Duration                // see shelf.slow
	stuck   chan struct{}                // see stick
}

func (m *memory) Commit(b *world.Batch) error {
	m.mu.Lock()
	stuck := m.stuck
	m.mu.Unlock()
	if stuck != nil {
		<-stuck
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq += int64(len(b.Records))
	for _, r := range b.Records {
		m.told(r.Event.Body, r.Event.At)
	}
	return nil
}
func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return m.atClose
}

func (m *memory) failClose(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.atClose = err
}
func (m *memory) Read(context.Context, int64, int) ([]world.Frame, error) { return nil, nil }
func (m *memory) Floor() int64                                            { return 1 }
func (m *memory) MarkVaults(world.VaultMark) error                        { return nil }
func (m *memory) SaveBase(world.Checkpoint) error                         { return nil }
func (m *memory) Idle()                                                   {}
func (m *memory) Asides(world.Time) ([]string, error)                     { return nil, nil }
func (m *memory) Forget(int64, int64, []string) (int, []string, error)    { return 0, nil, nil }
func (m *memory) WriteVault(world.Vault) error                            { return nil }
func (m *memory) SessionFiles() ([]string, error)                         { return nil, nil }
func (m *memory) ReadSession(string) ([]byte, error)                      { return nil, nil }
func (m *memory) RemoveSession(string) error                              { return nil }
func (m *memory) LoadSkills([]world.Skill) ([]world.SkillText, error)     { return nil, nil }
func (m *memory) WriteSkill(world.SkillFiles) error                       { return nil }
func (m *memory) ReadSkill(string) (map[string]string, error) {
	return nil, world.ErrNoSkill
}

// folder is a worlds folder in memory with the shelves of its tenants.
type folder map[string]*shelf

func (f folder) Tenants() []string { return slices.Sorted(maps.Keys(f)) }
func (f folder) Tenant(name string) (TenantStore, error) {
	if f[name] == nil {
		return nil, fmt.Errorf("no tenant %q", name)
	}
	return f[name], nil
}

// shelf is a tenant's realms in memory.
type shelf struct {
	mu         sync.Mutex
	realms     []wire.RealmInfo
	last       string
	unfinished map[string]bool
	broken     map[string]bool
	open       map[string]*memory // the memories of the realms at their last opening
	opened     []string
	auto       []bool
	removed    []string
	noCreate   error
	heads      map[string][]retention.Head
	noHeads    map[string]error
	talks      map[string][]world.SavedConversation // the conversations with which each realm is opened
}

func newShelf(ids ...string) *shelf {
	s := &shelf{
		unfinished: map[string]bool{}, broken: map[string]bool{}, open: map[string]*memory{},
		heads: map[string][]retention.Head{}, noHeads: map[string]error{}, talks: map[string][]world.SavedConversation{},
	}
	for _, id := range ids {
		s.realms = append(s.realms, wire.RealmInfo{ID: id, Status: world.StatusIdle})
	}
	return s
}

func (s *shelf) Realms() ([]wire.RealmInfo, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.realms), s.last
}
func (s *shelf) Unfinished(id string) bool { return s.unfinished[id] }
func (s *shelf) FindByPath(path string) (string, bool) {
	for _, r := range s.realms {
		if r.Path == path {
			return r.ID, true
		}
	}
	return "", false
}
func (s *shelf) FreeID(name string) (string, error) { return "free-" + name, nil }
func (s *shelf) Create(id, name, path string) (world.Realm, error) {
	if s.noCreate != nil {
		return world.Realm{}, s.noCreate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		id = fmt.Sprint("new", len(s.realms))
	}
	s.realms = append(s.realms, wire.RealmInfo{ID: id, Name: name, Path: path, Status: world.StatusIdle})
	return world.Realm{ID: id, Name: name, Path: path, Tenant: "default"}, nil
}
func (s *shelf) Open(_ context.Context, id string, auto bool) (Opened, error) {
	if s.broken[id] {
		return Opened{}, errors.New("the folder cannot be read")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened, s.auto = append(s.opened, id), append(s.auto, auto)
	m := &memory{told: func(b world.Body, at world.Time) { s.told(id, b, at) }}
	s.open[id] = m
	r := world.Realm{ID: id, Name: id, Tenant: "default"}
	return Opened{
		Saved: world.Saved{
			Realm: r, World: world.New(r), Land: world.NewLand(), Epoch: fmt.Sprint("e", len(s.opened)), Lines: []world.Line{{Epoch: fmt.Sprint("e", len(s.opened)), FromSeq: 1}},
			Conversations: slices.Clone(s.talks[id]),
		},
		Journal: m, Files: m, SaveMap: func([]byte) error { return nil },
	}, nil
}
func (s *shelf) Update(wire.RealmInfo) error { return nil }
func (s *shelf) SetLastActive(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = id
	return nil
}
func (s *shelf) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.open[id]; m != nil && !m.isClosed() {
		return errors.New("it is open")
	}
	s.removed = append(s.removed, id)
	s.realms = slices.DeleteFunc(s.realms, func(r wire.RealmInfo) bool { return r.ID == id })
	return nil
}

// told updates the status of a conversation after an event, as the tables of a real realm do.
func (s *shelf) told(id string, b world.Body, at world.Time) {
	status, ok := b.(*world.ConversationStatus)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.heads[id] {
		if h := &s.heads[id][i]; h.ID == status.ConversationID {
			h.Status, h.UpdatedAt, h.EndedAt = status.Status, at, at
		}
	}
}

func (s *shelf) Heads(_ context.Context, id string) ([]retention.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.noHeads[id]; err != nil {
		return nil, err
	}
	return slices.Clone(s.heads[id]), nil
}

func (m *memory) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

func (s *shelf) opens(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, o := range s.opened {
		if o == id {
			n++
		}
	}
	return n
}

// folders reads the folders below /repo. /repo/unreadable exists and cannot be read.
type folders struct{}

func (folders) Check(path string) (string, error) {
	if !strings.HasPrefix(path, "/repo") {
		return "", wire.Errorf(wire.NotFound, "there is no folder %s", path)
	}
	return path, nil
}
func (folders) Scan(_ context.Context, path string, progress func(int)) (*dungeon.Tree, world.Map, error) {
	progress(1)
	if path == "/repo/unreadable" {
		return nil, world.Map{}, errors.New("permission denied")
	}
	tree, err := dungeon.NewBuilder("x").Build()
	return tree, world.Map{Files: 1}, err
}
func (folders) Follow(ctx context.Context, _ string, _ *dungeon.Survey, _ func(*dungeon.Survey, dungeon.Change)) {
	<-ctx.Done()
}

type nothing struct{}

func (nothing) All() []*world.Template                           { return nil }
func (nothing) Template(string) (*world.Template, error)         { return nil, errors.New("none") }
func (nothing) Driver(*world.Template, world.Role) driver.Driver { return nil }

func keep(t *testing.T, s *shelf, f func(t *testing.T, k *Tenant)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := New(Config{Store: folder{"default": s}, Folders: folders{}, Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop()})
		k.Start(t.Context())
		home, err := k.Tenant("default")
		if err != nil {
			t.Fatal(err)
		}
		f(t, home)
		if n, err := k.Stop(); n != 0 || err != nil {
			t.Errorf("stop: %d, %v", n, err)
		}
		for id, m := range s.open {
			if !m.isClosed() {
				t.Errorf("%s was not closed", id)
			}
		}
	})
}

// The start opens the last active realm, and every realm that continues by itself or was not closed
// cleanly. A realm that cannot be opened does not stop the others (S3-12).
func TestStartOpensWhatGoesOn_S3_12(t *testing.T) {
	s := newShelf("idle", "last", "running", "council", "crashed", "broken")
	s.last = "last"
	s.realms[2].Status, s.realms[3].Councils = world.StatusRunning, 1
	s.unfinished["crashed"] = true
	s.realms[5].Status, s.broken["broken"] = world.StatusRunning, true
	keep(t, s, func(t *testing.T, k *Tenant) {
		if !slices.Equal(s.opened, []string{"last", "running", "council", "crashed"}) || slices.Contains(s.auto, false) {
			t.Errorf("opened %v, by itself %v", s.opened, s.auto)
		}
		if r, ok := k.Current(); !ok || r.ID() != "last" || k.Phase() != wire.PhasePlaying {
			t.Errorf("current %v", ok)
		}
	})
}

func TestNothingActiveIsOnboarding_S3_13(t *testing.T) {
	keep(t, newShelf("a"), func(t *testing.T, k *Tenant) {
		if _, ok := k.Current(); ok || k.Phase() != wire.PhaseOnboarding {
			t.Errorf("phase %s", k.Phase())
		}
	})
}

// A failed link changes nothing (B22): the last active realm stays the last active one, and no partial
// realm remains.
func TestFailedLinkChangesNothing_B22(t *testing.T) {
	s := newShelf("a")
	s.last = "a"
	keep(t, s, func(t *testing.T, k *Tenant) {
		no := func(wire.RealmProgress) {}
		for _, path := range []string{"/elsewhere", "/repo/unreadable"} {
			if _, err := k.Link(t.Context(), path, no); err == nil {
				t.Errorf("%s is linked", path)
			}
		}
		s.noCreate = errors.New("the disk is full")
		if _, err := k.Link(t.Context(), "/repo/x", no); err == nil {
			t.Error("linked onto a full disk")
		}
		s.noCreate = nil
		s.broken["new1"] = true
		if _, err := k.Link(t.Context(), "/repo/x", no); err == nil || !slices.Contains(s.removed, "new1") {
			t.Errorf("what could not be opened stays: %v, removed %v", err, s.removed)
		}
		delete(s.broken, "new1")
		if r, ok := k.Current(); !ok || r.ID() != "a" || s.last != "a" || k.Phase() != wire.PhasePlaying {
			t.Error("the realm at hand is another")
		}
		r, err := k.Link(t.Context(), "/repo/y", no)
		if err != nil || s.last != r.ID() {
			t.Fatalf("a good link: %v", err)
		}
		again, err := k.Link(t.Context(), "/repo/y", no)
		if err != nil || again != r {
			t.Errorf("linking the same folder gives another realm: %v", err)
		}
	})
}

// A realm that nobody watches and in which nothing runs closes after ten minutes. The last active realm and
// a watched realm stay open. A closed realm opens again on request.
func TestIdleRealmsClose(t *testing.T) {
	s := newShelf("last", "idle", "watched")
	s.last = "last"
	keep(t, s, func(t *testing.T, k *Tenant) {
		if _, err := k.Open(t.Context(), "idle"); err != nil {
			t.Fatal(err)
		}
		w, err := k.Open(t.Context(), "watched")
		if err != nil {
			t.Fatal(err)
		}
		v, err := w.Attach(t.Context(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(idleAfter - time.Minute)
		synctest.Wait()
		if s.open["idle"].isClosed() {
			t.Error("closed too early")
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if !s.open["idle"].isClosed() || s.open["watched"].isClosed() || s.open["last"].isClosed() {
			t.Errorf("idle closed %v, watched %v, last %v", s.open["idle"].isClosed(), s.open["watched"].isClosed(), s.open["last"].isClosed())
		}
		if _, err := k.Open(t.Context(), "idle"); err != nil || s.opens("idle") != 2 {
			t.Errorf("it opens %d times: %v", s.opens("idle"), err)
		}
		v.Close()
	})
}

// At most maxOpen realms are open. The realm that has been idle longest is closed to make room; if none is
// idle, the next opening is refused.
func TestRoomForRealms(t *testing.T) {
	var ids []string
	for i := range maxOpen + 2 {
		ids = append(ids, fmt.Sprintf("r%02d", i))
	}
	s := newShelf(ids...)
	keep(t, s, func(t *testing.T, k *Tenant) {
		for _, id := range ids[:maxOpen] {
			if _, err := k.Open(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := k.Open(t.Context(), ids[maxOpen]); err == nil {
			t.Error("one more is open, and none was idle")
		}
		time.Sleep(2 * time.Minute) // long enough to be seen as idle
		if _, err := k.Open(t.Context(), ids[maxOpen]); err != nil {
			t.Errorf("no room is made: %v", err)
		}
		open := 0
		for _, m := range s.open {
			if !m.isClosed() {
				open++
			}
		}
		if open != maxOpen {
			t.Errorf("%d are open", open)
		}
	})
}

// Remove closes a realm first, and returns an error for a realm that does not exist (B9).
func TestRemove(t *testing.T) {
	s := newShelf("a", "b")
	s.last = "a"
	keep(t, s, func(t *testing.T, k *Tenant) {
		for _, id := range []string{"", ".", "..", "nobody"} {
			var refused *wire.Error
			if err := k.Remove(t.Context(), id); !errors.As(err, &refused) || refused.Code != wire.NotFound {
				t.Errorf("%q: %v", id, err)
			}
		}
		if err := k.Remove(t.Context(), "a"); err != nil || !slices.Equal(s.removed, []string{"a"}) {
			t.Errorf("removed %v: %v", s.removed, err)
		}
		if _, ok := k.Current(); ok || k.Phase() != wire.PhaseOnboarding {
			t.Error("the removed realm is still at hand")
		}
	})
}

// The first line of its problem, cut to the length of a name, is the name of a realm without a folder.
func TestNameOf(t *testing.T) {
	for in, want := range map[string]string{
		"What now?":                         "What now?",
		"  two\nlines":                      "two",
		"a\tb\x00c":                         "a b c",
		"":                                  "realm",
		" \n ":                              "realm",
		strings.Repeat("é", wire.MaxName+9): strings.Repeat("é", wire.MaxName-1) + "…",
		strings.Repeat("é", wire.MaxName):   strings.Repeat("é", wire.MaxName),
		"How do we make the start of the server faster?": "How do we make the start of the server…",
		"turned \u202eround":                             "turned  round",
		string([]byte{0xff, 0xfe}) + "broken":            "?broken",
	} {
		if got := nameOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
