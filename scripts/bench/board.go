package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"agentdungeon/server/mirror"
	"agentdungeon/server/mirror/redistest"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// postPace is the number of findings that are posted in a second while board measures delays. Ten heroes never post as
// many.
const postPace = 100

// board measures the delay from a committed finding until another program reads it from Redis. For comparison,
// another program writes the same data to the same Redis and stores nothing itself.
func (b *bench) board() {
	add := b.percentiles(aim{below, 50e-3}, "HSET and XADD in a MULTI, read by XREAD, ",
		"finding on the screens to change read from Redis by another program, %d/s, ", postPace)
	n := int(b.during.Seconds()) * postPace
	b.times(b.runs, func() {
		dir := b.folder()
		server := get(redistest.Make(dir, ""))
		b.after(func() { must(server.Close()) })
		must(server.Start())
		client := server.Client()
		b.after(func() { must(client.Close()) })
		p := b.newPosting(filepath.Join(dir, "realm"), server.URL())
		var delay, bareDelay delays
		delay.begin(2 * n)
		together(func() { p.watch(b, &delay, n) },
			func() { readChanges(b.ctx, client, p.key("changes"), &delay, n) },
			func() { pace(postPace, b.during, func(int) { p.post(b.ctx, stamp()) }) })
		var took []time.Duration
		for at, shown := range delay.took {
			if at.reader == onScreen {
				took = append(took, max(0, delay.took[arrival{onRedis, at.stamp}]-shown))
			}
		}
		bareDelay.begin(n)
		together(func() { readChanges(b.ctx, client, "bare:changes", &bareDelay, n) },
			func() { pace(postPace, b.during, func(int) { bareWrite(b.ctx, client, stamp()) }) })
		add(took, bareDelay.list())
	})
}

var postedText = strings.Repeat("the lamp is lit & the door stands open. ", 3)

// noBoards stands for a worlds folder without findings.json.
type noBoards struct{}

func (noBoards) Refs() []mirror.Ref                   { return nil }
func (noBoards) LoadBoard(mirror.Ref) ([]byte, error) { return nil, nil }
func (noBoards) SaveBoard(mirror.Ref, []byte) error   { return nil }
func (noBoards) RemoveBoard(mirror.Ref) error         { return nil }

// posting is a realm whose member posts findings.
type posting struct {
	findings player
	viewer   *watch.Viewer
}

// key returns the name of a key on Redis that belongs to the realm.
func (p *posting) key(name string) string { return "agentdungeon:default:posting:" + name }

func (p *posting) post(ctx context.Context, id string) {
	select {
	case p.findings <- &world.Finding{ID: id, Severity: "low", Title: "finding " + id, Text: postedText}:
	case <-ctx.Done():
		must(context.Cause(ctx))
	}
}

func (b *bench) newPosting(home, url string) *posting {
	p := &posting{findings: make(player)}
	copies := mirror.New(mirror.Config{Address: get(mirror.ParseAddress(url)), Realms: noBoards{}, Log: zerolog.Nop(), Server: "bench"})
	b.after(func() { must(copies.Close()) })
	o := b.handed(home, world.Realm{ID: "posting", Name: "Posting", Tenant: world.DefaultTenant})
	var end func()
	b.after(func() { end() }) // once the realm has stopped
	r := b.run(o, func(c *realm.Config) { c.Templates, c.Drivers = p.findings, p.findings })
	end = copies.Follow(world.DefaultTenant, r)
	p.viewer = get(r.Attach(b.ctx, watch.Position{}))
	submit(r, nil, "", &wire.StartProcess{Problem: "p"})
	p.post(b.ctx, "first")
	return p
}

// The two readers of a finding, by their numbers in delays.
const onScreen, onRedis = 0, 1

// watch reads the realm's frames as a page does, until n findings have come.
func (p *posting) watch(b *bench, delay *delays, n int) {
	b.view(p.viewer, func(f []byte) bool {
		var posted struct{ Finding world.Finding }
		if bytes.HasPrefix(f, []byte(`{"type":"findings:posted"`)) {
			must(json.Unmarshal(f, &posted))
			if delay.arrives(onScreen, []byte(posted.Finding.ID)) {
				n--
			}
		}
		return n == 0
	})
}

// readChanges reads the stream of changes as another program does, until n findings have come.
func readChanges(ctx context.Context, client *redis.Client, stream string, delay *delays, n int) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for last := "0"; n > 0; {
		got, err := client.XRead(ctx, &redis.XReadArgs{Streams: []string{stream, last}, Block: time.Second, Count: 100}).Result()
		if errors.Is(err, redis.Nil) {
			continue
		}
		must(err)
		for _, m := range got[0].Messages {
			id, _ := m.Values["id"].(string)
			last = m.ID
			if delay.arrives(onRedis, []byte(id)) {
				n--
			}
		}
	}
}

func bareWrite(ctx context.Context, client *redis.Client, id string) {
	data := get(json.Marshal(world.Finding{ID: id, AgentID: "r", Severity: "low", Title: "finding " + id, Text: postedText}))
	get(client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, "bare:findings", id, data)
		pipe.XAdd(ctx, &redis.XAddArgs{Stream: "bare:changes", MaxLen: 1000, Approx: true, Values: []string{"id", id}})
		return nil
	}))
}
