package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// gather opens n connections with join, at most 64 of them at a time.
func gather(n int, join func(i int) *socket) []*socket {
	sockets, dialers := make([]*socket, n), min(n, 64)
	parallel(dialers, func(first int) {
		for i := first; i < n; i += dialers {
			sockets[i] = join(i)
		}
	})
	return sockets
}

// spectators connects n clients as pages do, and returns when each has registered. read, which may be nil, counts
// the bytes that they read.
func (b *bench) spectators(addr string, n int, read *atomic.Int64) []*socket {
	return gather(n, func(i int) *socket {
		s := b.dial(addr)
		s.bytes = read
		s.hello()
		s.send(`{"type":"spectator:register","name":"person %d","color":"#aabbcc"}`, i)
		s.until(`"type":"spectator:welcome"`)
		s.forget()
		return s
	})
}

// listeners connects n readers to a bare server.
func (b *bench) listeners(addr string, n int) []*socket {
	return gather(n, func(int) *socket {
		s := b.raw(addr, 'R')
		s.next(1)
		return s
	})
}

// read starts a reader for each client, which calls found with the client's number and the bytes after each mark (see
// socket.find). Readers and connections end with the enclosing call of bench.scope.
func (b *bench) read(people []*socket, mark string, length int, found func(reader int, after []byte)) {
	var readers sync.WaitGroup
	var stopped atomic.Bool
	b.after(func() {
		stopped.Store(true)
		for _, s := range people {
			s.close()
		}
		readers.Wait()
	})
	for i, s := range people {
		readers.Go(func() {
			err := try(func() {
				must(s.SetReadDeadline(time.Time{}))
				for {
					s.find([]byte(mark), length, func(after []byte) { found(i, after) })
				}
			})
			if !stopped.Load() {
				b.fail(fmt.Errorf("client %d: %w", i, err))
			}
		})
	}
}

// textBytes is the length of a spectator's text. Its frame, with the name and the other fields, has about frameBytes.
const textBytes, frameBytes = 1000, 1200
const lamp = "the lamp is lit and the door stands open. "

// say returns the text of an event: #, a stamp (the present time), and the same words in all texts.
func say() string { return ("#" + stamp() + " " + strings.Repeat(lamp, 24))[:textBytes] }

// window is the default number of events in flight. It is smaller than the actor's inbox: a full inbox refuses commands.
const window = 512

// settle is how long the sockets are idle before a measurement reads the server's memory.
const settle = 3 * time.Second

// stage is a server and its clients. Some of the clients send events, and all of them receive each event.
type stage struct {
	*child
	b      *bench
	people []*socket
	say    func(k int) // sends event k, which the server delivers to all clients

	// The fields below are for burst, which counts the events that it sends.
	first chan struct{}  // gets a value for each event that the first client has read
	left  atomic.Int64   // number of deliveries that are still to come
	all   chan time.Time // gets the time of the last delivery
}

// crowdStage returns a stage with n spectators of a server. The first of them, senders in number, send the events.
func (b *bench) crowdStage(ours *child, n, senders int) *stage {
	people := b.spectators(ours.addr, n, nil)
	return &stage{child: ours, b: b, people: people, say: func(k int) {
		people[k%senders].send(`{"type":"spectator:command","text":"%s"}`, say())
	}}
}

// plainStage starts a bare server with n readers and one sender. Its frames are as long as those of the product.
func (b *bench) plainStage(n int, args ...string) *stage {
	plain := b.start(b.bare, args...)
	people, sender := b.listeners(plain.addr, n), b.raw(plain.addr, 'S')
	return &stage{child: plain, b: b, people: people, say: func(int) {
		text := `{"type":"spectator:command","seq":1,"at":"2026-01-31T10:00:00.000Z","text":"` + say()
		frame := unmasked([]byte(text + strings.Repeat(".", frameBytes-len(text)-6) + `"}`))
		get(sender.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)))
	}}
}

// count starts the clients' readers, which count the events that burst sends.
func (st *stage) count() *stage {
	st.first, st.all = make(chan struct{}, 2*window), make(chan time.Time, 1)
	st.b.read(st.people, `"type":"spectator:command"`, 0, func(i int, _ []byte) {
		if i == 0 {
			st.first <- struct{}{}
		}
		if st.left.Add(-1) == 0 {
			st.all <- time.Now()
		}
	})
	return st
}

// burst sends n events, of which at most inFlight are unread at a time. It returns the deliveries per second and
// the CPU seconds per delivery.
func (st *stage) burst(n, inFlight int) (rate, cpu float64) {
	soon, deliveries := st.b.patient("an event"), n*len(st.people)
	st.left.Store(int64(deliveries))
	var took time.Duration
	used := st.cpu(func() {
		begin := time.Now()
		for i := range n {
			if i >= inFlight {
				await(soon, st.first)
			}
			st.say(i)
		}
		took = await(soon, st.all).Sub(begin)
	})
	for range min(n, inFlight) {
		await(soon, st.first)
	}
	return float64(deliveries) / took.Seconds(), used.Seconds() / float64(deliveries)
}

// stampDigits is the length of a stamp.
const stampDigits = 13

var started = time.Now()

// stamp returns the current time, in nanoseconds since the start of the program.
func stamp() string { return fmt.Sprintf("%0*d", stampDigits, time.Since(started)) }

// delays measures, for texts that contain a stamp, the time from the stamp until each reader gets the text.
type delays struct {
	mu    sync.Mutex
	begun time.Duration // a message with an older stamp belongs to an earlier measurement
	took  map[arrival]time.Duration
	left  int           // number of arrivals that are still to come
	all   chan struct{} // closed when all have come
}

type arrival struct {
	reader int
	stamp  time.Duration
}

// begin starts a new measurement, of n arrivals.
func (d *delays) begin(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun, d.took, d.left, d.all = time.Since(started), make(map[arrival]time.Duration, n), n, make(chan struct{})
}

// arrives records that a reader has received the message that was sent at the time in stamp. It returns false if the
// reader has received it before, or if it was sent before begin.
func (d *delays) arrives(reader int, stamp []byte) bool {
	now := time.Since(started)
	ns, err := strconv.ParseInt(string(stamp), 10, 64)
	at := arrival{reader, time.Duration(ns)}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.took[at] != 0 || at.stamp < d.begun || err != nil {
		return false
	}
	d.took[at] = now - at.stamp
	if d.left--; d.left == 0 {
		close(d.all)
	}
	return true
}

func (d *delays) list() []time.Duration { return slices.Collect(maps.Values(d.took)) }

// readDelays starts a reader for each client. In the frames that they read, a stamp follows the mark.
func (b *bench) readDelays(people []*socket, mark string) *delays {
	d := &delays{}
	b.read(people, mark, stampDigits, func(reader int, stamp []byte) { d.arrives(reader, stamp) })
	return d
}

// paced sends stamped texts at a steady pace and returns the delay of each delivery; each text is delivered to all
// readers. It waits for the deliveries only after it has sent the last text, so that a slow server does not slow the
// senders down.
func (b *bench) paced(d *delays, readers, perSecond int, send func(k int)) []time.Duration {
	d.begin(readers * perSecond * int(b.during.Seconds()))
	pace(perSecond, b.during, send)
	await(b.patient("the last event"), d.all)
	return d.list()
}
