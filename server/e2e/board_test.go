package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/mirror/redistest"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// poster is a script that posts findings until it is stopped.
const poster = `{"version":1,"defaults":{"chunkMs":1,"chunkWords":3},"turns":[
 {"steps":[{"say":"{{role}} looks, turn {{n}}."},
  {"finding":{"severity":"low","title":"said again in turn {{n}}","text":"by {{role}}"}},
  {"finding":{"severity":"high","title":"new in turn {{n}} of {{role}}","text":"text {{n}}"}},
  {"finding":{"severity":"info","title":"more","text":"text {{n}}"}},{"say":"That is it."}]}]}`

// posters is a process of agents that work in parallel, without a person.
const posters = `{"id":"load","name":"Load","roles":[{"id":"a","name":"Ann","color":"#112233"},{"id":"b","name":"Bob","color":"#223344"}],
"stages":[{"id":"gather","name":"Gather","goal":"gather","roles":["a","b"],"structure":"parallel","completion":"turn_count","turns":10}]}`

// copied is the content of Redis or findings.json: each finding as JSON, by id.
type copied map[string]string

func onRedis(t *testing.T, s *redistest.Server, realm string) copied {
	t.Helper()
	c := s.Client()
	defer func() { must(t, c.Close()) }()
	got, err := c.HGetAll(context.Background(), "agentdungeon:default:"+realm+":findings").Result()
	if err != nil {
		return nil // it starts
	}
	return got
}

func inFile(t *testing.T, home *Home, realm string) copied {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(home.Worlds, realm, "findings.json"))
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	var f struct {
		Findings []json.RawMessage `json:"findings"`
	}
	must(t, json.Unmarshal(data, &f))
	out := copied{}
	for _, raw := range f.Findings {
		var one world.Finding
		must(t, json.Unmarshal(raw, &one))
		text, err := json.Marshal(one)
		must(t, err)
		out[one.ID] = string(text)
	}
	return out
}

// shown returns the findings that a tab has.
func shown(t *testing.T, tab *Tab) copied {
	t.Helper()
	out := copied{}
	tab.Look(func() {
		for _, f := range tab.World.Findings {
			text, err := json.Marshal(f)
			must(t, err)
			out[f.ID] = string(text)
		}
	})
	return out
}

// same waits until the board, which get reads, has the tab's findings, and findings.json has the same ones or is
// removed.
func same(t *testing.T, l *Life, tab *Tab, get, file func() copied) {
	t.Helper()
	limit := time.After(Patience)
	for {
		want, got, other := shown(t, tab), get(), file()
		if maps.Equal(want, got) && got != nil && (other == nil || maps.Equal(want, other)) {
			return
		}
		select {
		case <-limit:
			t.Fatalf("%d findings are shown, the board holds %d, findings.json %d\n%s", len(want), len(got), len(other), l.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// S3-15: findings are on the board, Redis or findings.json, as soon as they are saved. Cases: the server is killed
// between the commit and the copy (Redis is stopped meanwhile), Redis is killed and keeps or loses its content, and
// both are killed.
func TestFindingsBoardThroughKills(t *testing.T) {
	t.Parallel()
	rng := seeded(t)(31)
	const secret = "a-secret-of-the-board"
	redis := redistest.New(t, secret)
	h := NewHome(t, server, "-pace", "instant", "-script", file(t, filepath.Join(t.TempDir(), "poster.json"), poster))
	h.Env = []string{"REDIS_URL=" + redis.URL()}
	file(t, filepath.Join(h.Worlds, "templates", "load.json"), posters)
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "operator")
	l := h.Start()
	tab.Join(l)
	tab.Do("link", &wire.LinkRepo{Path: repository(t)})
	tab.Until("a realm", func() bool { return tab.Live() && tab.World != nil })
	tab.Look(func() { tab.MustReplay, tab.Act = true, operates() })
	realm, folder := tab.RealmID, filepath.Join(h.Worlds, tab.RealmID)
	get := func() copied { return onRedis(t, redis, realm) }
	left := func() copied { return inFile(t, h, realm) }
	posted := func(n int) {
		t.Helper()
		at := ledger.Head()
		tab.Until("something more", func() bool { return tab.Seq > at+int64(n) })
	}
	for round := range number(t, "AGENTDUNGEON_ROUNDS", 6) {
		posted(20 + rng.IntN(40))
		what := pick(rng, "server", "redis", "both", "held still")
		t.Logf("round %d: %s", round, what)
		switch what {
		case "server":
			l.Kill()
		case "redis":
			redis.Kill()
			posted(30)
			must(t, redis.Start())
		case "both":
			redis.Kill()
			posted(10)
			l.Kill()
			must(t, redis.Start())
		case "held still":
			must(t, redis.Stop())
			posted(10)
			l.Kill()
			must(t, redis.Go())
		}
		if what != "redis" {
			l = h.Start()
			tab.Join(l)
		}
	}
	tab.Look(func() { tab.Act = nil })
	eventually(t, "a pause", func() bool {
		tab.Do(fmt.Sprint("pause-", ledger.Head()), &wire.PlayerCommand{Text: "/pause"})
		status := ""
		tab.Look(func() { status = tab.World.ProcessState.Status })
		return status != world.StatusRunning
	})
	same(t, l, tab, get, left)
	if len(get()) == 0 || left() != nil {
		t.Errorf("%d findings on Redis, %d in a file beside it", len(get()), len(left()))
	}
	// Redis ends and people are told; the file replaces it, also in the next life.
	redis.Kill()
	tab.Until("a word about the board", func() bool { return strings.Contains(tab.Save.Board, "Redis does not answer") })
	same(t, l, tab, left, left)
	late := NewTab(t, ledger, "late")
	late.Join(l)
	late.Until("a word about the board", func() bool { return late.Save.Board != "" })
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d without Redis\n%s", code, l.Log())
	}
	must(t, redis.Start())
	l = h.Start()
	tab.Join(l)
	same(t, l, tab, get, left)
	eventually(t, "no file", func() bool { return left() == nil })
	// After its removal a realm has nothing on Redis.
	tab.Look(func() { tab.MustReplay = false })
	if c := tab.Do("remove", &wire.RemoveRealm{RealmID: realm}); c.Code != "" {
		t.Fatalf("remove: %s", c.Answer)
	}
	c := redis.Client()
	defer func() { must(t, c.Close()) }()
	eventually(t, "no board", func() bool {
		keys, err := c.Keys(context.Background(), "agentdungeon:*:"+realm+":*").Result()
		return err == nil && len(keys) == 0
	})
	if strings.Contains(l.Log(), secret) || len(holding(t, filepath.Dir(folder), secret)) > 0 {
		t.Error("the password of REDIS_URL is in the log or on the disk")
	}
}

// A server with an invalid REDIS_URL exits with code 2, and its message does not contain the URL.
func TestRedisURLThatIsNone(t *testing.T) {
	t.Parallel()
	h := NewHome(t, server)
	h.Env = []string{"REDIS_URL=http://:hidden-word@host"}
	code, out, errs := h.Run("serve", "-worlds", h.Worlds, "-addr", "127.0.0.1:0")
	if code != 2 || !strings.Contains(errs, "REDIS_URL: it must be") || strings.Contains(out+errs, "hidden-word") {
		t.Errorf("exit code %d, %s %s", code, out, errs)
	}
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }
