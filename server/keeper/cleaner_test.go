package keeper

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/kinds"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const day = 24 * time.Hour

// office is a keeper with a cleaner, whose tenants have their realms in memory (shelf).
type office struct {
	t      *testing.T
	k      *Keeper
	shelf  *shelf
	other  *shelf // tenant b's
	policy retention.Policy

	mu     sync.Mutex
	watch  retention.Watch
	ahead  time.Duration // of the clock
	passes int
	erased []string
	calls  int
	erase  func(ctx context.Context, ids []string) error
}

// clean runs f with a keeper that has not been started. watch has what earlier servers knew of the clock; nil means
// that the clock was always right.
func clean(t *testing.T, watch *retention.Watch, f func(o *office)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := &office{t: t, shelf: newShelf(), other: newShelf(), policy: retention.Default()}
		o.watch = retention.Watch{SeenAt: world.TimeOf(time.Now())}
		if watch != nil {
			o.watch = *watch
		}
		o.k = New(Config{
			Store: folder{"default": o.shelf, "b": o.other}, Folders: folders{}, Kinds: kinds.All(),
			Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop(),
			Retention: &Retention{
				Policy: func() (retention.Policy, error) { o.count(); return o.policy, nil },
				Load:   func() (retention.Watch, error) { return o.watch, nil },
				Save:   func(w retention.Watch) error { o.mu.Lock(); defer o.mu.Unlock(); o.watch = w; return nil },
				Erase:  o.doErase,
				Clock:  func() time.Time { o.mu.Lock(); defer o.mu.Unlock(); return time.Now().Add(o.ahead) },
			},
		})
		f(o)
		if _, err := o.k.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

func (o *office) count() { o.mu.Lock(); defer o.mu.Unlock(); o.passes++ }

func (o *office) called() int { o.mu.Lock(); defer o.mu.Unlock(); return o.calls }

func (o *office) passed() int { o.mu.Lock(); defer o.mu.Unlock(); return o.passes }

func (o *office) doErase(ctx context.Context, r *realm.Realm, due []retention.Item) error {
	var ids []string
	for _, it := range due {
		ids = append(ids, it.ConversationID)
	}
	o.mu.Lock()
	o.calls++
	erase := o.erase
	o.mu.Unlock()
	if erase != nil {
		if err := erase(ctx, ids); err != nil {
			return err
		}
	}
	o.mu.Lock()
	o.erased = append(o.erased, ids...)
	o.mu.Unlock()
	for _, s := range []*shelf{o.shelf, o.other} {
		s.mu.Lock()
		s.heads[r.ID()] = slices.DeleteFunc(s.heads[r.ID()], func(h retention.Head) bool { return slices.Contains(ids, h.ID) })
		s.mu.Unlock()
	}
	return nil
}

// gone returns the ids of the deleted conversations, sorted.
func (o *office) gone() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	ids := slices.Clone(o.erased)
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// put adds a forge of this age to a realm.
func (s *shelf) put(id, conversation, status string, age time.Duration) {
	at := world.TimeOf(time.Now().Add(-age))
	h := retention.Head{ID: conversation, Kind: world.KindForge, Status: status, UpdatedAt: at}
	c := world.Conversation{ConversationID: conversation, Kind: h.Kind, Title: "x", Status: status, CreatedAt: at, UpdatedAt: at, Team: world.Team{Members: []world.Member{}}}
	if c.Ended() {
		h.EndedAt, c.EndedAt = at, at
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.realms, func(r wire.RealmInfo) bool { return r.ID == id }) {
		s.realms = append(s.realms, wire.RealmInfo{ID: id, Status: world.StatusIdle})
	}
	s.heads[id] = append(s.heads[id], h)
	s.talks[id] = append(s.talks[id], world.SavedConversation{Conversation: c})
}

// status returns the status of a conversation as the tables have it.
func (s *shelf) status(id, conversation string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.heads[id] {
		if h.ID == conversation {
			return h.Status
		}
	}
	return "gone"
}

// The cleaner runs at the start and every 24 hours. A second start does not start a second cleaner. It acts on
// nothing before its time: a silent conversation is marked as abandoned after 30 days and not after 29, and an ended
// one is deleted after 90 days, to the hour (S1-B7, S1-15, S1-16).
func TestTheCleanerRunsAtTheStartAndEveryDay(t *testing.T) {
	clean(t, nil, func(o *office) {
		s := o.shelf
		s.put("a", "old", world.ConversationCompleted, 91*day)
		s.put("a", "tomorrow", world.ConversationCompleted, 89*day+time.Hour)
		s.put("a", "kept", world.ConversationCompleted, 10*day)
		s.put("a", "silent", world.ConversationPaused, 30*day)
		s.put("a", "29", world.ConversationActive, 29*day)
		o.other.put("a", "theirs", world.ConversationAbandoned, 90*day) // with or without a tenant (S1-B8)
		o.k.Start(o.t.Context())
		o.k.Start(o.t.Context())
		synctest.Wait()
		if o.passed() != 1 || o.gone() != "old theirs" || s.status("a", "silent") != world.ConversationAbandoned || s.status("a", "29") != world.ConversationActive {
			t.Errorf("at the start: %d passes, gone %q, %v", o.passed(), o.gone(), s.heads["a"])
		}
		time.Sleep(23 * time.Hour)
		synctest.Wait()
		if o.passed() != 1 || o.gone() != "old theirs" {
			t.Errorf("after 23 hours: %d passes, gone %q", o.passed(), o.gone())
		}
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if o.passed() != 2 || o.gone() != "old theirs tomorrow" || s.status("a", "29") != world.ConversationAbandoned {
			t.Errorf("after a day: %d passes, gone %q, %v", o.passed(), o.gone(), s.heads["a"])
		}
		time.Sleep(88 * day)
		synctest.Wait()
		if s.status("a", "silent") != world.ConversationAbandoned {
			t.Error("89 days after the mark it is gone")
		}
		time.Sleep(day)
		synctest.Wait()
		if s.status("a", "silent") != "gone" || s.status("a", "kept") != "gone" {
			t.Errorf("90 days after the mark: %v", s.heads["a"])
		}
		if n := o.passed(); n != 91 {
			t.Errorf("%d passes in 90 days", n)
		}
	})
}

// The cleaner opens a realm only if there is something to do, and closes it again. A realm that was open
// stays open.
func TestTheCleanerOpensWhatItMust(t *testing.T) {
	clean(t, nil, func(o *office) {
		o.shelf.put("due", "x", world.ConversationPaused, 31*day)
		o.shelf.put("fine", "y", world.ConversationPaused, day)
		o.shelf.put("watched", "z", world.ConversationPaused, 31*day)
		home, err := o.k.Tenant("default")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := home.Resume(o.t.Context(), "watched"); err != nil {
			t.Fatal(err)
		}
		o.k.Start(o.t.Context())
		synctest.Wait()
		if o.shelf.opens("due") != 1 || o.shelf.opens("fine") != 0 || o.shelf.opens("watched") != 1 {
			t.Errorf("opened %v", o.shelf.opened)
		}
		if !o.shelf.open["due"].isClosed() || o.shelf.open["watched"].isClosed() {
			t.Error("what was closed is not closed again, or what was open is")
		}
		if o.shelf.status("due", "x") != world.ConversationAbandoned || o.shelf.status("watched", "z") != world.ConversationAbandoned {
			t.Errorf("%v", o.shelf.heads)
		}
	})
}

// A failure stops nothing else: a realm that cannot be read, a realm that cannot be opened, a conversation
// that cannot be erased (S1-B7).
func TestTheCleanerGoesOn(t *testing.T) {
	clean(t, nil, func(o *office) {
		s := o.shelf
		for _, id := range []string{"unread", "broken", "good"} {
			s.put(id, id+"1", world.ConversationCompleted, 100*day)
			s.put(id, id+"2", world.ConversationCompleted, 99*day)
			s.put(id, id+"3", world.ConversationPaused, 99*day)
		}
		s.noHeads["unread"] = errors.New("the disk is away")
		s.broken["broken"] = true
		o.erase = func(_ context.Context, ids []string) error {
			if slices.Contains(ids, "good1") {
				return errors.New("this one does not go")
			}
			return nil
		}
		report, err := o.k.Clean(o.t.Context(), PassOptions{})
		if err != nil || o.gone() != "good2" || s.status("good", "good3") != world.ConversationAbandoned {
			t.Fatalf("gone %q, %v (%v)", o.gone(), s.heads, err)
		}
		problems := map[string]int{}
		for _, r := range report.Realms {
			problems[r.RealmID] = len(r.Problems)
		}
		if problems["unread"] != 1 || problems["broken"] != 1 || problems["good"] != 1 {
			t.Errorf("%v", problems)
		}
		delete(s.noHeads, "unread")
		o.erase = nil
		if _, err := o.k.Clean(o.t.Context(), PassOptions{}); err != nil || o.gone() != "good1 good2 unread1 unread2" {
			t.Errorf("the next pass: %q (%v)", o.gone(), err)
		}
	})
}

// A pass stops within a second, even during an erasure, and leaves its other conversations to the next pass (S1-B7).
func TestTheCleanerStops(t *testing.T) {
	clean(t, nil, func(o *office) {
		for i := range 500 {
			o.shelf.put("a", fmt.Sprint("x", i), world.ConversationCompleted, 100*day)
		}
		begun := make(chan struct{}, 1)
		o.erase = func(ctx context.Context, _ []string) error {
			begun <- struct{}{}
			<-ctx.Done()
			return context.Cause(ctx)
		}
		o.k.Start(o.t.Context())
		<-begun
		at := time.Now()
		if _, err := o.k.Stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(at); took > time.Second || o.gone() != "" || o.called() != 1 {
			t.Errorf("it took %v and %d erasures", took, o.called())
		}
	})
}

// A pass is bounded. The next look at the clock continues it, without waiting for a day.
func TestAPassIsBounded(t *testing.T) {
	clean(t, nil, func(o *office) {
		for i := range maxActs + 10 {
			o.shelf.put("a", fmt.Sprint("x", i), world.ConversationCompleted, 100*day)
		}
		o.k.Start(o.t.Context())
		synctest.Wait()
		if n := len(strings.Fields(o.gone())); n != maxActs || o.called() != maxActs/atOnce {
			t.Errorf("%d went in %d erasures", n, o.called())
		}
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if n := len(strings.Fields(o.gone())); n != maxActs+10 {
			t.Errorf("after an hour %d", n)
		}
	})
}

// A dry run reports what would be deleted and when, and changes nothing.
func TestDryRun(t *testing.T) {
	clean(t, nil, func(o *office) {
		o.shelf.put("a", "gone", world.ConversationCompleted, 100*day)
		o.shelf.put("a", "silent", world.ConversationPaused, 40*day)
		o.shelf.put("a", "later", world.ConversationCompleted, 80*day)
		o.other.put("a", "theirs", world.ConversationCompleted, 100*day)
		time.Sleep(day)
		known := o.watch
		report, err := o.k.Clean(o.t.Context(), PassOptions{Tenant: "default", DryRun: true})
		if !reflect.DeepEqual(o.watch, known) {
			t.Errorf("a dry run keeps what it saw of the clock: %+v, was %+v", o.watch, known)
		}
		if err != nil || len(report.Realms) != 1 || !report.DryRun {
			t.Fatalf("%+v (%v)", report, err)
		}
		r := report.Realms[0]
		if r.Due != 2 || r.Conversations != 3 || r.Deleted+r.Marked != 0 || r.Next != world.TimeOf(time.Now().Add(9*day)) ||
			r.Items[0].ConversationID != "gone" || r.Items[0].Act != retention.Delete || r.Items[1].Act != retention.Abandon {
			t.Errorf("%+v", r)
		}
		if len(o.shelf.opened) > 0 || o.gone() != "" || o.shelf.status("a", "silent") != world.ConversationPaused {
			t.Error("a dry run does something")
		}
	})
}

// A jump of the clock deletes nothing (S1-16): neither at once, nor a day later when the new clock is trusted. A time
// without a server deletes nothing either if its length is unknown.
func TestClockJumpsDeleteNothing(t *testing.T) {
	set := func(o *office, ahead time.Duration) { o.mu.Lock(); o.ahead = ahead; o.mu.Unlock() }
	for name, jump := range map[string]time.Duration{"ten years ahead": 3650 * day, "three days ahead": 3 * day, "a year back": -365 * day} {
		t.Run(name, func(t *testing.T) {
			clean(t, nil, func(o *office) {
				o.shelf.put("a", "young", world.ConversationCompleted, 80*day)
				o.shelf.put("a", "quiet", world.ConversationPaused, 20*day)
				o.k.Start(o.t.Context())
				time.Sleep(90 * time.Minute)
				set(o, jump)
				time.Sleep(5 * day)
				synctest.Wait()
				if o.gone() != "" || o.shelf.status("a", "quiet") != world.ConversationPaused {
					t.Errorf("gone %q, %v", o.gone(), o.shelf.heads)
				}
				if o.passed() < 4 {
					t.Errorf("%d passes in 5 days: the new clock is not trusted after a day", o.passed())
				}
				set(o, 0) // it comes back
				time.Sleep(3 * day)
				synctest.Wait()
				if o.gone() != "" || o.shelf.status("a", "quiet") != world.ConversationPaused {
					t.Errorf("after its return: gone %q, %v", o.gone(), o.shelf.heads)
				}
				time.Sleep(4 * day)
				synctest.Wait()
				if o.gone() != "young" || o.shelf.status("a", "quiet") != world.ConversationAbandoned {
					t.Errorf("when they are due by all accounts: gone %q, %v", o.gone(), o.shelf.heads)
				}
			})
		})
	}
	for name, watch := range map[string]retention.Watch{
		"a folder that no pass has seen": {},
		"the server was away for long":   {SeenAt: world.TimeOf(time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC))}, // a bubble begins in 2000
		"the clock has gone back":        {SeenAt: world.TimeOf(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t, &watch, func(o *office) {
				o.shelf.put("a", "old", world.ConversationCompleted, 5000*day)
				o.k.Start(o.t.Context())
				time.Sleep(23*time.Hour + 30*time.Minute)
				synctest.Wait()
				if o.passed() != 0 || o.gone() != "" {
					t.Errorf("%d passes, gone %q", o.passed(), o.gone())
				}
				report, err := o.k.Clean(o.t.Context(), PassOptions{})
				if err != nil || report.Waits == "" || o.gone() != "" {
					t.Errorf("asked to: %+v (%v)", report, err)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if o.gone() != "old" {
					t.Errorf("after a day of life: gone %q", o.gone())
				}
			})
		})
	}
	clean(t, &retention.Watch{}, func(o *office) { // nothing is due, so nothing waits
		o.shelf.put("a", "young", world.ConversationCompleted, 80*day)
		if report, err := o.k.Clean(o.t.Context(), PassOptions{}); err != nil || report.Waits != "" || len(report.Realms) != 1 {
			t.Errorf("%+v (%v)", report, err)
		}
	})
	clean(t, &retention.Watch{}, func(o *office) { // an operator who has looked at the clock need not wait
		o.shelf.put("a", "old", world.ConversationCompleted, 5000*day)
		if _, err := o.k.Clean(o.t.Context(), PassOptions{Force: true}); err != nil || o.gone() != "old" {
			t.Errorf("gone %q (%v)", o.gone(), err)
		}
	})
}

// If the start opens no realm, the cleaner does not open a realm that would continue by itself either.
func TestTheCleanerWakesNobody(t *testing.T) {
	clean(t, nil, func(o *office) {
		o.shelf.put("running", "x", world.ConversationCompleted, 100*day)
		o.shelf.put("resting", "y", world.ConversationCompleted, 100*day)
		o.shelf.realms[0].Status = world.StatusRunning
		o.k.cfg.Afresh = true
		o.k.Start(o.t.Context())
		synctest.Wait()
		if o.gone() != "y" || o.shelf.opens("running") != 0 {
			t.Errorf("gone %q, opened %v", o.gone(), o.shelf.opened)
		}
		o.k.cfg.Still = true // a realm in which nothing continues by itself is cleaned
		if _, err := o.k.Clean(o.t.Context(), PassOptions{}); err != nil || o.gone() != "x y" {
			t.Errorf("gone %q (%v)", o.gone(), err)
		}
	})
}

// The cleaner keeps a conversation that has changed since the pass chose it, and deletes nothing if the limits cannot
// be read.
func TestTheCleanerLeavesAloneWhatItMust(t *testing.T) {
	clean(t, nil, func(o *office) {
		o.shelf.put("a", "spoken", world.ConversationPaused, 40*day)
		o.shelf.talks["a"][0].Conversation.UpdatedAt = world.TimeOf(time.Now()) // somebody has just spoken
		o.shelf.put("a", "revived", world.ConversationAbandoned, 100*day)
		o.erase = func(context.Context, []string) error { return erasure.ErrNotSilent }
		report, err := o.k.Clean(o.t.Context(), PassOptions{})
		if err != nil || len(report.Realms[0].Problems) > 0 || report.Realms[0].Marked+report.Realms[0].Deleted > 0 {
			t.Errorf("%+v (%v)", report, err)
		}
		o.k.cfg.Retention.Policy = func() (retention.Policy, error) { return nil, errors.New("completedDays must be a number") }
		if _, err := o.k.Clean(o.t.Context(), PassOptions{Force: true}); err == nil || o.gone() != "" {
			t.Errorf("without limits: %v, gone %q", err, o.gone())
		}
	})
}

// The server stops during a pass that a person has requested. The stop waits for the pass, and no other pass begins
// afterwards: a pass would write into a folder that another program may use then.
func TestStopWaitsForAPassThatWasAskedFor(t *testing.T) {
	clean(t, nil, func(o *office) {
		o.shelf.realms = []wire.RealmInfo{{ID: "a", Status: world.StatusIdle}}
		o.shelf.put("a", "old", world.ConversationCompleted, 400*day)
		o.erase = func(ctx context.Context, _ []string) error {
			<-ctx.Done()
			time.Sleep(time.Second) // the cleaner first finishes its present step
			return ctx.Err()
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if _, err := o.k.Clean(context.Background(), PassOptions{}); err != nil && !errors.Is(err, context.Canceled) {
				o.t.Error(err)
			}
		}()
		synctest.Wait()
		if o.called() == 0 {
			o.t.Error("nothing is under way")
		}
		if _, err := o.k.Stop(); err != nil {
			o.t.Error(err)
		}
		synctest.Wait() // for Clean to return; a pass that still sleeps does not end by it
		select {
		case <-ended:
		default:
			o.t.Error("the pass goes on after the stop")
		}
		<-ended
		passes := o.passed()
		var refused *wire.Error
		if _, err := o.k.Clean(context.Background(), PassOptions{Force: true}); !errors.As(err, &refused) || refused.Code != wire.NotReady || o.passed() != passes {
			o.t.Errorf("a pass after the stop: %v", err)
		}
	})
}

// A conversation that ended while the clock was ten years ahead is deleted like any other, counted from
// when the cleaner first saw it. A dry run does not record that.
func TestWhatIsDatedAheadGoesInTheEnd(t *testing.T) {
	clean(t, nil, func(o *office) {
		o.shelf.put("a", "ahead", world.ConversationCompleted, -3650*day)
		if _, err := o.k.Clean(o.t.Context(), PassOptions{DryRun: true}); err != nil || len(o.watch.Jumps) != 0 {
			t.Errorf("a dry run keeps %+v (%v)", o.watch, err)
		}
		o.k.Start(o.t.Context())
		time.Sleep(89 * day)
		synctest.Wait()
		if o.gone() != "" {
			t.Errorf("after 89 days: gone %q", o.gone())
		}
		time.Sleep(3 * day)
		synctest.Wait()
		if o.gone() != "ahead" {
			t.Errorf("after 92 days: gone %q, %+v", o.gone(), o.watch)
		}
	})
}
