package keeper

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// crowd opens maxOpen realms and waits until all but the last active one count as idle.
func crowd(t *testing.T, k *Tenant, ids []string) {
	t.Helper()
	for _, id := range ids[:maxOpen] {
		if _, err := k.Open(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
}

func manyIDs() (ids []string) {
	for i := range maxOpen + 2 {
		ids = append(ids, fmt.Sprintf("r%02d", i))
	}
	return ids
}

// A client that requests one more realm and disconnects interrupts nothing: the realm that makes room is
// closed completely before it is opened again.
func TestWhoLeavesCutsNoCloseShort(t *testing.T) {
	ids := manyIDs()
	s := newShelf(ids...)
	keep(t, s, func(t *testing.T, k *Tenant) {
		crowd(t, k, ids)
		s.slow(time.Second)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := k.Open(gone, ids[maxOpen]); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("one more: %v", err)
		}
		for id, m := range s.open {
			if k.k.get(k.key(id)) == nil && !m.isClosed() {
				t.Errorf("%s is let go of and not closed", id)
			}
		}
	})
}

// A stop waits for an idle realm that is being closed.
func TestStopWaitsForWhatIsClosing(t *testing.T) {
	s := newShelf("last", "idle")
	s.last = "last"
	keep(t, s, func(t *testing.T, k *Tenant) {
		if _, err := k.Open(t.Context(), "idle"); err != nil {
			t.Fatal(err)
		}
		s.slow(2 * time.Second)
		for k.k.get(k.key("idle")) != nil { // its close has begun
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if s.open["idle"].isClosed() {
			t.Error("there is nothing to wait for")
		}
	}) // the end of the test stops the keeper, and checks that all realms are closed
}

// A realm that somebody has opened since it counted as idle is not closed to make room.
func TestWhoHasComeMeanwhileStays(t *testing.T) {
	ids := manyIDs()
	s := newShelf(ids...)
	keep(t, s, func(t *testing.T, k *Tenant) {
		crowd(t, k, ids)
		var tabs []*watch.Viewer
		for _, id := range ids[:maxOpen-1] {
			r, err := k.Open(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			v, err := r.Attach(t.Context(), watch.Position{})
			if err != nil {
				t.Fatal(err)
			}
			tabs = append(tabs, v)
		}
		synctest.Wait()
		if _, err := k.Open(t.Context(), ids[maxOpen]); err != nil {
			t.Errorf("one more: %v", err)
		}
		for _, id := range ids[:maxOpen-1] {
			if s.open[id].isClosed() {
				t.Errorf("%s was closed under its viewer", id)
			}
		}
		for _, v := range tabs {
			v.Close()
		}
	})
}

// A stopped keeper opens no realm, because nobody would close it.
func TestNothingOpensAfterTheStop(t *testing.T) {
	s := newShelf("a", "b")
	synctest.Test(t, func(t *testing.T) {
		k := New(Config{Store: folder{"default": s}, Folders: folders{}, Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop()})
		k.Start(t.Context())
		home, err := k.Tenant("default")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := k.Stop(); n != 0 || err != nil {
			t.Errorf("stop: %d, %v", n, err)
		}
		no := func(wire.RealmProgress) {}
		for what, do := range map[string]func() (*realm.Realm, error){
			"open":   func() (*realm.Realm, error) { return home.Open(t.Context(), "a") },
			"resume": func() (*realm.Realm, error) { return home.Resume(t.Context(), "a") },
			"link":   func() (*realm.Realm, error) { return home.Link(t.Context(), "/repo/x", no) },
			"bare":   func() (*realm.Realm, error) { return home.Bare(t.Context(), "a problem") },
		} {
			r, err := do()
			var refused *wire.Error
			if !errors.As(err, &refused) || refused.Code != wire.NotReady {
				t.Errorf("%s: %v", what, err)
			}
			if r != nil {
				_, err := r.Stop(t.Context())
				t.Log(err)
			}
		}
		if len(s.realms) != 2 {
			t.Errorf("there are %d realms", len(s.realms))
		}
	})
}

// A realm whose close hangs on the disk is neither opened again nor removed until it has closed: two
// openings would write one journal.
func TestWhatCannotEndIsNotOpenedAgain(t *testing.T) {
	s := newShelf("a")
	keep(t, s, func(t *testing.T, k *Tenant) {
		r, err := k.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stuck := make(chan struct{})
		s.open["a"].stick(stuck)
		r.Submit(realm.Input{From: realm.Person{SpectatorID: "p", Name: "P", Role: wire.RoleHost}, RequestID: "q", Command: &wire.SpectatorSay{Text: "a word"}})
		synctest.Wait()
		k.k.ops.Lock()
		err = k.k.closeRealm(k.key("a"))
		k.k.ops.Unlock()
		if err == nil {
			t.Error("it is closed")
		}
		var refused *wire.Error
		if _, err := k.Open(t.Context(), "a"); !errors.As(err, &refused) || refused.Code != wire.NotReady {
			t.Errorf("opened again: %v", err)
		}
		if err := k.Remove(t.Context(), "a"); !errors.As(err, &refused) || refused.Code != wire.NotReady {
			t.Errorf("removed: %v", err)
		}
		close(stuck)
		synctest.Wait()
		if _, err := k.Open(t.Context(), "a"); err != nil || s.opens("a") != 2 {
			t.Errorf("once it has ended: %v, opened %d times", err, s.opens("a"))
		}
	})
}

// A stop reports a realm that was closed earlier without being saved.
func TestStopRemembersWhatWasNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("a", "b")
		k := New(Config{Store: folder{"default": s}, Folders: folders{}, Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop()})
		home, err := k.Tenant("default")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := home.Open(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		r := k.get(home.key("a"))
		s.open["a"].failClose(world.ErrMoved)
		k.ops.Lock()
		err = k.closeRealm(home.key("a"))
		k.ops.Unlock()
		if !errors.Is(err, world.ErrMoved) {
			t.Errorf("the close says %v", err)
		}
		<-r.Done()
		if _, err := k.Stop(); !errors.Is(err, world.ErrMoved) {
			t.Errorf("the stop says %v", err)
		}
	})
}

// A realm that meets damage while a stop closes it requests its reopening. The stop and the request do not wait for
// each other.
func TestARealmMayAskForItsReopeningDuringTheStop(t *testing.T) {
	s := newShelf("last")
	s.last = "last"
	synctest.Test(t, func(t *testing.T) {
		k := New(Config{Store: folder{"default": s}, Folders: folders{}, Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop()})
		home, err := k.Tenant("default")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := home.Open(t.Context(), "last"); err != nil {
			t.Fatal(err)
		}
		s.slow(2 * time.Second)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			if _, err := k.Stop(); err != nil {
				t.Error(err)
			}
		}()
		time.Sleep(time.Second)
		if !k.mu.TryLock() { // Lock would block the bubble for ever
			t.Error("the stop holds the lock that a reopening needs")
		} else {
			k.mu.Unlock()
			home.reopen("last")
		}
		<-stopped
		if s.opens("last") != 1 || !s.open["last"].isClosed() {
			t.Errorf("opened %d times, closed %v", s.opens("last"), s.open["last"].isClosed())
		}
	})
}

// slow makes the saving take the time by when a realm closes.
func (s *shelf) slow(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.open {
		m.mu.Lock()
		m.slow = by
		m.mu.Unlock()
	}
}

// stick makes commits wait until c is closed.
func (m *memory) stick(c chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stuck = c
}

func (m *memory) WriteCheckpoint(world.Checkpoint) error {
	m.mu.Lock()
	by := m.slow
	m.mu.Unlock()
	time.Sleep(by)
	return nil
}
