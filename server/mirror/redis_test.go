package mirror

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"agentdungeon/server/mirror/redistest"
	"agentdungeon/shared/world"
)

// Redis has each finding that was posted, also a withdrawn one, with the seq of the last event and entries in the
// stream for the changed findings. Nothing expires (S3-15).
func TestFindingsAreOnRedis(t *testing.T) {
	t.Parallel()
	s := redistest.New(t, "a-password-of-some-length")
	g := newRig(t)
	g.start(s.URL())
	r := g.open("one")
	for n := range 20 {
		r.post(t, fmt.Sprintf("f%d", n), fmt.Sprintf("title %d", n))
	}
	r.withdraw(t, "f3")
	r.post(t, "f4", "said again")
	g.same(s, "one")
	set(t, s, func(ctx context.Context, c *redis.Client) error {
		entries, err := c.XRange(ctx, keysOf(Ref{"default", "one"}).changes, "-", "+").Result()
		seen := map[string]int{}
		last := ""
		for _, e := range entries {
			seen[fmt.Sprint(e.Values["id"])]++
			last = fmt.Sprint(e.Values["id"], e.Values["change"])
		}
		if len(seen) != 20 || last != "f4set" {
			t.Errorf("changes of %d findings, the last %s", len(seen), last)
		}
		return err
	})
	if strings.Contains(g.log.String(), "password-of") {
		t.Error("the log holds the password")
	}
	g.stop()
	g.start(s.URL()) // a new process with a new epoch takes over the board
	g.open("one")
	g.same(s, "one")
}

// If a realm erases words and closes at once, Redis keeps none of these words, even if the follower has not read the
// last events.
func TestErasedAtTheEnd(t *testing.T) {
	t.Parallel()
	s, g, r := onRedis(t)
	const words = "the lantern in the cellar belongs to nobody else but me"
	r.says(t, "gone", words)
	r.post(t, "f", words)
	g.same(s, "one")
	r.end() // the follower below has not read the last events
	ctx := context.Background()
	w, tail, err := r.realm.Tail(ctx)
	must(t, err)
	f := &follower{m: g.m, ref: Ref{"default", "one"}, realm: r.realm, board: board{ref: Ref{"default", "one"}}}
	epoch, _ := r.realm.Position()
	f.board.reset(epoch, w)
	f.update(ctx)
	_, err = r.realm.Erase(ctx, world.Erasure{Who: "a test", Reason: world.ErasedOnRequest, SpectatorID: "gone"})
	must(t, err)
	g.close("one")
	again := f.follow(ctx, tail)
	tail.Close()
	if !again {
		t.Error("the whole state is not taken anew")
	}
	f.run(ctx)
	c := s.Client()
	defer c.Close()
	got, err := c.HGetAll(ctx, keysOf(f.ref).findings).Result()
	if err != nil || len(got) != 1 || strings.Contains(got["f"], "lantern") {
		t.Errorf("%v, %v", got, err)
	}
}

// Redis is killed while findings are posted, and starts again empty or with an older state. In the end Redis has what
// the realm has. Meanwhile people see a message, and findings.json has the copy.
func TestRedisGoesAndComesBack(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"empty", "older"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s, g, r := onRedis(t)
			for n := range 10 {
				r.post(t, fmt.Sprintf("f%d", n), "first")
			}
			g.same(s, "one")
			if how == "older" {
				set(t, s, func(ctx context.Context, c *redis.Client) error { return c.Save(ctx).Err() })
			}
			for n := range 30 {
				if n == 15 {
					s.Kill()
				}
				r.post(t, fmt.Sprintf("f%d", n), fmt.Sprintf("second %d", n))
			}
			r.withdraw(t, "f2")
			r.told(t, "Redis does not answer")
			g.inFile("one")
			must(t, s.Start())
			g.same(s, "one")
			r.told(t, "")
			r.post(t, "after", "after")
			g.same(s, "one")
			// The watcher notices by itself that Redis can be used again, and may notice it later than the follower.
			eventually(t, func() bool { return strings.Contains(g.log.String(), "Redis can be used again") }, g.log.String)
			text := g.log.String()
			if strings.Count(text, "Redis cannot be used") != 1 || strings.Count(text, "Redis can be used again") != 1 {
				t.Errorf("it is not said once each:\n%s", text)
			}
		})
	}
}

// A restart of Redis with older data between two checks is noticed by its run id.
func TestRedisRestartsUnseen(t *testing.T) {
	t.Parallel()
	s, g, r := onRedis(t)
	r.post(t, "a", "first")
	g.same(s, "one")
	set(t, s, func(ctx context.Context, c *redis.Client) error { return c.Save(ctx).Err() })
	r.post(t, "a", "second")
	r.post(t, "b", "second")
	g.same(s, "one")
	s.Kill()
	must(t, s.Start())
	g.same(s, "one")
}

// If another program writes into the keys, deletes them or changes their type, the next update restores them, and
// the realm takes over nothing from them.
func TestScribbledKeys(t *testing.T) {
	t.Parallel()
	s, g, r := onRedis(t)
	for n := range 5 {
		r.post(t, fmt.Sprintf("f%d", n), "title")
	}
	k := keysOf(Ref{"default", "one"})
	for name, scribble := range map[string]func(context.Context, *redis.Client) error{
		"a finding of its own": func(ctx context.Context, c *redis.Client) error {
			return c.HSet(ctx, k.findings, "mine", `{"id":"mine"}`, "f1", "other").Err()
		},
		"a finding removed":  func(ctx context.Context, c *redis.Client) error { return c.HDel(ctx, k.findings, "f2").Err() },
		"a later seq":        func(ctx context.Context, c *redis.Client) error { return c.HSet(ctx, k.board, "seq", 9999).Err() },
		"another line":       func(ctx context.Context, c *redis.Client) error { return c.HSet(ctx, k.board, "epoch", "else").Err() },
		"another server":     func(ctx context.Context, c *redis.Client) error { return c.HSet(ctx, k.board, "server", "else").Err() },
		"no number":          func(ctx context.Context, c *redis.Client) error { return c.HSet(ctx, k.board, "seq", "x").Err() },
		"all removed":        func(ctx context.Context, c *redis.Client) error { return c.FlushAll(ctx).Err() },
		"out of the set":     func(ctx context.Context, c *redis.Client) error { return c.Del(ctx, "agentdungeon:boards:me").Err() },
		"findings as a text": func(ctx context.Context, c *redis.Client) error { return c.Set(ctx, k.findings, "x", 0).Err() },
		"board as a list": func(ctx context.Context, c *redis.Client) error {
			return c.Eval(ctx, "redis.call('DEL',KEYS[1]) return redis.call('LPUSH',KEYS[1],'x')", []string{k.board}).Err()
		},
		"changes as a text": func(ctx context.Context, c *redis.Client) error { return c.Set(ctx, k.changes, "x", 0).Err() },
		"the set as a text": func(ctx context.Context, c *redis.Client) error {
			return c.Set(ctx, "agentdungeon:boards:me", "x", 0).Err()
		},
	} {
		set(t, s, scribble)
		g.same(s, "one")
		set(t, s, scribble)
		r.post(t, "f1", "after "+name) // the realm posts before the mirror compares
		g.same(s, "one")
	}
	for n := range 200 { // the other program also writes while the mirror does
		set(t, s, func(ctx context.Context, c *redis.Client) error { return c.HSet(ctx, k.findings, "f1", n).Err() })
		r.post(t, "f1", fmt.Sprint(n))
	}
	g.same(s, "one")
}

// With a wrong password people see a message without the password, and findings.json has the copy.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	s := redistest.New(t, "the-right-one-quite-long")
	g := newRig(t)
	g.start(s.URLWith("a-wrong-one-quite-long"))
	r := g.open("one")
	r.post(t, "f", "title")
	r.told(t, "refuses the password")
	g.inFile("one")
	if text := g.log.String(); strings.Contains(text, "wrong-one") || strings.Count(text, "Redis cannot be used") != 1 {
		t.Errorf("the log: %s", text)
	}
	g.stop()
	g.start(s.URL())
	g.open("one")
	g.same(s, "one")
}

// A Redis that does not answer delays nothing: the realm works and closes in time. The next process copies the rest,
// although the realm stays closed.
func TestSlowRedis(t *testing.T) {
	t.Parallel()
	s := redistest.New(t, "")
	g := newRig(t)
	g.times.Patience, g.times.End = time.Second, time.Second
	g.start(s.URL())
	r := g.open("one")
	r.post(t, "f0", "title")
	g.same(s, "one")
	must(t, s.Stop())
	for n := range 100 {
		r.post(t, fmt.Sprintf("f%d", n), "while nothing answers")
	}
	want := map[string]string{}
	eventually(t, func() bool { want = r.committed(t); return len(want) == 100 }, g.log.String) // all that was handed over
	g.stop()
	must(t, s.Go())
	g.start(s.URL())
	k := keysOf(Ref{"default", "one"})
	c := s.Client()
	defer c.Close()
	last := ""
	eventually(t, func() bool {
		got, err := c.HGetAll(context.Background(), k.findings).Result()
		file, fileErr := g.folder.LoadBoard(Ref{"default", "one"})
		last = fmt.Sprintf("%d of %d on Redis, a file of %d bytes, %v %v", len(got), len(want), len(file), err, fileErr)
		return err == nil && fileErr == nil && len(got) == len(want) && got["f7"] == want["f7"] && file == nil
	}, func() string { return last + "\n" + g.log.String() })
}

// A Redis that refuses writes (full, or a replica) counts as failing, although it answers.
func TestRedisTakesNoWrites(t *testing.T) {
	t.Parallel()
	s, g, r := onRedis(t)
	r.post(t, "a", "title")
	g.same(s, "one")
	set(t, s, func(ctx context.Context, c *redis.Client) error { return c.ConfigSet(ctx, "maxmemory", "1").Err() })
	r.post(t, "b", "title")
	r.told(t, "does not take the findings")
	g.inFile("one")
	set(t, s, func(ctx context.Context, c *redis.Client) error { return c.ConfigSet(ctx, "maxmemory", "0").Err() })
	g.same(s, "one")
	r.told(t, "")
}

// The board of a removed realm is deleted, also if Redis did not answer meanwhile. Boards of other servers stay.
func TestRemovedRealm(t *testing.T) {
	t.Parallel()
	s := redistest.New(t, "")
	g := newRig(t)
	g.start(s.URL())
	set(t, s, func(ctx context.Context, c *redis.Client) error {
		return c.HSet(ctx, "agentdungeon:default:theirs:findings", "x", "y").Err()
	})
	for _, id := range []string{"one", "two", "three"} {
		g.open(id).post(t, "f", "title")
		g.same(s, id)
	}
	remove := func(id string) {
		g.close(id)
		g.folder.set(id, false)
		g.m.Removed()
	}
	c := s.Client()
	defer c.Close()
	gone := func(id string) {
		t.Helper()
		var left []string
		eventually(t, func() bool {
			var err error
			left, err = c.Keys(context.Background(), "agentdungeon:default:"+id+":*").Result()
			return err == nil && len(left) == 0
		}, func() string { return fmt.Sprint(left) })
	}
	remove("one")
	gone("one")
	set(t, s, func(ctx context.Context, c *redis.Client) error { return c.Save(ctx).Err() })
	s.Kill()
	remove("two")
	g.stop() // a later process also knows which boards to delete
	g.folder.set("three", true)
	must(t, s.Start())
	g.start(s.URL())
	gone("two")
	g.open("three")
	g.same(s, "three")
	if n := c.Exists(context.Background(), "agentdungeon:default:theirs:findings").Val(); n != 1 {
		t.Error("another server's board was removed")
	}
}

// Many findings at once are listed as one change, and a board of any size is one transaction.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	s, g, r := onRedis(t)
	g.same(s, "one")
	s.Kill()
	for n := range 1500 {
		r.post(t, fmt.Sprintf("f%d", n), "title")
	}
	eventually(t, func() bool { return len(r.committed(t)) == 1500 }, g.log.String)
	g.inFile("one")
	must(t, s.Start())
	g.same(s, "one")
	set(t, s, func(ctx context.Context, c *redis.Client) error {
		entries, err := c.XRange(ctx, keysOf(Ref{"default", "one"}).changes, "-", "+").Result()
		if len(entries) != 1 || entries[0].Values["change"] != changeAll {
			t.Errorf("%d changes are told: %v", len(entries), entries)
		}
		return err
	})
}

// An erasure removes the erased words from the findings on Redis and in findings.json, and the end of the realm and
// the mirror does not bring them back (S1-19, S3-15).
func TestErasureReachesTheBoard(t *testing.T) {
	t.Parallel()
	const words = "the cellar door is never locked because I lost its key"
	s := redistest.New(t, "")
	for _, url := range []string{"", s.URL()} {
		g := newRig(t)
		g.start(url)
		r := g.open("one")
		r.says(t, "gone", words)
		r.post(t, "f", "somebody says: "+words)
		eventually(t, func() bool { return len(r.committed(t)) == 1 }, g.log.String)
		all := func() string {
			data, err := g.folder.LoadBoard(Ref{"default", "one"})
			must(t, err)
			c := s.Client()
			defer c.Close()
			for _, text := range c.HGetAll(context.Background(), keysOf(Ref{"default", "one"}).findings).Val() {
				data = append(data, text...)
			}
			for _, e := range c.XRange(context.Background(), keysOf(Ref{"default", "one"}).changes, "-", "+").Val() {
				data = append(data, fmt.Sprint(e.Values)...)
			}
			return string(data)
		}
		eventually(t, func() bool { return strings.Contains(all(), words) }, all)
		receipt, err := r.realm.Erase(context.Background(), world.Erasure{SpectatorID: "gone", Reason: world.ErasedOnRequest, Who: "a test"})
		must(t, err)
		if receipt.ErasureID == "" {
			t.Errorf("%+v", receipt)
		}
		if text := r.committed(t)["f"]; strings.Contains(text, "never locked") {
			t.Fatalf("the realm itself keeps it: %s, %+v", text, receipt)
		}
		eventually(t, func() bool {
			text := all()
			return !strings.Contains(text, "never locked") && strings.Contains(text, `"f"`)
		}, all)
		g.stop()
		if text := all(); strings.Contains(text, "never locked") {
			t.Errorf("after the end: %s", text)
		}
	}
}

// A user of Redis needs only the commands that the manual names and the keys that begin with "agentdungeon:".
func TestFewRights(t *testing.T) {
	t.Parallel()
	s := redistest.New(t, "")
	set(t, s, func(ctx context.Context, c *redis.Client) error {
		rule := []any{"ACL", "SETUSER", "small", "on", ">few-rights-only", "~agentdungeon:*"}
		for name := range strings.FieldsSeq("ping watch unwatch multi exec type del hmget hset hdel hscan sadd srem sismember smembers xadd") {
			rule = append(rule, "+"+name)
		}
		return c.Do(ctx, rule...).Err()
	})
	g := newRig(t)
	g.start("redis://small:few-rights-only@" + s.Addr + "/0")
	g.open("one").post(t, "f", "title")
	g.same(s, "one")
	g.open("two").post(t, "f", "title")
	g.same(s, "two")
	g.close("two")
	g.folder.set("two", false)
	g.m.Removed()
	eventually(t, func() bool {
		c := s.Client()
		defer c.Close()
		return c.Exists(context.Background(), keysOf(Ref{"default", "two"}).findings).Val() == 0
	}, g.log.String)
	if text := g.log.String(); strings.Contains(text, "Redis cannot be used") {
		t.Errorf("the log: %s", text)
	}
}
