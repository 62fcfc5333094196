package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// settle is how long idle sockets are left alone before memory is read. What the
// server used for joining and has not given back is in the figure.
const settle = 3 * time.Second

// joins is a thousand people at once, and the memory of those who stay and do
// nothing.
func (b *bench) joins(ctx context.Context, n int) ([]figure, error) {
	took := figure{name: fmt.Sprintf("%d joins, all have the world, a seat and the list", n), unit: seconds, bare: "raw TCP, the same bytes"}
	frames := figure{name: fmt.Sprintf("%d joins, WebSocket frames sent", n), unit: count}
	lists := figure{name: fmt.Sprintf("%d joins, spectator:list sent", n), unit: count}
	sent := figure{name: fmt.Sprintf("%d joins, bytes sent", n), unit: octets}
	memory := figure{name: fmt.Sprintf("memory per idle spectator, %d of them (RSS)", n), unit: octets, bare: "raw TCP, a goroutine each", aim: aim{below, 30 << 10}}
	if err := b.enoughFiles(n + 500); err != nil {
		memory.note = err.Error()
		return []figure{memory}, nil
	}
	for range b.fewRuns() {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		cost, err := b.joinOnce(ctx, n)
		if err != nil {
			return nil, err
		}
		took.ours = append(took.ours, cost.took.Seconds())
		frames.ours = append(frames.ours, float64(cost.frames))
		lists.ours = append(lists.ours, float64(cost.lists))
		sent.ours = append(sent.ours, float64(cost.bytes))
		memory.ours = append(memory.ours, float64(cost.memory)/float64(n))
		raw, err := b.bareJoin(ctx, n, int(cost.bytes)/n)
		if err != nil {
			return nil, err
		}
		took.limit = append(took.limit, raw.took.Seconds())
		memory.limit = append(memory.limit, float64(raw.memory)/float64(n))
	}
	return []figure{took, frames, lists, sent, memory}, nil
}

type joinCost struct {
	took                 time.Duration
	frames, lists, bytes int64
	memory               int64
}

func (b *bench) joinOnce(ctx context.Context, n int) (cost joinCost, err error) {
	dir, err := b.folder()
	if err != nil {
		return cost, err
	}
	ours, err := b.serve(ctx, dir)
	if err != nil {
		return cost, err
	}
	defer ours.kill()
	first, err := gather(1, spectate(ours.addr)) // what one costs the first time is not a spectator's
	if err != nil {
		return cost, err
	}
	defer first.close()
	before, err := resident(ours.cmd.Process.Pid)
	if err != nil {
		return cost, err
	}
	begin := time.Now()
	c, err := gather(n, spectate(ours.addr))
	if err != nil {
		return cost, err
	}
	defer c.close()
	cost.took = time.Since(begin)
	if err := c.quiet(settle); err != nil {
		return cost, err
	}
	after, err := resident(ours.cmd.Process.Pid)
	cost.memory = after - before
	cost.frames, cost.lists, cost.bytes = c.frames.Load(), c.lists.Load(), c.bytes.Load()
	return cost, err
}

// bareJoin is the same number of connections, each of which is given as many bytes.
func (b *bench) bareJoin(ctx context.Context, n, size int) (cost joinCost, err error) {
	c, err := start(ctx, b.dir, b.bare)
	if err != nil {
		return cost, err
	}
	defer c.kill()
	before, err := resident(c.cmd.Process.Pid)
	if err != nil {
		return cost, err
	}
	begin := time.Now()
	people, err := gather(n, func(*crowd, int) (*socket, error) {
		conn, err := bareConn(c.addr, 'G')
		if err != nil {
			return nil, err
		}
		s := newSocket(conn)
		return s, s.ask(size)
	})
	if err != nil {
		return cost, err
	}
	defer people.close()
	cost.took = time.Since(begin)
	time.Sleep(settle)
	after, err := resident(c.cmd.Process.Pid)
	cost.memory = after - before
	return cost, err
}

// ask has a bare server send size bytes, and reads them.
func (s *socket) ask(size int) error {
	if _, err := s.c.Write(binary.BigEndian.AppendUint32(nil, uint32(size))); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, s.r, int64(size))
	return err
}

// catchUp is a tab that comes back and has missed n events.
func (b *bench) catchUp(ctx context.Context, missed ...int) ([]figure, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	ours, err := b.serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { ours.kill() }()
	at, err := where(ours.addr)
	if err != nil {
		return nil, err
	}
	most := 0
	for _, n := range missed {
		most = max(most, n)
	}
	if err := fill(ours.addr, most); err != nil {
		return nil, fmt.Errorf("say %d things: %w", most, err)
	}
	bareServer, err := start(ctx, b.dir, b.bare)
	if err != nil {
		return nil, err
	}
	defer bareServer.kill()
	var out []figure
	measure := func(n int, from string) error {
		f := figure{name: fmt.Sprintf("catching up on %d missed events of 1 KB, %s", n, from), unit: seconds, bare: "raw TCP, the same bytes"}
		now, err := where(ours.addr)
		if err != nil {
			return err
		}
		for range 3 * b.runs {
			if err := b.breathe(ctx); err != nil {
				return err
			}
			took, size, err := returns(ours.addr, at.Epoch, now.Seq-int64(n), n)
			if err != nil {
				return err
			}
			conn, err := bareConn(bareServer.addr, 'G')
			if err != nil {
				return err
			}
			begin := time.Now()
			s := newSocket(conn)
			if err := s.ask(size); err != nil {
				return err
			}
			f.ours, f.limit = append(f.ours, took.Seconds()), append(f.limit, time.Since(begin).Seconds())
			s.close()
		}
		out = append(out, f)
		return nil
	}
	for _, n := range missed {
		if err := measure(n, "from memory"); err != nil {
			return nil, err
		}
	}
	if err := ours.kill(); err != nil {
		return nil, err
	}
	if ours, err = b.serveAgain(ctx, dir); err != nil {
		return nil, err
	}
	for _, n := range missed {
		if err := measure(n, "after a kill and restart"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fill has people say n things.
func fill(addr string, n int) error {
	const people = 60
	c, err := gather(people, spectate(addr))
	if err != nil {
		return err
	}
	defer c.close()
	answers := make(chan struct{}, 2*window)
	counters := make([]counter, people)
	for i := range counters {
		counters[i].mark = reply
	}
	c.each = func(i int, chunk []byte) {
		for range counters[i].add(chunk) {
			answers <- struct{}{}
		}
	}
	c.read()
	deadline := time.After(patience)
	for i := range n + window {
		if i >= window {
			select {
			case <-answers:
			case err := <-c.failed:
				return err
			case <-deadline:
				return fmt.Errorf("%d were answered in %s", i-window, patience)
			}
		}
		if i >= n {
			continue
		}
		if err := c.sockets[i%people].send(`{"type":"spectator:command","text":"%s"}`, say(i)); err != nil {
			return err
		}
	}
	return nil
}

// returns is one tab: from its hello to the overlays, which come after what it has
// missed. It gives the bytes that came, too.
func returns(addr, epoch string, seq int64, missed int) (time.Duration, int, error) {
	s, err := dial(addr)
	if err != nil {
		return 0, 0, err
	}
	defer s.close()
	if err := s.c.SetReadDeadline(time.Now().Add(joinTime)); err != nil {
		return 0, 0, err
	}
	if _, err := s.frame(); err != nil { // server:info
		return 0, 0, err
	}
	events, ended := counter{mark: []byte(`"seq":`)}, counter{mark: []byte(`"type":"overlays"`)}
	size, got, over := 0, 0, false
	begin := time.Now()
	if err := s.send(`{"type":"hello","protocol":1,"epoch":%q,"lastSeq":%d}`, epoch, seq); err != nil {
		return 0, 0, err
	}
	for !over {
		err := s.chunks(func(p []byte) {
			size += len(p)
			got += events.add(p)
			over = over || ended.add(p) > 0
		})
		if err != nil {
			return 0, 0, err
		}
	}
	took := time.Since(begin)
	if got < missed {
		return 0, 0, fmt.Errorf("%d of %d missed events came", got, missed)
	}
	return took, size, nil
}

var errRefused = errors.New("commands were refused")

// steady sends commands from several sockets of one person each at a pace and
// gives how long each answer took: a round trip through the actor.
func steady(addr string, sockets, perSecond int, during time.Duration, command func(i int) string) ([]time.Duration, error) {
	c, err := gather(sockets, spectate(addr))
	if err != nil {
		return nil, err
	}
	defer c.close()
	n := perSecond * int(during.Seconds())
	base := time.Now()
	sent, took := make([]atomic.Int64, n), make([]time.Duration, n)
	var left atomic.Int64
	left.Store(int64(n))
	ended, refused := make(chan struct{}), make(chan struct{})
	var once sync.Once
	// Each socket's answers come in the order of its commands: i, i+sockets, ...
	answered := make([]int, sockets)
	counters, errorsSeen := make([]counter, sockets), make([]counter, sockets)
	for i := range counters {
		counters[i].mark, errorsSeen[i].mark = reply, []byte(`"type":"error"`)
	}
	c.each = func(i int, chunk []byte) {
		now := time.Since(base)
		if errorsSeen[i].add(chunk) > 0 {
			once.Do(func() { close(refused) })
			return
		}
		for range counters[i].add(chunk) {
			k := i + sockets*answered[i]
			answered[i]++
			if k >= n {
				continue
			}
			took[k] = now - time.Duration(sent[k].Load())
			if left.Add(-1) == 0 {
				close(ended)
			}
		}
	}
	c.read()
	for i := range n {
		time.Sleep(time.Until(base.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
		sent[i].Store(int64(time.Since(base)))
		if err := c.sockets[i%sockets].send("%s", command(i)); err != nil {
			return nil, err
		}
	}
	select {
	case <-ended:
		return took, nil
	case <-refused:
		return nil, errRefused
	case err := <-c.failed:
		return nil, err
	case <-time.After(patience):
		return nil, fmt.Errorf("%d of %d answers did not come in %s", left.Load(), n, patience)
	}
}
