package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// settle is how long the sockets are idle before the measurement reads the server's memory. The
// figure includes memory that the server used for joining and has not returned to the system.
const settle = 3 * time.Second

// joins measures how long n spectators take to join at the same time, and the server's memory
// for them while they are idle. The limit is a plain WebSocket server that answers the same two
// messages with as many bytes.
func (b *bench) joins(n int) {
	b.enoughFiles(n + 500)
	const plainSocket = "plain WebSocket server, the same bytes"
	took := b.row(seconds, aim{ratioMax, 1.2}, plainSocket, "%d joins, all have the world, a seat and the list", n)
	frames := b.row(count, noAim, "", "%d joins, WebSocket frames sent", n)
	lists := b.row(count, noAim, "", "%d joins, spectator:list sent", n)
	sent := b.row(octets, noAim, "", "%d joins, bytes sent", n)
	cpu := b.row(seconds, noAim, plainSocket, "%d joins, the server's CPU", n)
	memory := b.row(octets, aim{below, 30 << 10}, plainSocket, "memory per idle spectator, %d of them (RSS)", n)
	b.times(b.few(), func() {
		ours := b.linked()
		b.gather(1, spectate(ours.addr)) // the first join pays one-time costs
		cost := b.joined(ours, n, spectate(ours.addr))
		size := int(cost.crowd.bytes.Load()) / n
		cost.crowd.quiet(settle)
		held := get(resident(ours.pid())) - cost.before
		bare := b.start(b.bare, "-http", "-addr", "127.0.0.1:0")
		limit := b.joined(bare, n, askTwice(bare.addr, size))
		time.Sleep(settle)
		bareHeld := get(resident(bare.pid())) - limit.before
		took.addTook(cost.took, limit.took)
		cpu.addTook(cost.cpu, limit.cpu)
		frames.add(float64(cost.crowd.frames.Load()))
		lists.add(float64(cost.crowd.lists.Load()))
		sent.add(float64(cost.crowd.bytes.Load()))
		memory.add(float64(held)/float64(n), float64(bareHeld)/float64(n))
	})
}

// askTwice joins a plain server with two messages, as spectate joins ours: the answer to the
// first, like that to hello, has most of the size bytes; the answer to the second has the rest.
func askTwice(addr string, size int) func(*crowd, int) (*socket, error) {
	const seat = 400
	return func(*crowd, int) (*socket, error) {
		s, err := dial(addr)
		if err != nil {
			return nil, err
		}
		if err := s.c.SetReadDeadline(time.Now().Add(joinTime)); err != nil {
			return nil, err
		}
		for _, n := range []int{max(1, size-seat), seat} {
			if err := s.send("%d", n); err != nil {
				return nil, err
			}
			if _, err := s.frame(); err != nil {
				return nil, err
			}
		}
		s.forget()
		return s, s.c.SetReadDeadline(time.Time{})
	}
}

type joinCost struct {
	crowd     *crowd
	took, cpu time.Duration
	before    int64 // resident bytes of the server before the joins
}

func (b *bench) joined(c *child, n int, join func(*crowd, int) (*socket, error)) (cost joinCost) {
	cost.before = get(resident(c.pid()))
	used, begin := get(cpuTime(c.pid())), time.Now()
	cost.crowd = b.gather(n, join)
	cost.took, cost.cpu = time.Since(begin), get(cpuTime(c.pid()))-used
	return cost
}

// ask requests size bytes from a bare server and reads them.
func (s *socket) ask(size int) error {
	if _, err := s.c.Write(binary.BigEndian.AppendUint32(nil, uint32(size))); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, s.r, int64(size))
	return err
}

// position is a realm's epoch and newest seq, from server:info.
type position struct {
	RealmID string `json:"realmId"`
	Epoch   string `json:"epoch"`
	Seq     int64  `json:"seq"`
}

// where returns the position of a server's last active realm.
func where(addr string) (p position) {
	s := get(dial(addr))
	defer s.close()
	f := get(s.frame())
	if f[0] == '[' { // its first message
		var list []json.RawMessage
		must(json.Unmarshal(f, &list))
		f = list[0]
	}
	must(json.Unmarshal(f, &p))
	return p
}

// catchUp measures a client that reconnects after it has missed events: events that the server
// has in memory, and events that it reads from disk after a kill.
func (b *bench) catchUp(missed ...int) {
	worlds, bare := b.folder(), b.start(b.bare)
	ours := b.serve(worlds, "-repo", b.repo)
	at := where(ours.addr)
	b.scope(func() {
		people := crowdStage(ours, b.gather(60, spectate(ours.addr)))
		people.burst(missed[len(missed)-1], window)
	})
	for _, from := range []string{"from memory", "after a kill and restart"} {
		for _, n := range missed {
			f := b.row(seconds, noAim, "raw TCP, the same bytes", "catching up on %d missed events of 1 KB, %s", n, from)
			now := where(ours.addr)
			b.times(3*b.runs, func() {
				took, size := b.returns(ours.addr, at.Epoch, now.Seq-int64(n), n)
				s := newSocket(get(bareConn(bare.addr, 'G')))
				defer s.close()
				begin := time.Now()
				must(s.ask(size))
				f.addTook(took, time.Since(begin))
			})
		}
		ours.kill()
		ours = b.serve(worlds)
	}
}

// returns measures one reconnecting client: the time from hello to the overlays, which follow
// the missed events, and the bytes received.
func (b *bench) returns(addr, epoch string, seq int64, missed int) (time.Duration, int) {
	s := b.dial(addr)
	must(s.c.SetReadDeadline(time.Now().Add(joinTime)))
	get(s.frame()) // server:info
	events, ended := counter{mark: []byte(`"seq":`)}, counter{mark: []byte(`"type":"overlays"`)}
	size, got, over := 0, 0, false
	begin := time.Now()
	must(s.send(`{"type":"hello","protocol":1,"epoch":%q,"lastSeq":%d}`, epoch, seq))
	for !over {
		must(s.chunks(func(p []byte) {
			size += len(p)
			got += events.add(p)
			over = over || ended.add(p) > 0
		}))
	}
	took := time.Since(begin)
	if got < missed {
		must(fmt.Errorf("the server sent %d events, but the client missed %d", got, missed))
	}
	return took, size
}
