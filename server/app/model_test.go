package app

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/agent/model"
	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const modelKey = "sk-test-0123456789abcdef"

// modeled configures a model server in memory that plays the agents.
func modeled(t *testing.T, s *modeltest.Server) func(*Config) {
	t.Helper()
	key, err := model.NewKey(modelKey)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) {
		c.Model = model.Config{URL: "http://model.test/v1", Model: "m-1", Key: key, Transport: s.Transport()}
		c.KeyFrom = model.KeyVariable
	}
}

// ledger is a log to which several goroutines write.
type ledger struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *ledger) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *ledger) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// A model plays a whole process: it calls tools, posts a finding and ends the stage. Its server repeats the
// key wherever it can, but no frame, no log and no file has the key.
func TestAModelPlaysAProcess(t *testing.T) {
	const duet = `{"id":"duet","name":"Duet","roles":[{"id":"a","name":"Anna","color":"#aabbcc"}],"stages":[
		{"id":"s","name":"S","goal":"Say it.","roles":["a"],"structure":"single","completion":"explicit_signal","artifacts":[]}]}`
	s := modeltest.New(
		modeltest.Refuses(http.StatusUnauthorized, "Bad header: Bearer "+modelKey),
		func(r *modeltest.Reply) {
			r.Think("The key is " + modelKey + ".\n")
			r.Say("I look. " + modelKey)
			r.Call(0, "1", "list_folder", `{"path":""}`)
			r.Call(1, "2", "post_finding", `{"title":"It is `+modelKey+`","severity":"low","path":"README.md","line":1,"why":"w","advice":"a"}`)
			r.Call(2, "3", "remember", `{"area":"key","insight":"`+modelKey+`"}`)
			r.End("tool_calls")
		},
		modeltest.Calls("All is said.", "1", "complete_stage", `{"summary":"Settled."}`),
	)
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		log := &ledger{}
		a := start(t, worlds, modeled(t, s), func(c *Config) { c.Log = zerolog.New(log) })
		dir := filepath.Join(worlds, "templates")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "duet.json"), []byte(duet), 0o644); err != nil {
			t.Fatal(err)
		}
		r := link(t, a, repo(t))
		v, err := r.Attach(t.Context(), watch.Position{})
		if err != nil {
			t.Fatal(err)
		}
		var shown []byte
		take := func() {
			for {
				frames, err := v.Take(t.Context(), 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				if len(frames) == 0 {
					return
				}
				for _, f := range frames {
					shown = append(append(shown, f...), '\n')
				}
			}
		}
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "duet"})
		for range 60 { // the failed turn is played again after a pause
			time.Sleep(time.Second)
			synctest.Wait()
			take()
		}
		v.Close()
		w := state(t, r)
		if w.ProcessState.Status != world.StatusCompleted {
			t.Errorf("the process is %s after %d requests: %s", w.ProcessState.Status, s.Asked(), shown)
		}
		if len(w.Findings) != 1 || w.Findings[0].Path != "README.md" || w.Findings[0].Evidence != "tools" {
			t.Errorf("findings %+v", w.Findings)
		}
		for _, want := range []string{"All is said.", "answers 401 Unauthorized: Bad header: Bearer [key].", `"list_folder"`, `"model":"m-1"`} {
			if !bytes.Contains(shown, []byte(want)) {
				t.Errorf("nobody was shown %s:\n%s", want, shown)
			}
		}
		stop(t, a)
		if bytes.Contains(shown, []byte(modelKey)) {
			t.Error("the key was shown")
		}
		if text := log.String(); strings.Contains(text, modelKey) || !strings.Contains(text, `"model":"m-1"`) {
			t.Errorf("the log: %s", text)
		}
		holds(t, worlds, modelKey)
	})
	if n := s.Asked(); n != 3 {
		t.Errorf("the server was asked %d times", n)
	}
}

// holds fails the test if a file contains a text.
func holds(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("looked at %d files, %v", files, err)
	}
}

// A script plays everything. Without a script the scouts play reviews and the model everything else. Without
// an address of a model no request is sent.
func TestWhoPlays(t *testing.T) {
	review, other := &world.Template{ID: "code_review"}, &world.Template{ID: "duet"}
	s := modeltest.New()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			name          string
			change        func(*Config)
			driver        string
			review, other string // of the templates
			plays         bool   // the other template's roles
		}{
			{"alone", func(*Config) {}, wire.DriverScout, wire.DriverScout, wire.DriverNone, false},
			{"a model", modeled(t, s), wire.DriverModel, wire.DriverScout, wire.DriverModel, true},
			{"a script", castFile(t, stalled), wire.DriverScript, wire.DriverScript, wire.DriverScript, true},
			{"both", func(c *Config) { modeled(t, s)(c); castFile(t, stalled)(c) }, wire.DriverScript, wire.DriverScript, wire.DriverScript, true},
		} {
			a := start(t, filepath.Join(t.TempDir(), "worlds"), c.change)
			drivers, err := a.drivers()
			if err != nil {
				t.Fatal(err)
			}
			if a.driver != c.driver {
				t.Errorf("%s: the driver is %s", c.name, a.driver)
			}
			templates := &templates{store: a.store, log: zerolog.Nop(), driver: a.driver, drivers: drivers}
			for _, info := range templates.infos() {
				want := c.other
				if info.ID == "code_review" {
					want = c.review
				}
				if info.Driver != want {
					t.Errorf("%s: %s is played by %s, not %s", c.name, info.ID, info.Driver, want)
				}
			}
			if d := drivers.Driver(review, world.Role{ID: "sentinel"}); d == nil {
				t.Errorf("%s: nobody plays the review", c.name)
			} else if _, ok := d.(driver.Modeled); ok {
				t.Errorf("%s: a model plays the review", c.name)
			}
			if d := drivers.Driver(other, world.Role{ID: "a"}); (d != nil) != c.plays {
				t.Errorf("%s: the other template is played: %t", c.name, d != nil)
			}
			stop(t, a)
		}
	})
	if s.Asked() != 0 {
		t.Errorf("nothing was begun, and the server was asked %d times", s.Asked())
	}
}

// The model plays a hero of the review in a chat, and the checks play it in a review.
func TestAHeroTalksByTheModel(t *testing.T) {
	said := map[string]string{}
	player := func(name string) driver.Driver { return voice{name, said} }
	r := reviewer{scout: player("scout"), agent: player("model")}
	for _, kind := range []string{world.KindProcess, world.KindCouncil, world.KindChat} {
		if err := r.Run(t.Context(), driver.Turn{Kind: kind}, func(driver.Chunk) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if said[world.KindProcess] != "scout" || said[world.KindCouncil] != "model" || said[world.KindChat] != "model" {
		t.Errorf("%v", said)
	}
}

type voice struct {
	name string
	said map[string]string
}

func (v voice) Run(_ context.Context, turn driver.Turn, _ func(driver.Chunk) error) error {
	v.said[turn.Kind] = v.name
	return nil
}
