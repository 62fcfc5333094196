package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"
)

// latency is from a person's key to every other screen, at a steady pace.
func (b *bench) latency(ctx context.Context, n, perSecond int, during time.Duration) ([]figure, error) {
	name := fmt.Sprintf("input to spectator at %d spectators, %d events/s, ", n, perSecond)
	p50 := figure{name: name + "p50", unit: seconds, bare: "raw TCP, fsync"}
	p99 := figure{name: name + "p99", unit: seconds, bare: "raw TCP, fsync", aim: aim{below, 50e-3}}
	worst := figure{name: name + "max", unit: seconds, bare: "raw TCP, fsync"}
	cpu := figure{name: "CPU per delivery at that pace", unit: seconds, bare: "raw TCP, fsync"}
	if err := b.enoughFiles(2*n + 500); err != nil {
		p99.note = err.Error()
		return []figure{p99}, nil
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
	people, err := gather(n, spectate(ours.addr))
	if err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	defer people.close()
	single, err := b.rawStage(ctx, n, "-sync", b.file("appended"))
	if err != nil {
		return nil, err
	}
	defer single.close()
	const senders = 5 // a socket may send 50 a second
	product := paced{n: n, per: perSecond, during: during, pid: ours.cmd.Process.Pid, crowd: people, send: func(i int) error {
		return people.sockets[i%senders].send(`{"type":"spectator:command","text":"%s"}`, say(i))
	}}
	product.begin()
	people.read()
	limit := paced{n: n, per: perSecond, during: during, pid: single.ours.cmd.Process.Pid, crowd: single.crowd, send: func(i int) error {
		_, err := single.sender.Write(piece(event(i, 1200)))
		return err
	}}
	limit.begin()
	for range b.runs {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		for _, p := range []struct {
			paced *paced
			at    func(*figure) *[]float64
		}{
			{&product, func(f *figure) *[]float64 { return &f.ours }},
			{&limit, func(f *figure) *[]float64 { return &f.limit }},
		} {
			took, used, err := p.paced.run()
			if err != nil {
				return nil, err
			}
			add := func(f *figure, v float64) { *p.at(f) = append(*p.at(f), v) }
			add(&p50, percentile(took, 50))
			add(&p99, percentile(took, 99))
			add(&worst, percentile(took, 100))
			add(&cpu, used/float64(len(took)))
		}
	}
	return []figure{p50, p99, worst, cpu}, nil
}

// paced sends at a steady pace, whether or not what was sent has come (a server
// that is slow shall not slow its clients down), and notes when it comes where.
type paced struct {
	n, per int
	during time.Duration
	pid    int
	crowd  *crowd
	send   func(i int) error

	base  time.Time
	sent  []atomic.Int64 // since base; 0 is not sent
	took  []atomic.Int64 // by event and client
	left  atomic.Int64
	first int // number of the first event of the run
	ended chan struct{}
}

func (p *paced) events() int { return p.per * int(p.during.Seconds()) }

func (p *paced) begin() {
	p.base = time.Now()
	p.sent = make([]atomic.Int64, int(math.Pow10(markDigits)))
	p.ended = make(chan struct{}, 1)
	tails := make([][]byte, p.n)
	p.crowd.each = func(i int, chunk []byte) {
		now := int64(time.Since(p.base))
		if len(tails[i]) > 0 {
			chunk = append(tails[i], chunk...)
		}
		for {
			at := bytes.Index(chunk, beacon)
			if at < 0 || len(chunk) < at+len(beacon)+markDigits {
				break
			}
			chunk = chunk[at+len(beacon):]
			if k, err := strconv.Atoi(string(chunk[:markDigits])); err == nil {
				p.arrived(k-p.first, i, now)
			}
		}
		// What may be the beginning of a beacon that goes on in the next chunk.
		tails[i] = append(tails[i][:0:0], chunk[max(0, len(chunk)-len(beacon)-markDigits+1):]...)
	}
}

func (p *paced) arrived(event, client int, now int64) {
	if event < 0 || event >= p.events() {
		return
	}
	if p.took[event*p.n+client].CompareAndSwap(0, max(1, now-p.sent[p.first+event].Load())) && p.left.Add(-1) == 0 {
		p.ended <- struct{}{}
	}
}

func (p *paced) run() (took []time.Duration, cpu float64, err error) {
	events := p.events()
	p.took = make([]atomic.Int64, events*p.n)
	p.left.Store(int64(events * p.n))
	before, err := cpuTime(p.pid)
	if err != nil {
		return nil, 0, err
	}
	ticker := time.NewTicker(time.Second / time.Duration(p.per))
	defer ticker.Stop()
	for i := range events {
		<-ticker.C
		p.sent[p.first+i].Store(int64(time.Since(p.base)))
		if err := p.send(p.first + i); err != nil {
			return nil, 0, err
		}
	}
	select {
	case <-p.ended:
	case err := <-p.crowd.failed:
		return nil, 0, err
	case <-time.After(patience):
		return nil, 0, fmt.Errorf("%d of %d deliveries did not come in %s", p.left.Load(), events*p.n, patience)
	}
	after, err := cpuTime(p.pid)
	p.first += events
	for i := range p.took {
		took = append(took, time.Duration(p.took[i].Load()))
	}
	return took, (after - before).Seconds(), err
}
