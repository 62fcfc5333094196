package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/server/mirror"
	"agentdungeon/server/mirror/redistest"
	"agentdungeon/server/realm"
	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// postPace is how many findings a second are posted where their delay is measured: more
// than ten heroes have ever posted.
const postPace = 100

// board is the way of a finding to another program: posted by a member, committed by the
// actor, copied to Redis, read there from the stream of changes. The limit is a program
// that writes the same into the same Redis and saves nothing.
func (b *bench) board(ctx context.Context, many int) ([]figure, error) {
	p50 := figure{name: fmt.Sprintf("finding on the screens to change read from Redis by another program, %d/s, p50", postPace), unit: seconds, bare: "HSET and XADD in a MULTI, read by XREAD, p50"}
	p99 := figure{name: fmt.Sprintf("finding on the screens to change read from Redis by another program, %d/s, p99", postPace), unit: seconds, bare: "HSET and XADD in a MULTI, read by XREAD, p99", aim: aim{below, 50e-3}}
	rate := figure{name: fmt.Sprintf("findings posted, committed and on Redis, %d flat out", many), unit: perSecond, bare: "HSET and XADD in a MULTI, one after the other"}
	for range b.runs {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		if err := b.boardOnce(ctx, many, &p50, &p99, &rate); err != nil {
			return nil, err
		}
	}
	return []figure{p50, p99, rate}, nil
}

func (b *bench) boardOnce(ctx context.Context, many int, p50, p99, rate *figure) (err error) {
	dir, err := b.folder()
	if err != nil {
		return err
	}
	server, err := redistest.Make(dir, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := server.Start(); err != nil {
		return err
	}
	client := server.Client()
	defer func() { err = errors.Join(err, client.Close()) }()
	p, err := newPosting(ctx, filepath.Join(dir, "realm"), server.URL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	took, err := p.delays(ctx, client, int(b.during.Seconds())*postPace)
	if err != nil {
		return err
	}
	bare, err := bareDelays(ctx, client, int(b.during.Seconds())*postPace)
	if err != nil {
		return err
	}
	p50.ours, p50.limit = append(p50.ours, percentile(took, 50)), append(p50.limit, percentile(bare, 50))
	p99.ours, p99.limit = append(p99.ours, percentile(took, 99)), append(p99.limit, percentile(bare, 99))
	begin := time.Now()
	for n := range many {
		if err := p.post(ctx, fmt.Sprintf("m%d", n)); err != nil {
			return err
		}
	}
	there := client.HLen(ctx, p.key("findings")).Val()
	for want := int64(many + len(took)); there < want && err == nil && ctx.Err() == nil; {
		there, err = client.HLen(ctx, p.key("findings")).Result()
	}
	rate.ours = append(rate.ours, float64(many)/time.Since(begin).Seconds())
	begin = time.Now()
	for n := range many {
		if err := bareWrite(ctx, client, fmt.Sprint(n)); err != nil {
			return err
		}
	}
	rate.limit = append(rate.limit, float64(many)/time.Since(begin).Seconds())
	return err
}

const postedText = "the lamp is lit & the door stands open. the lamp is lit & the door stands open. the lamp is lit & the door stands open."

// posting is a realm whose one member posts what it is handed.
type posting struct {
	chunks chan driver.Chunk
	mirror *mirror.Mirror
	realm  *realm.Realm
	viewer *realm.Viewer
	end    func()
}

func (p *posting) All() []*world.Template { return nil }

func (p *posting) Template(string) (*world.Template, error) {
	return &world.Template{
		ID: "t", Name: "T", Roles: []world.Role{{ID: "r", Name: "R", Color: "#112233"}},
		Stages: []world.Stage{{ID: "s", Name: "S", Goal: "g", Roles: []string{"r"}, Structure: world.StructSingle, Completion: world.CompleteSignal}},
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

// noBoards is a worlds folder without findings.json.
type noBoards struct{}

func (noBoards) Refs() []mirror.Ref                   { return nil }
func (noBoards) LoadBoard(mirror.Ref) ([]byte, error) { return nil, nil }
func (noBoards) SaveBoard(mirror.Ref, []byte) error   { return nil }
func (noBoards) RemoveBoard(mirror.Ref) error         { return nil }
func (p *posting) key(name string) string             { return "agentdungeon:default:posting:" + name }
func (p *posting) post(ctx context.Context, id string) error {
	select {
	case p.chunks <- driver.Chunk{Finding: &world.Finding{ID: id, Severity: "low", Title: "finding " + id, Text: postedText}}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func newPosting(ctx context.Context, home, url string) (*posting, error) {
	address, err := mirror.ParseAddress(url)
	if err != nil {
		return nil, err
	}
	o, err := store.OpenRealm(ctx, afero.NewOsFs(), home, world.Realm{ID: "posting", Name: "Posting", Tenant: world.DefaultTenant}, world.DefaultSettings(), time.Now())
	if err != nil {
		return nil, err
	}
	p := &posting{chunks: make(chan driver.Chunk), mirror: mirror.New(mirror.Config{Address: address, Realms: noBoards{}, Log: zerolog.Nop(), Server: "bench"})}
	p.realm = realm.Start(realm.Config{Saved: o.Saved, Journal: o.Journal, Files: o.Files, Templates: p, Drivers: p, Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {}})
	p.end = p.mirror.Follow(world.DefaultTenant, p.realm)
	if p.viewer, err = p.realm.Attach(ctx, realm.Position{}); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	who := realm.Person{SpectatorID: "s", Name: "person", Color: "#aabbcc", Role: wire.RoleHost}
	if e := p.realm.Submit(realm.Input{From: who, Command: &wire.StartProcess{Problem: "p"}}); e != nil {
		return nil, errors.Join(e, p.stop())
	}
	return p, p.post(ctx, "first")
}

func (p *posting) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	_, err := p.realm.Stop(ctx)
	p.end()
	return errors.Join(err, p.mirror.Close())
}

// seen are the moments at which something was seen first, by id.
type seen struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (s *seen) saw(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.at[id]; !again {
		s.at[id] = time.Now()
	}
}

// delays are, for n findings at an even pace, how much later than a screen another program
// has read of them.
func (p *posting) delays(ctx context.Context, client *redis.Client, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience+time.Duration(n)*time.Second/postPace)
	defer cancel()
	shown, read := &seen{at: map[string]time.Time{}}, &seen{at: map[string]time.Time{}}
	failed := make(chan error, 3) // one from each goroutine below
	go func() { failed <- p.watch(ctx, shown, n) }()
	go func() { failed <- readChanges(ctx, client, p.key("changes"), read, n) }()
	go func() {
		_, err := pace(postPace, time.Duration(n/postPace)*time.Second, func(i int) error { return p.post(ctx, fmt.Sprintf("d%d", i)) })
		failed <- err
	}()
	for range 3 {
		if err := <-failed; err != nil {
			return nil, err
		}
	}
	var out []time.Duration
	for i := range n {
		id := fmt.Sprintf("d%d", i)
		out = append(out, max(0, read.at[id].Sub(shown.at[id])))
	}
	return out, nil
}

// watch is a screen.
func (p *posting) watch(ctx context.Context, shown *seen, n int) error {
	for len(shown.at) < n {
		frames, err := p.viewer.Take(ctx, 256<<10)
		if err != nil {
			return err
		}
		for _, f := range frames {
			if !bytes.HasPrefix(f, []byte(`{"type":"findings:posted"`)) {
				continue
			}
			var posted struct{ Finding world.Finding }
			if err := json.Unmarshal(f, &posted); err != nil {
				return err
			}
			if posted.Finding.ID[0] == 'd' {
				shown.saw(posted.Finding.ID)
			}
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

// readChanges is another program.
func readChanges(ctx context.Context, client *redis.Client, stream string, read *seen, n int) error {
	for last := "0"; len(read.at) < n; {
		got, err := client.XRead(ctx, &redis.XReadArgs{Streams: []string{stream, last}, Block: time.Second, Count: 100}).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		for _, s := range got {
			for _, m := range s.Messages {
				last = m.ID
				if id, _ := m.Values["id"].(string); id != "" && id[0] == 'd' {
					read.saw(id)
				}
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

// bareDelays are the same without a realm: from the write to the reading.
func bareDelays(ctx context.Context, client *redis.Client, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience+time.Duration(n)*time.Second/postPace)
	defer cancel()
	read := &seen{at: map[string]time.Time{}}
	failed := make(chan error, 1)
	go func() { failed <- readChanges(ctx, client, "bare:changes", read, n) }()
	var begun []time.Time
	_, err := pace(postPace, time.Duration(n/postPace)*time.Second, func(i int) error {
		begun = append(begun, time.Now())
		return bareWrite(ctx, client, fmt.Sprintf("d%d", i))
	})
	if err := errors.Join(err, <-failed); err != nil {
		return nil, err
	}
	var out []time.Duration
	for i := range n {
		out = append(out, max(0, read.at[fmt.Sprintf("d%d", i)].Sub(begun[i])))
	}
	return out, nil
}
