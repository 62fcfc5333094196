package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/price"
	"agentdungeon/server/realm"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// machine has the sessions of an invented program. The program's reader returns one entry for each line.
type machine struct {
	mu     sync.Mutex
	lines  map[string][]string
	about  map[string]shadow.Session
	state  map[string]shadow.State
	broken error
	reads  atomic.Int64
	lists  atomic.Int64
	states atomic.Int64
	stamps atomic.Int64
	slow   time.Duration // of a reading
	idle   time.Duration // of a listing
}

func newMachine() *machine {
	return &machine{lines: map[string][]string{}, about: map[string]shadow.Session{}, state: map[string]shadow.State{}}
}

func (m *machine) session(id, dir string, lines ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.about[id] = shadow.Session{Program: "fake", ID: id, Dir: dir, File: id, Changed: time.Now(), Alive: true}
	m.state[id] = shadow.State{Name: shadow.Working, Reason: "Edit: a.go", Source: shadow.FromStatus, Since: time.Now()}
	m.lines[id] = append(m.lines[id], lines...)
}

func (m *machine) ends(id string, changed time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.about[id]
	s.Alive, s.Changed = false, changed
	m.about[id] = s
	m.state[id] = shadow.State{Name: shadow.Ended, Source: shadow.FromStatus, Since: changed}
}

func (m *machine) stamp(file string) Stamp {
	m.stamps.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stamp{Size: int64(len(m.lines[file])), Gone: m.about[file].ID == ""}
}

// fake is the reader of a machine.
type fake struct{ *machine }

func (fake) Program() string { return "fake" }

func (r fake) Sessions(_ context.Context, want func(string) bool, limit int) (l shadow.Listing, err error) {
	time.Sleep(r.idle)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists.Add(1)
	if r.broken != nil {
		return l, r.broken
	}
	for _, s := range r.about {
		l.Total++
		if want(s.Dir) {
			l.Sessions = append(l.Sessions, s)
		}
	}
	slices.SortFunc(l.Sessions, func(a, b shadow.Session) int {
		if a.Alive != b.Alive {
			return map[bool]int{true: -1, false: 1}[a.Alive]
		}
		return b.Changed.Compare(a.Changed)
	})
	l.Sessions = l.Sessions[:min(limit, len(l.Sessions))]
	return l, nil
}

func (r fake) Read(_ context.Context, s shadow.Session, after shadow.Position, _ int) (b shadow.Batch, err error) {
	time.Sleep(r.slow)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads.Add(1)
	if r.broken != nil {
		return b, r.broken
	}
	n, _ := strconv.Atoi(string(after))
	all := r.lines[s.ID]
	b.Session, b.Next, b.Counts = s, after, shadow.Counts{Unknown: map[string]int{"new": 1}}
	for _, line := range all[n:min(len(all), n+3)] {
		n++
		id := strconv.Itoa(n)
		b.Entries = append(b.Entries, shadow.Entry{ID: id, Kind: shadow.Call, Text: line, CallID: id,
			Tool: &shadow.Tool{Name: "Bash", Input: line, Brief: line}})
		b.Next = shadow.Position(strconv.Itoa(n))
	}
	b.More = n < len(all)
	return b, nil
}

func (r fake) State(_ context.Context, s shadow.Session, _ shadow.Position, _ time.Time) (shadow.State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states.Add(1)
	return r.state[s.ID], nil
}

// stage is a realm that records the batches of entries (readings) that it gets.
type stage struct {
	mu     sync.Mutex
	shown  realm.Shown
	at     map[string]shadow.Position
	lines  map[string][]string
	states map[string]shadow.State
	titles map[string]string
	early  map[string]bool // sessions whose hooks called before they were found
	heard  map[string]int  // by session, the number of readings with Heard
	took   atomic.Int64
	refuse error
	hold   int           // number of readings that the realm answers with an older position
	slow   time.Duration // of a commit
	done   chan struct{}
}

func newStage() *stage {
	return &stage{shown: realm.Shown{Path: "/repo", Heroes: map[string]bool{}}, at: map[string]shadow.Position{},
		lines: map[string][]string{}, states: map[string]shadow.State{}, titles: map[string]string{},
		early: map[string]bool{}, heard: map[string]int{}, done: make(chan struct{})}
}

func (s *stage) ID() string            { return "r1" }
func (s *stage) Done() <-chan struct{} { return s.done }

func (s *stage) Shown(context.Context) (realm.Shown, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.shown
	out.Sessions, out.Heroes = slices.Clone(out.Sessions), map[string]bool{}
	for id, at := range s.at {
		out.Sessions = append(out.Sessions,
			world.Session{Program: "fake", SessionID: id, AgentID: "fake:" + id, Position: string(at)})
		if n := s.states[id].Name; n != "" && n != shadow.Ended && n != shadow.Gone && !s.shown.Off {
			out.Heroes["fake:"+id] = true
		}
	}
	return out, nil
}

func (s *stage) Observe(_ context.Context, seen shadow.Seen) (shadow.Position, error) {
	time.Sleep(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return "", s.refuse
	}
	id := seen.Session.ID
	if s.hold > 0 || seen.Before != s.at[id] {
		s.hold--
		return s.at[id], nil
	}
	for _, e := range seen.Entries {
		s.lines[id] = append(s.lines[id], e.Text)
	}
	s.took.Add(1)
	if seen.Heard {
		s.heard[id]++
	}
	if seen.Unwatched {
		delete(s.states, id)
	}
	s.at[id], s.titles[id] = seen.Next, seen.Session.Title
	if seen.State.Name != "" {
		s.states[id] = seen.State
	}
	return seen.Next, nil
}

func (s *stage) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *stage) said(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines[id], " ")
}

func (s *stage) state(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[id].Name
}

// checkout is a linked folder without git.
type checkout string

func (c checkout) Near(dir string) bool { return strings.HasPrefix(dir, string(c)) }

func (c checkout) Place(path string) (rel, worktree string, ok bool) {
	rel, ok = strings.CutPrefix(path, string(c)+"/")
	return rel, "", ok
}

// follows starts to follow the machine's sessions for a realm. It has to be called within a synctest bubble.
func follows(m *machine, s *stage, log *bytes.Buffer, which Which) (end func()) {
	return follower(m, s, log, which).Follow(world.DefaultTenant, s)
}

func follower(m *machine, s *stage, log *bytes.Buffer, which Which) *Follower {
	logger := zerolog.Nop()
	if log != nil {
		logger = zerolog.New(log)
	}
	return New(Config{Which: which, Readers: []func() shadow.Reader{func() shadow.Reader { return fake{m} }},
		Checkout: func(root string) Checkout { return checkout(root) }, Log: logger, Stamp: m.stamp,
		Heard: func(_, id string) bool { s.mu.Lock(); defer s.mu.Unlock(); return s.early[id] }})
}

func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func numbered(from, to int) (out []string) {
	for n := from; n < to; n++ {
		out = append(out, fmt.Sprint("line", n))
	}
	return out
}

// A session in the linked folder is shown at once, and a new line of it within a second. A session in another folder is
// not read.
func TestSessionIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo/sub", numbered(0, 20)...)
		m.session("b", "/elsewhere", "x")
		defer follows(m, s, nil, Here)()
		after(time.Second)
		if got, want := s.said("a"), strings.Join(numbered(0, 20), " "); got != want || s.state("a") != shadow.Working {
			t.Errorf("it says %q, state %q", got, s.state("a"))
		}
		m.session("a", "/repo/sub", "more")
		after(time.Second)
		if !strings.HasSuffix(s.said("a"), "line19 more") || s.said("b") != "" {
			t.Errorf("it says %q, the other %q", s.said("a"), s.said("b"))
		}
		m.session("c", "/repo", "new")
		after(listEvery)
		if s.said("c") != "new" {
			t.Error("a new session is not followed")
		}
		reads, took := m.reads.Load(), s.took.Load()
		after(time.Hour)
		if m.reads.Load() != reads || s.took.Load() != took {
			t.Errorf("nothing happens, but it is read %d times and passed %d times", m.reads.Load()-reads, s.took.Load()-took)
		}
		m.ends("a", time.Now())
		after(listEvery)
		if s.state("a") != shadow.Ended {
			t.Errorf("the session has ended and is %q", s.state("a"))
		}
		states := m.states.Load()
		after(time.Minute)
		if n := m.states.Load() - states; n > 130 { // the state of the other session, asked for each 500 ms
			t.Errorf("the state of a session that is over was asked for: %d", n)
		}
	})
}

// After any number of restarts, the realm has got each line once and in order.
func TestRestartsGoOnFromTheRealm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		for n := range 100 {
			m.session("a", "/repo", numbered(4*n, 4*n+4)...)
			end := follows(m, s, nil, Here)
			after(time.Duration(n%7) * 5 * time.Millisecond)
			end()
		}
		defer follows(m, s, nil, Here)()
		after(10 * time.Second)
		if got, want := s.said("a"), strings.Join(numbered(0, 400), " "); got != want {
			t.Errorf("it says %q", got)
		}
	})
}

// A batch of entries (reading) that a realm refuses is passed again later and not at once. If the realm has another
// position, the sessions are read from the realm's position.
func TestRealmRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		s.refuse = wire.Errorf(wire.NotReady, "not now")
		m.session("a", "/repo", numbered(0, 9)...)
		var log bytes.Buffer
		defer follows(m, s, &log, Here)()
		after(time.Minute)
		if m.reads.Load() > 10 || s.said("a") != "" {
			t.Errorf("%d tries in a minute", m.reads.Load())
		}
		s.set(func() { s.refuse, s.hold = nil, 2 })
		after(2 * time.Minute)
		if got := s.said("a"); got != strings.Join(numbered(0, 9), " ") {
			t.Errorf("it says %q", got)
		}
		s.set(func() { s.refuse = errors.New("broken") })
		m.session("a", "/repo", "x")
		reads := m.reads.Load()
		after(10 * time.Minute)
		if m.reads.Load()-reads > 30 {
			t.Errorf("%d tries at a realm that is broken", m.reads.Load()-reads)
		}
	})
}

// An error of a reader is logged once, and reading continues when the error is over. Figures are logged at most once a
// minute.
func TestReaderFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "one")
		var log bytes.Buffer
		end := follows(m, s, &log, Here)
		after(time.Second)
		m.mu.Lock()
		m.broken = errors.New("no permission")
		m.mu.Unlock()
		m.session("a", "/repo", "two")
		after(10 * time.Minute)
		m.mu.Lock()
		m.broken = nil
		m.mu.Unlock()
		after(time.Minute)
		end()
		if got := s.said("a"); got != "one two" || s.state("a") != shadow.Working {
			t.Errorf("it says %q, %q", got, s.state("a"))
		}
		if n := strings.Count(log.String(), `"level":"warn"`); n != 2 {
			t.Errorf("%d warnings for two places:\n%s", n, log.String())
		}
		n := strings.Count(log.String(), "counts of the readers of coding agents")
		if n < 2 || n > 13 || !strings.Contains(log.String(), `"unknown":{"new":`) {
			t.Errorf("figures are logged %d times:\n%s", n, log.String())
		}
	})
}

// A realm whose setting shadows is off gets no entries. When a host switches the setting on again, the realm gets all
// entries after its position (P17.6). A server that reads no sessions says so for each hero on the map. Realms of
// other tenants get nothing.
func TestSwitches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "one")
		end := follows(m, s, nil, Here)
		after(time.Second)
		s.set(func() { s.shown.Off = true })
		after(listEvery)
		m.session("a", "/repo", "two")
		lists := m.lists.Load()
		s.set(func() { s.states = map[string]shadow.State{} })
		after(time.Minute)
		if s.said("a") != "one" || m.lists.Load() != lists || s.state("a") != "" {
			t.Errorf("off: %q, %q, %d listings", s.said("a"), s.state("a"), m.lists.Load()-lists)
		}
		s.set(func() { s.shown.Off = false })
		after(listEvery + time.Second)
		if s.said("a") != "one two" || s.state("a") != shadow.Working {
			t.Errorf("on again: %q, %q", s.said("a"), s.state("a"))
		}
		end()
		lists = m.lists.Load()
		end = follows(m, s, nil, Off)
		after(time.Second)
		if s.state("a") != "" || m.lists.Load() != lists {
			t.Errorf("-agents off: %q", s.state("a"))
		}
		end()
		m.session("b", "/elsewhere", "x")
		end = follows(m, s, nil, All)
		after(time.Second)
		if s.said("b") != "x" {
			t.Error("-agents all does not read a session elsewhere")
		}
		end()
		other := newStage()
		New(Config{Which: Here}).Follow("other", other)()
		close(s.done)
	})
}

// A hero whose session can no longer be found becomes lost, but only after several listings.
func TestSessionVanishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "one")
		defer follows(m, s, nil, Here)()
		after(time.Second)
		m.mu.Lock()
		delete(m.about, "a")
		m.mu.Unlock()
		after(5 * time.Second)
		if s.state("a") != shadow.Working {
			t.Errorf("at once it is %q", s.state("a"))
		}
		after(20 * time.Second)
		if s.state("a") != shadow.Gone {
			t.Errorf("it is %q", s.state("a"))
		}
		m.session("a", "/repo", "two")
		after(listEvery)
		if s.state("a") != shadow.Working || s.said("a") != "one two" {
			t.Errorf("it is back as %q with %q", s.state("a"), s.said("a"))
		}
	})
}

// Of 5,000 sessions only those are followed that a process holds or that changed within the last day, at most 50.
func TestOldSessionsAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		for n := range 5000 {
			id := fmt.Sprint("s", n)
			m.session(id, "/repo", "x")
			m.ends(id, time.Now().Add(-time.Duration(n)*time.Minute))
		}
		m.session("live", "/repo", "x")
		m.session("old", "/repo", "x")
		m.ends("old", time.Now().Add(-48*time.Hour))
		s.at["s4000"] = "0"
		s.states["s4000"] = shadow.State{Name: shadow.Working}
		defer follows(m, s, nil, Here)()
		after(10 * time.Second)
		s.set(func() {
			if len(s.lines) != maxMain || s.states["live"].Name != shadow.Working || len(s.lines["old"]) > 0 {
				t.Errorf("%d are followed; the living one is %q", len(s.lines), s.states["live"].Name)
			}
		})
		after(time.Minute)
		if s.state("s4000") == shadow.Working {
			t.Error("one that the server has shown at work and that nobody holds is still at work")
		}
	})
}

// No secret leaves the package: not in a text, an input, a short form, a reason or a title, not even if the text was
// cut within a secret.
func TestSecretsAreMasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := "gl" + "pat-" + "R7kq2VzX9mWb4TnLc8Jy"
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "export TOKEN="+secret+" and more")
		m.about["a"] = func(a shadow.Session) shadow.Session { a.Title = "use " + secret; return a }(m.about["a"])
		st := m.state["a"]
		st.Reason = strings.Repeat("x ", 91) + "TOKEN=" + secret[:12]
		m.state["a"] = st
		defer follows(m, s, nil, Here)()
		after(time.Second)
		s.set(func() {
			for _, text := range []string{s.lines["a"][0], s.titles["a"], s.states["a"].Reason} {
				if strings.Contains(text, secret[:10]) || !strings.Contains(text, "[") {
					t.Errorf("told: %q", text)
				}
			}
		})
		e := []shadow.Entry{{Text: "k", Tool: &shadow.Tool{Input: secret, Brief: secret}}}
		got := withoutSecrets(e, "/repo", func(string) bool { return false })[0].Tool
		if strings.Contains(got.Input+got.Brief, secret) || e[0].Tool.Input != secret {
			t.Errorf("%+v of %+v", got, e[0].Tool)
		}
	})
}

// A call that writes a file which git ignores is passed on with the file's name and without its content. A call that
// prints such a file is marked, so that its result is not kept. The reason of a state has no content of such a file
// either (P17.9).
func TestContentOfIgnoredFilesIsNotPassedOn(t *testing.T) {
	ignored := func(path string) bool { return path == "/repo/.env" }
	for input, c := range map[string]struct {
		touch string
		kept  bool
	}{
		`{"file":"x","content":"PLAIN"}`:         {"/repo/.env", false},
		`{"command":"echo PLAIN > .env"}`:        {"", false},
		`{"command":"cat .env"}`:                 {"", true},
		`{"file_path":"/repo/a","content":"CC"}`: {"/repo/a", true},
	} {
		call := shadow.Entry{Kind: shadow.Call, Tool: &shadow.Tool{Name: "T", Input: input, Brief: input}}
		if c.touch != "" {
			call.Tool.Touches = []shadow.Touch{{Path: c.touch, Edit: true}}
		}
		got := withoutSecrets([]shadow.Entry{call}, "/repo", ignored)[0].Tool
		if c.kept != (got.Input == input) || c.kept != (got.Brief == input) || got.Withheld == (c.touch == "/repo/a") {
			t.Errorf("%s is passed on as %+v", input, got)
		}
		if strings.Contains(got.Input+got.Brief, "PLAIN") || !c.kept && !strings.Contains(got.Input, "/repo/.env") {
			t.Errorf("%s is passed on as %+v", input, got)
		}
	}
	var m masks
	for reason, want := range map[string]string{
		"Bash: echo PLAIN > .env": "Bash: .env", "Bash: cat > .env <<E PLA": "Bash: .env", "Bash: touch x": "Bash: touch x",
	} {
		if got := m.reason(reason, "/repo", ignored); got != want {
			t.Errorf("the reason %q is passed on as %q", reason, got)
		}
	}
}

// A request gets the price that its program has recorded, else the price in the list. A model that is not in the list
// has no price, which is different from the price 0. The size of the context is the program's, else the list's
// (P17.12).
func TestRequestsGetPrices_P17_12(t *testing.T) {
	list, err := price.List{}.With("own.json", []byte(`{"models": [{"model": "m", "input": 2, "output": 10, "window": 200000}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ has, want shadow.Usage }{
		{shadow.Usage{Model: "m", Input: 3, Output: 1}, shadow.Usage{Micros: 16, Priced: true, Window: 200_000}},
		{shadow.Usage{Model: "m", Input: 3, USD: 0.25, Window: 7}, shadow.Usage{Micros: 250_000, Priced: true, Window: 7}},
		{shadow.Usage{Model: "n", Input: 3, USD: 0.0000014}, shadow.Usage{Micros: 1, Priced: true}},
		{shadow.Usage{Model: "n", Input: 3}, shadow.Usage{}},
		{shadow.Usage{Model: "n", Input: 3, USD: -1}, shadow.Usage{}},
		{shadow.Usage{Model: "n", Input: 3, USD: 1e300}, shadow.Usage{}},
	} {
		has := c.has
		entries := []shadow.Entry{{Text: "no request"}, {Usage: &has}}
		setPrices(entries, &list)
		got := entries[1].Usage
		if got.Micros != c.want.Micros || got.Priced != c.want.Priced || got.Window != c.want.Window {
			t.Errorf("%+v is %+v", c.has, *got)
		}
		if has != c.has {
			t.Errorf("the reader's own is changed to %+v", has)
		}
	}
}

// The sessions that are followed for a realm, and the figures of a program, can be listed, without secrets. Nothing is
// kept about a realm that is no longer followed (P17.15).
func TestWhatIsFollowedIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMachine(), newStage()
		m.session("a", "/repo", "line")
		m.session("b", "/elsewhere", "line")
		f := New(Config{Which: Here, Readers: []func() shadow.Reader{func() shadow.Reader { return fake{m} }},
			Checkout: func(root string) Checkout { return checkout(root) }, Log: zerolog.Nop(), Stamp: m.stamp})
		end := f.Follow(world.DefaultTenant, s)
		after(time.Second)
		list := f.Followed("r1")
		if len(list) != 1 || list[0].ID != "a" || list[0].State.Name != shadow.Working || list[0].Dir != "/repo" {
			t.Errorf("followed are %+v", list)
		}
		if met := f.Met(); len(met) != 1 || met[0].Program != "fake" || met[0].Followed != 1 || met[0].Sessions != 2 {
			t.Errorf("met was %+v", met)
		}
		end()
		if list := f.Followed("r1"); len(list) != 0 {
			t.Errorf("afterwards followed are %+v", list)
		}
	})
}
