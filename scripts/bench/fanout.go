package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// textBytes is the length of what a spectator says: with who said it, a frame of
// about 1.2 KB.
const textBytes = 1000

func say(n int) string {
	text := fmt.Sprintf("#%0*d ", markDigits, n)
	return text + strings.Repeat("the lamp is lit and the door stands open. ", 24)[:textBytes-len(text)]
}

// window is how many events are under way at a time in the flat-out runs: below
// the actor's inbox, beyond which commands are refused.
const window = 512

// patience bounds one repetition.
const patience = 60 * time.Second

// stage is a product server and bare servers, each with the same number of
// readers, taken in turns.
type stage struct {
	b     *bench
	n     int
	size  int // bytes of an event's frame
	ours  *child
	crowd *crowd
	marks []counter
	seen  atomic.Int64 // deliveries
	want  atomic.Int64
	all   chan time.Time // the moment of the last one
	again chan struct{}  // one for each command:reply
	said  int
}

// fanout is as many events as there can be, to n spectators, beside bare servers
// that send the same bytes.
func (b *bench) fanout(ctx context.Context, n, events int) ([]figure, error) {
	people := fmt.Sprintf("%d spectators", n)
	rate := figure{name: "fan-out, 1 KB events, " + people, unit: perSecond, bare: "raw TCP, a write each", aim: aim{ratioMin, 2}}
	joined := figure{name: "the same, against joined writes", unit: perSecond, bare: "raw TCP, joined"}
	cpu := figure{name: "CPU per delivery, flat out, " + people, unit: seconds, bare: "raw TCP, a write each", aim: aim{ratioMax, 0.5}}
	if err := b.enoughFiles(3*n + 500); err != nil {
		rate.note = err.Error()
		return []figure{rate}, nil
	}
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	ours, err := b.serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer ours.kill()
	st := &stage{b: b, n: n, ours: ours}
	if st.crowd, err = gather(n, spectate(ours.addr)); err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	defer st.crowd.close()
	st.begin()
	single, err := b.rawStage(ctx, n)
	if err != nil {
		return nil, err
	}
	defer single.close()
	several, err := b.rawStage(ctx, n, "-join")
	if err != nil {
		return nil, err
	}
	defer several.close()

	for i := range b.runs + 1 { // the first warms up
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		r, c, err := st.burst(events)
		if err != nil {
			return nil, fmt.Errorf("product, run %d: %w", i, err)
		}
		rawRate, rawCPU, err := single.burst(events, st.size)
		if err != nil {
			return nil, fmt.Errorf("raw, run %d: %w", i, err)
		}
		joinRate, _, err := several.burst(events, st.size)
		if err != nil {
			return nil, fmt.Errorf("raw joined, run %d: %w", i, err)
		}
		if i == 0 {
			continue
		}
		rate.ours, rate.limit = append(rate.ours, r), append(rate.limit, rawRate)
		joined.ours, joined.limit = append(joined.ours, r), append(joined.limit, joinRate)
		cpu.ours, cpu.limit = append(cpu.ours, c), append(cpu.limit, rawCPU)
	}
	return []figure{rate, joined, cpu}, nil
}

// begin starts the readers: they count events and hand out replies.
func (st *stage) begin() {
	st.marks = make([]counter, st.n)
	replies := make([]counter, st.n)
	for i := range st.marks {
		st.marks[i].mark, replies[i].mark = mark, reply
	}
	st.all, st.again = make(chan time.Time, 1), make(chan struct{}, 2*window)
	st.crowd.each = func(i int, chunk []byte) {
		for range replies[i].add(chunk) {
			st.again <- struct{}{}
		}
		st.got(st.marks[i].add(chunk))
	}
	st.crowd.read()
}

func (st *stage) got(n int) {
	if n == 0 {
		return
	}
	if st.seen.Add(int64(n)) == st.want.Load() {
		st.all <- time.Now()
	}
}

// burst has the crowd say n things as fast as they are taken, and gives
// deliveries a second and the server's CPU seconds for each.
func (st *stage) burst(n int) (rate, cpu float64, err error) {
	if st.size == 0 {
		if st.size, err = st.measure(); err != nil {
			return 0, 0, err
		}
	}
	if err := st.refill(n); err != nil {
		return 0, 0, err
	}
	st.expect(n)
	before, err := cpuTime(st.ours.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	deadline := time.After(patience)
	for i := range n {
		if i >= window {
			select {
			case <-st.again:
			case err := <-st.crowd.failed:
				return 0, 0, err
			case <-deadline:
				return 0, 0, fmt.Errorf("%d of %d events were answered in %s", i-window, n, patience)
			}
		}
		st.said++
		s := st.crowd.sockets[i%st.n]
		if err := s.send(`{"type":"spectator:command","text":"%s"}`, say(st.said)); err != nil {
			return 0, 0, err
		}
	}
	end, err := st.wait(deadline)
	if err != nil {
		return 0, 0, err
	}
	for range min(n, window) {
		<-st.again
	}
	after, err := cpuTime(st.ours.cmd.Process.Pid)
	deliveries := float64(n * st.n)
	return deliveries / end.Sub(begin).Seconds(), (after - before).Seconds() / deliveries, err
}

// refill waits until each sender may send its share again (50 a second, 200 at
// once).
func (st *stage) refill(n int) error {
	if share := (n + st.n - 1) / st.n; share > 25 {
		time.Sleep(time.Duration(share) * time.Second / 50)
	}
	if share := (n + st.n - 1) / st.n; share > 190 {
		return fmt.Errorf("%d events are too many for %d senders", n, st.n)
	}
	return nil
}

func (st *stage) expect(n int) {
	st.seen.Store(0)
	st.want.Store(int64(n * st.n))
}

func (st *stage) wait(deadline <-chan time.Time) (time.Time, error) {
	select {
	case end := <-st.all:
		return end, nil
	case err := <-st.crowd.failed:
		return time.Time{}, err
	case <-deadline:
		return time.Time{}, fmt.Errorf("%d of %d deliveries came in %s", st.seen.Load(), st.want.Load(), patience)
	}
}

// measure says one thing and gives the length of its frame on the wire.
func (st *stage) measure() (int, error) {
	extra, err := spectate(st.ours.addr)(st.crowd, st.n)
	if err != nil {
		return 0, err
	}
	defer extra.close()
	st.expect(1)
	if err := st.crowd.sockets[0].send(`{"type":"spectator:command","text":"%s"}`, say(0)); err != nil {
		return 0, err
	}
	for {
		p, err := extra.frame()
		if err != nil {
			return 0, err
		}
		if bytes.Contains(p, mark) {
			if _, err := st.wait(time.After(patience)); err != nil {
				return 0, err
			}
			<-st.again
			return extra.size, nil
		}
	}
}

// raw is a bare server with its readers and one sender.
type raw struct {
	stage
	sender net.Conn
}

func (b *bench) rawStage(ctx context.Context, n int, args ...string) (*raw, error) {
	c, err := start(ctx, b.dir, b.bare, args...)
	if err != nil {
		return nil, err
	}
	r := &raw{stage: stage{b: b, n: n, ours: c, all: make(chan time.Time, 1)}}
	if r.crowd, err = gather(n, listen(c.addr)); err != nil {
		return nil, fmt.Errorf("join the bare server: %w", err)
	}
	if r.sender, err = bareConn(c.addr, 'S'); err != nil {
		return nil, err
	}
	r.marks = make([]counter, n)
	for i := range r.marks {
		r.marks[i].mark = mark
	}
	r.crowd.each = func(i int, chunk []byte) { r.got(r.marks[i].add(chunk)) }
	r.crowd.read()
	return r, nil
}

// event is a frame of about size bytes on the wire, made as the product makes it.
func event(n, size int) []byte {
	head := `{"type":"spectator:command","seq":1,"at":"2026-01-31T10:00:00.000Z","text":"` + say(n)
	return unmasked([]byte(head + strings.Repeat(".", max(0, size-len(head)-6)) + `"}`))
}

func (r *raw) burst(n, size int) (rate, cpu float64, err error) {
	r.expect(n)
	p := piece(event(0, size))
	before, err := cpuTime(r.ours.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	for range n {
		if _, err := r.sender.Write(p); err != nil {
			return 0, 0, err
		}
	}
	end, err := r.wait(time.After(patience))
	if err != nil {
		return 0, 0, err
	}
	after, err := cpuTime(r.ours.cmd.Process.Pid)
	deliveries := float64(n * r.n)
	return deliveries / end.Sub(begin).Seconds(), (after - before).Seconds() / deliveries, err
}

func (r *raw) close() {
	_ = r.ours.kill() // what it says of its end tells nothing
	r.crowd.close()
}
