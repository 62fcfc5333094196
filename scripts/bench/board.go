package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/mirror"
	"agentdungeon/server/mirror/redistest"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// postPace is the number of findings that the member posts in a second while their delay is
// measured. In no review so far have ten heroes together posted as many.
const postPace = 100

// board measures the delay until another program reads a finding from Redis: a member posts
// it, the actor commits it, the mirror copies it to Redis, and the program reads the stream
// of changes. The limit is a program that writes the same data to the same Redis and stores
// nothing itself.
func (b *bench) board(many int) {
	add := b.percentiles(aim{below, 50e-3}, "HSET and XADD in a MULTI, read by XREAD, ",
		"finding on the screens to change read from Redis by another program, %d/s, ", postPace)
	rate := b.row(perSecond, noAim, "HSET and XADD in a MULTI, one after the other",
		"findings posted, committed and on Redis, %d flat out", many)
	b.times(b.runs, func() {
		dir := b.folder()
		server := get(redistest.Make(dir, ""))
		b.after(func() { must(server.Close()) })
		must(server.Start())
		client := server.Client()
		b.after(func() { must(client.Close()) })
		p := b.newPosting(filepath.Join(dir, "realm"), server.URL())
		n := int(b.during.Seconds()) * postPace
		shown, read := arrivals{}, arrivals{}
		get(p.together(n, func(ctx context.Context) error { return p.watch(ctx, shown, n) },
			func(ctx context.Context) error { return readChanges(ctx, client, p.key("changes"), read, n) },
			func(id string) error { return p.post(b.ctx, id) }))
		bareRead := arrivals{}
		begun := get(p.together(n, func(context.Context) error { return nil },
			func(ctx context.Context) error { return readChanges(ctx, client, "bare:changes", bareRead, n) },
			func(id string) error { return bareWrite(b.ctx, client, id) }))
		add(shown.to(read), begun.to(bareRead))
		begin := time.Now()
		for n := range many {
			must(p.post(b.ctx, fmt.Sprintf("m%d", n)))
		}
		for client.HLen(b.ctx, p.key("findings")).Val() < int64(many+n) && b.ctx.Err() == nil {
		}
		ours := float64(many) / time.Since(begin).Seconds()
		begin = time.Now()
		for n := range many {
			must(bareWrite(b.ctx, client, fmt.Sprint(n)))
		}
		rate.add(ours, float64(many)/time.Since(begin).Seconds())
	})
}

const postedText = "the lamp is lit & the door stands open. the lamp is lit & the door stands open. " +
	"the lamp is lit & the door stands open."

// posting is a realm with one member, whose driver posts the findings of the channel chunks.
type posting struct {
	b      *bench
	chunks chan driver.Chunk
	viewer *watch.Viewer
}

func (p *posting) All() []*world.Template { return nil }

func (p *posting) Template(string) (*world.Template, error) {
	return &world.Template{
		ID: "t", Name: "T", Roles: []world.Role{{ID: "r", Name: "R", Color: "#112233"}},
		Stages: []world.Stage{{ID: "s", Name: "S", Goal: "g", Roles: []string{"r"},
			Structure: world.StructSingle, Completion: world.CompleteSignal}},
	}, nil
}

func (p *posting) Driver(*world.Template, world.Role) driver.Driver { return p }

func (p *posting) Run(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
	for {
		select {
		case c := <-p.chunks:
			if err := emit(c); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// noBoards stands for a worlds folder without findings.json.
type noBoards struct{}

func (noBoards) Refs() []mirror.Ref                   { return nil }
func (noBoards) LoadBoard(mirror.Ref) ([]byte, error) { return nil, nil }
func (noBoards) SaveBoard(mirror.Ref, []byte) error   { return nil }
func (noBoards) RemoveBoard(mirror.Ref) error         { return nil }

func (p *posting) key(name string) string { return "agentdungeon:default:posting:" + name }

func (p *posting) post(ctx context.Context, id string) error {
	select {
	case p.chunks <- driver.Chunk{Finding: &world.Finding{ID: id, Severity: "low", Title: "finding " + id, Text: postedText}}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *bench) newPosting(home, url string) *posting {
	p := &posting{b: b, chunks: make(chan driver.Chunk)}
	copies := mirror.New(mirror.Config{Address: get(mirror.ParseAddress(url)), Realms: noBoards{}, Log: zerolog.Nop(), Server: "bench"})
	b.after(func() { must(copies.Close()) })
	o := b.handed(home, world.Realm{ID: "posting", Name: "Posting", Tenant: world.DefaultTenant})
	var end func()
	b.after(func() { end() }) // once the realm has stopped
	r := b.run(o, func(c *realm.Config) { c.Templates, c.Drivers = p, p })
	end = copies.Follow(world.DefaultTenant, r)
	p.viewer = get(r.Attach(b.ctx, watch.Position{}))
	submit(r, nil, "", &wire.StartProcess{Problem: "p"})
	must(p.post(b.ctx, "first"))
	return p
}

// arrivals holds the time at which each finding was first seen, by its id.
type arrivals map[string]time.Time

func (a arrivals) saw(id string) {
	if _, again := a[id]; !again && id != "" && id[0] == 'd' {
		a[id] = time.Now()
	}
}

// to returns the delays from the times in a to the times in there.
func (a arrivals) to(there arrivals) (out []time.Duration) {
	for id, at := range a {
		out = append(out, max(0, there[id].Sub(at)))
	}
	return out
}

// together writes n findings at an even pace while watch and read run, and returns the time
// at which the write of each began.
func (p *posting) together(n int, watch, read func(context.Context) error, write func(id string) error) (begun arrivals, err error) {
	ctx, cancel := context.WithTimeout(p.b.ctx, patience+time.Duration(n)*time.Second/postPace)
	defer cancel()
	failed := make(chan error, 2) // one from each
	go func() { failed <- watch(ctx) }()
	go func() { failed <- read(ctx) }()
	begun = arrivals{}
	_, err = pace(postPace, time.Duration(n/postPace)*time.Second, func(i int) error {
		id := fmt.Sprintf("d%d", i)
		begun.saw(id)
		return write(id)
	})
	return begun, errors.Join(err, <-failed, <-failed)
}

// watch reads the realm's frames as a page does, until n findings have come.
func (p *posting) watch(ctx context.Context, shown arrivals, n int) error {
	for len(shown) < n {
		frames, err := p.viewer.Take(ctx, 256<<10)
		if err != nil {
			return err
		}
		for _, f := range frames {
			var posted struct{ Finding world.Finding }
			if bytes.HasPrefix(f, []byte(`{"type":"findings:posted"`)) {
				if err := json.Unmarshal(f, &posted); err != nil {
					return err
				}
			}
			shown.saw(posted.Finding.ID)
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-p.viewer.Ready():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// readChanges reads the stream of changes as another program does, until n findings have come.
func readChanges(ctx context.Context, client *redis.Client, stream string, read arrivals, n int) error {
	for last := "0"; len(read) < n; {
		got, err := client.XRead(ctx, &redis.XReadArgs{Streams: []string{stream, last}, Block: time.Second, Count: 100}).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		for _, s := range got {
			for _, m := range s.Messages {
				id, _ := m.Values["id"].(string)
				last = m.ID
				read.saw(id)
			}
		}
	}
	return nil
}

func bareWrite(ctx context.Context, client *redis.Client, id string) error {
	data, err := json.Marshal(world.Finding{ID: id, AgentID: "r", Severity: "low", Title: "finding " + id, Text: postedText})
	if err != nil {
		return err
	}
	_, err = client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, "bare:findings", id, data)
		pipe.XAdd(ctx, &redis.XAddArgs{Stream: "bare:changes", MaxLen: 1000, Approx: true, Values: []string{"id", id}})
		return nil
	})
	return err
}
