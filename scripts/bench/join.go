package main

import (
	"bytes"
	"encoding/json"
	"sync/atomic"
	"time"
)

// joins measures how long n spectators take to join at once, and how much memory the server needs for them while
// they are idle, against a plain WebSocket server that answers the same two messages with as many bytes.
func (b *bench) joins(n int) {
	const plainSocket = "plain WebSocket server, the same bytes"
	took := b.row(seconds, aim{ratioMax, 1.2}, plainSocket, "%d joins, all have the world, a seat and the list", n)
	cpu := b.row(seconds, noAim, plainSocket, "%d joins, the server's CPU", n)
	memory := b.row(octets, aim{below, 30 << 10}, plainSocket, "memory per idle spectator, %d of them (RSS)", n)
	b.times(b.few(), func() {
		var read atomic.Int64
		ours, bare := b.linked(), b.start(b.bare, "-http")
		b.spectators(ours.addr, 1, nil) // the first join pays one-time costs
		size := 0
		oursTook, oursCPU, oursMemory := b.joined(ours, func() []*socket {
			people := b.spectators(ours.addr, n, &read)
			size = int(read.Load()) / n
			return people
		})
		bareTook, bareCPU, bareMemory := b.joined(bare, func() []*socket { return b.askers(bare.addr, n, size) })
		took.addTook(oursTook, bareTook)
		cpu.addTook(oursCPU, bareCPU)
		memory.add(oursMemory/float64(n), bareMemory/float64(n))
	})
}

// askers connects n clients to a plain server. Each sends two messages and gets two answers of size bytes in total.
func (b *bench) askers(addr string, n, size int) []*socket {
	const seat = 400
	return gather(n, func(int) *socket {
		s := b.dial(addr)
		must(s.SetReadDeadline(time.Now().Add(joinTime)))
		for _, bytes := range []int{max(1, size-seat), seat} {
			s.send("%d", bytes)
			s.frame()
		}
		s.forget()
		return s
	})
}

// joined returns the cost of joining clients for a server: time, processor time, and the resident memory after a
// while.
func (b *bench) joined(c *child, join func() []*socket) (took, cpu time.Duration, memory float64) {
	var people []*socket
	before := c.resident()
	cpu = c.cpu(func() { took = timed(func() { people = join() }) })
	b.read(people, `"type":"spectator:list"`, 0, func(int, []byte) {})
	time.Sleep(settle)
	return took, cpu, c.resident() - before
}

// where returns the epoch and the newest seq of the realm that was last active on a server, from server:info.
func (b *bench) where(addr string) (epoch string, seq int) {
	first := bytes.TrimPrefix(b.dial(addr).frame(), []byte("[")) // the message may come in a list with others
	var info struct {
		Epoch string
		Seq   int
	}
	must(json.NewDecoder(bytes.NewReader(first)).Decode(&info))
	return info.Epoch, info.Seq
}

// catchUp measures a client that reconnects after it has missed events. The server reads them from memory or, after
// it was killed, from disk.
func (b *bench) catchUp(missed ...int) {
	worlds, bare := b.folder(), b.start(b.bare)
	ours := b.serve(worlds, "-repo", b.repo)
	epoch, _ := b.where(ours.addr)
	b.scope(func() { b.crowdStage(ours, 60, 60).count().burst(missed[len(missed)-1], window) })
	for _, from := range []string{"from memory", "after a kill and restart"} {
		for _, n := range missed {
			f := b.row(seconds, noAim, "raw TCP, the same bytes", "catching up on %d missed events of 1 KB, %s", n, from)
			_, now := b.where(ours.addr)
			b.times(3*b.runs, func() {
				took, size := b.returns(ours.addr, epoch, now-n, n)
				s := b.raw(bare.addr, 'G')
				f.addTook(took, timed(func() { s.take(size) }))
			})
		}
		ours.kill()
		ours = b.serve(worlds)
	}
}

// The method returns measures a client that reconnects: the time from its hello to the overlays that follow the
// missed events, and the number of bytes.
func (b *bench) returns(addr, epoch string, seq, missed int) (took time.Duration, size int) {
	s, events := b.dial(addr), 0
	must(s.SetReadDeadline(time.Now().Add(joinTime)))
	s.frame() // server:info
	took = timed(func() {
		s.send(`{"type":"hello","protocol":1,"epoch":%q,"lastSeq":%d}`, epoch, seq)
		for over := false; !over; {
			p := s.frame()
			size += len(p)
			events += bytes.Count(p, []byte(`"seq":`))
			over = bytes.Contains(p, []byte(`"type":"overlays"`))
		}
	})
	if events < missed {
		failf("the server sent %d events, but the client missed %d", events, missed)
	}
	return took, size
}
