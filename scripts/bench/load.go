package main

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

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

// await returns the next value of c. It ends the measurement if a client of the crowd, which may be nil, fails before,
// or if the value does not come until the deadline.
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

	// For burst, after count:
	said  atomic.Int64
	got   []int64       // events that each client has read
	first chan struct{} // one for each event that the first client has read
	left  atomic.Int64  // clients that have not read all events yet
	all   chan time.Time
}

// crowdStage returns a stage on the server ours with n spectators, of whom the first senders speak by turns.
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
	share := (n + people - 1) / people
	if share > 190 {
		failf("%d events are too many for %d senders", n, people)
	}
	if share > 25 {
		time.Sleep(time.Duration(share) * time.Second / 50)
	}
}

// delays measures how long numbered events take from their sending to each of their readers.
type delays struct {
	readers int
	all     chan struct{}

	mu    sync.Mutex
	first int             // number of the first event of the run
	sent  []time.Time     // by event
	took  []time.Duration // by event and reader; 0 until the event arrives
	left  int
}

// readDelays starts the readers of the crowd. An event's number follows the mark in its frames.
func (c *crowd) readDelays(mark string, readers int) *delays {
	d := &delays{readers: readers, all: make(chan struct{}, 1)}
	c.read(mark, markDigits, func(reader int, number []byte) { d.arrives(number, reader%readers) })
	return d
}

// sends says that the run's i-th event is sent now.
func (d *delays) sends(i int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent[i] = time.Now()
}

// arrives says that a reader gets the event with this number now. Only the first arrival counts.
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

// paced sends events at a steady pace and returns the delay of each delivery. It does not wait for deliveries before the
// last event, because a slow server must not slow its clients down.
func (d *delays) paced(people *crowd, perSecond int, during time.Duration, send func(k int)) []time.Duration {
	events := perSecond * int(during.Seconds())
	d.mu.Lock()
	d.first += len(d.sent)
	d.sent, d.took = make([]time.Time, events), make([]time.Duration, events*d.readers)
	d.left = len(d.took)
	d.mu.Unlock()
	pace(perSecond, during, func(i int) {
		d.sends(i)
		send(d.first + i)
	})
	await(people, d.all, time.After(patience), "the last event")
	return d.took
}
