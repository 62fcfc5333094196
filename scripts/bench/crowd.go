package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crowd holds the clients of one server. They run in this process, not in the server's.
type crowd struct {
	sockets []*socket
	failed  chan error // holds the first error of the readers

	readers sync.WaitGroup
	stopped atomic.Bool
}

// dialers is the number of connections that are opened at a time.
const dialers = 64

// gather opens n connections with join. They are closed when the enclosing call of bench.scope ends.
func (b *bench) gather(n int, join func(i int) *socket) *crowd {
	c := &crowd{sockets: make([]*socket, n), failed: make(chan error, 1)}
	b.after(c.readers.Wait) // after the connections are closed
	parallel(min(n, dialers), func(first int) {
		for i := first; i < n; i += dialers {
			c.sockets[i] = join(i)
		}
	})
	b.after(func() { c.stopped.Store(true) }) // before the connections are closed
	return c
}

// spectators lets n clients join as a page does: hello without a position, then spectator:register. It returns when
// each client has received the snapshot, the overlays and its seat. t, which may be nil, counts the frames that the
// clients read.
func (b *bench) spectators(addr string, n int, t *traffic) *crowd {
	return b.gather(n, func(i int) *socket {
		s := b.dial(addr)
		s.traffic = t
		s.hello()
		s.send(`{"type":"spectator:register","name":"person %d","color":"#aabbcc"}`, i)
		s.until(`"type":"spectator:welcome"`)
		s.forget()
		return s
	})
}

// listeners connects n readers to a bare server.
func (b *bench) listeners(addr string, n int) *crowd {
	return b.gather(n, func(int) *socket {
		s := b.raw(addr, 'R')
		s.next(1)
		return s
	})
}

// read starts a reader for each client. For each occurrence of mark in a frame, the reader calls found with the number
// of the client and the bytes after the mark, as many as length says (see socket.find). The readers end when the
// connections close.
func (c *crowd) read(mark string, length int, found func(reader int, after []byte)) {
	for i, s := range c.sockets {
		c.readers.Go(func() {
			err := try(func() {
				must(s.SetReadDeadline(time.Time{}))
				for {
					s.find([]byte(mark), length, func(after []byte) { found(i, after) })
				}
			})
			if !c.stopped.Load() {
				select {
				case c.failed <- fmt.Errorf("client %d: %w", i, err):
				default: // only the first error is reported
				}
			}
		})
	}
}

// quiet reads and counts all frames for the time d. Only clients without a reader may call it.
func (c *crowd) quiet(d time.Duration) {
	until := time.Now().Add(d)
	parallel(len(c.sockets), func(i int) {
		s := c.sockets[i]
		must(s.SetReadDeadline(until))
		err := try(func() {
			for {
				s.frame()
			}
		})
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			must(err)
		}
		s.forget()
	})
}

// textBytes is the length of a spectator's text. Its frame, with the name and the other fields, has about frameBytes.
const textBytes, frameBytes = 1000, 1200

// The text of each event begins with # and the event's number in markDigits digits.
const markDigits = 6

func say(n int) string {
	text := fmt.Sprintf("#%0*d ", markDigits, n)
	return text + strings.Repeat("the lamp is lit and the door stands open. ", 24)[:textBytes-len(text)]
}

// window is the default number of events in flight. It is smaller than the actor's inbox: a full inbox refuses commands.
const window = 512

// patience is the longest time that a measurement waits for what it expects: deliveries, a frame or a checkpoint.
const patience = 60 * time.Second

// settle is how long the sockets are idle before a measurement reads the server's memory.
const settle = 3 * time.Second

// await returns the next value of c. It ends the measurement if the deadline comes first, or if a client of people
// fails first. people may be nil. what names the value in the error.
func await[T any](people *crowd, c <-chan T, deadline <-chan time.Time, what string) (v T) {
	var failed chan error
	if people != nil {
		failed = people.failed
	}
	select {
	case v = <-c:
	case err := <-failed:
		must(err)
	case <-deadline:
		failf("%s did not come within %s", what, patience)
	}
	return v
}

// stage is a server and its clients, all of which get the events that one of them sends.
type stage struct {
	*child
	people *crowd
	say    func(k int) // sends event k, which the server delivers to all clients

	// The fields below are for burst, which counts the events that it sends.
	said  atomic.Int64   // number of events sent
	got   []int64        // number of events that each client has read
	first chan struct{}  // gets a value for each event that the first client has read
	left  atomic.Int64   // number of clients that have not read all events yet
	all   chan time.Time // gets the time at which the last client has read all events
}

// crowdStage returns a stage with the server ours and n spectators. The first of the spectators, as many as senders
// says, send the events in turn.
func (b *bench) crowdStage(ours *child, n, senders int) *stage {
	people := b.spectators(ours.addr, n, nil)
	return &stage{child: ours, people: people, say: func(k int) {
		people.sockets[k%senders].send(`{"type":"spectator:command","text":"%s"}`, say(k))
	}}
}

// plainStage starts a bare server with n readers and one sender. Its frames are as long as the product's.
func (b *bench) plainStage(n int, args ...string) *stage {
	plain := b.start(b.bare, args...)
	people, sender := b.listeners(plain.addr, n), b.raw(plain.addr, 'S')
	return &stage{child: plain, people: people, say: func(k int) {
		text := `{"type":"spectator:command","seq":1,"at":"2026-01-31T10:00:00.000Z","text":"` + say(k)
		frame := unmasked([]byte(text + strings.Repeat(".", frameBytes-len(text)-6) + `"}`))
		get(sender.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)))
	}}
}

// count starts the clients' readers, for burst.
func (st *stage) count() *stage {
	st.got, st.first = make([]int64, len(st.people.sockets)), make(chan struct{}, 2*window)
	st.all = make(chan time.Time, 1)
	st.people.read(`"type":"spectator:command"`, 0, func(i int, _ []byte) {
		if i == 0 {
			st.first <- struct{}{}
		}
		if st.got[i]++; st.got[i] == st.said.Load() && st.left.Add(-1) == 0 {
			st.all <- time.Now()
		}
	})
	return st
}

// burst sends n events with at most inFlight of them unread by the first client. It returns the deliveries per second
// and the server's CPU seconds per delivery.
func (st *stage) burst(n, inFlight int) (rate, cpu float64) {
	next, deadline := int(st.said.Load())+1, time.After(patience)
	st.left.Store(int64(len(st.got)))
	st.said.Add(int64(n))
	var took time.Duration
	used := st.cpu(func() {
		begin := time.Now()
		for i := range n {
			if i >= inFlight {
				await(st.people, st.first, deadline, "an event")
			}
			st.say(next + i)
		}
		took = await(st.people, st.all, deadline, "the last event").Sub(begin)
	})
	for range min(n, inFlight) {
		await(st.people, st.first, deadline, "an event")
	}
	deliveries := float64(n * len(st.got))
	return deliveries / took.Seconds(), used.Seconds() / deliveries
}

// refill waits until the rate limit (50 a second, bursts of 200) lets each client send its share of n events.
func (st *stage) refill(n int) {
	people := len(st.people.sockets)
	if share := (n + people - 1) / people; share > 25 {
		time.Sleep(time.Duration(share) * time.Second / 50)
	}
}

// delays measures how long numbered events take from their sending to each of their readers.
type delays struct {
	readers int           // number of readers that get each event
	all     chan struct{} // gets a value when all events of the run have arrived

	mu    sync.Mutex
	first int             // number of the first event of the run
	sent  []time.Time     // by event
	took  []time.Duration // by event and reader; 0 until the event arrives
	left  int             // number of deliveries that have not arrived yet
}

// readDelays starts the readers of the crowd. An event's number follows the mark in its frames.
func (c *crowd) readDelays(mark string, readers int) *delays {
	d := &delays{readers: readers, all: make(chan struct{}, 1)}
	c.read(mark, markDigits, func(reader int, number []byte) { d.arrives(number, reader%readers) })
	return d
}

// arrives records that a reader has received the event with this number now. It ignores a second arrival of the event
// at the same reader.
func (d *delays) arrives(number []byte, reader int) {
	now := time.Now()
	k, err := strconv.Atoi(string(number))
	d.mu.Lock()
	defer d.mu.Unlock()
	k -= d.first
	if err != nil || k < 0 || k >= len(d.sent) || d.took[k*d.readers+reader] != 0 {
		return
	}
	d.took[k*d.readers+reader] = max(1, now.Sub(d.sent[k]))
	if d.left--; d.left == 0 {
		d.all <- struct{}{}
	}
}

// paced sends events at a steady pace and returns the delay of each delivery. It waits for deliveries only after the
// last event, so that a slow server does not slow the senders down.
func (d *delays) paced(people *crowd, perSecond int, during time.Duration, send func(k int)) []time.Duration {
	events := perSecond * int(during.Seconds())
	d.mu.Lock()
	d.first += len(d.sent)
	d.sent, d.took = make([]time.Time, events), make([]time.Duration, events*d.readers)
	d.left = len(d.took)
	d.mu.Unlock()
	pace(perSecond, during, func(i int) {
		d.mu.Lock()
		d.sent[i] = time.Now()
		d.mu.Unlock()
		send(d.first + i)
	})
	await(people, d.all, time.After(patience), "the last event")
	return d.took
}
