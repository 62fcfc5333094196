package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// textBytes is the length of a spectator's text. Its frame, with the name and the other
// fields, has about frameBytes.
const textBytes, frameBytes = 1000, 1200

// The text of each event begins with # and the event's number in markDigits digits.
const markDigits = 6

func say(n int) string {
	text := fmt.Sprintf("#%0*d ", markDigits, n)
	return text + strings.Repeat("the lamp is lit and the door stands open. ", 24)[:textBytes-len(text)]
}

const sayCommand = `{"type":"spectator:command","text":"%s"}`

// event returns a frame of about frameBytes, encoded as the product does.
func event(n int) []byte {
	head := `{"type":"spectator:command","seq":1,"at":"2026-01-31T10:00:00.000Z","text":"` + say(n)
	return unmasked([]byte(head + strings.Repeat(".", frameBytes-len(head)-6) + `"}`))
}

// window is the default number of events in flight. It is smaller than the actor's inbox:
// a full inbox refuses commands.
const window = 512

// patience is the longest time that a measurement waits for what it expects: deliveries, a frame
// or a checkpoint.
const patience = 60 * time.Second

// stage is a server all of whose clients read the events that one of them sends.
type stage struct {
	pid   int
	crowd *crowd
	say   func(k int) error // sends event k, which the server delivers to all clients
	marks []counter
	seen  atomic.Int64 // deliveries
	want  atomic.Int64
	all   chan time.Time // gets the time of the last delivery
	first chan struct{}  // one for each event that the first client has read
	said  int
}

// newStage returns a stage and starts its readers, which count events.
func newStage(pid int, c *crowd, say func(k int) error) *stage {
	st := &stage{pid: pid, crowd: c, say: say, all: make(chan time.Time, 1), first: make(chan struct{}, 2*window)}
	st.marks = make([]counter, len(c.sockets))
	for i := range st.marks {
		st.marks[i].mark = mark
	}
	c.each = func(i int, chunk []byte) {
		n := st.marks[i].add(chunk)
		for range n * max(0, 1-i) {
			st.first <- struct{}{}
		}
		if n > 0 && st.seen.Add(int64(n)) == st.want.Load() {
			st.all <- time.Now()
		}
	}
	c.read()
	return st
}

// crowdStage returns a stage on the server ours, whose clients send one after the other.
func crowdStage(ours *child, c *crowd) *stage {
	return newStage(ours.pid(), c, func(k int) error { return c.sockets[k%len(c.sockets)].send(sayCommand, say(k)) })
}

// plainStage starts a bare server with n readers and one sender.
func (b *bench) plainStage(n int, args ...string) *stage {
	plain := b.start(b.bare, args...)
	people := b.gather(n, listen(plain.addr))
	sender := get(bareConn(plain.addr, 'S'))
	b.after(func() { _ = sender.Close() }) // the server may have ended first
	return newStage(plain.pid(), people, func(k int) error {
		_, err := sender.Write(piece(event(k)))
		return err
	})
}

// burst sends n events with at most inFlight of them unread by the first client. It returns
// the deliveries per second and the server's CPU seconds per delivery.
func (st *stage) burst(n, inFlight int) (rate, cpu float64) {
	people := len(st.crowd.sockets)
	st.seen.Store(0)
	st.want.Store(int64(n * people))
	before, begin, deadline := get(cpuTime(st.pid)), time.Now(), time.After(patience)
	for i := range n {
		if i >= inFlight {
			await(st, st.first, deadline)
		}
		st.said++
		must(st.say(st.said))
	}
	end := await(st, st.all, deadline)
	for range min(n, inFlight) {
		await(st, st.first, deadline)
	}
	deliveries := float64(n * people)
	return deliveries / end.Sub(begin).Seconds(), (get(cpuTime(st.pid)) - before).Seconds() / deliveries
}

func await[T any](st *stage, c <-chan T, deadline <-chan time.Time) (v T) {
	select {
	case v = <-c:
	case err := <-st.crowd.failed:
		must(err)
	case <-deadline:
		must(fmt.Errorf("only %d of %d deliveries came within %s", st.seen.Load(), st.want.Load(), patience))
	}
	return v
}

// refill waits until the rate limit (50 a second, bursts of 200) lets each client send its
// share of n events.
func (st *stage) refill(n int) {
	share := (n + len(st.crowd.sockets) - 1) / len(st.crowd.sockets)
	if share > 190 {
		must(fmt.Errorf("%d events are too many for %d senders", n, len(st.crowd.sockets)))
	}
	if share > 25 {
		time.Sleep(time.Duration(share) * time.Second / 50)
	}
}

// pacer sends events at a steady pace and records when each reader receives each event. It
// does not wait for deliveries, because a slow server must not slow its clients down.
type pacer struct {
	beacon []byte // precedes an event's number in a frame
	readers,
	perSecond int
	during time.Duration
	pid    int
	crowd  *crowd
	send   func(k int) error

	base  time.Time
	sent  []atomic.Int64 // since base, by event
	took  []atomic.Int64 // by event and reader
	left  atomic.Int64
	first int // number of the first event of the run
	ended chan struct{}
}

// newPacer returns a pacer and starts its readers. With toAll each event is expected at all
// readers, else only at its sender.
func newPacer(pid int, c *crowd, toAll bool, beacon string, perSecond int, during time.Duration, send func(int) error) *pacer {
	p := &pacer{beacon: []byte(beacon), readers: 1, perSecond: perSecond, during: during, pid: pid, crowd: c, send: send,
		base: time.Now(), sent: make([]atomic.Int64, int(math.Pow10(markDigits))), ended: make(chan struct{}, 1)}
	if toAll {
		p.readers = len(c.sockets)
	}
	tails := make([][]byte, len(c.sockets))
	c.each = func(i int, chunk []byte) {
		now := int64(time.Since(p.base))
		if len(tails[i]) > 0 {
			chunk = append(tails[i], chunk...)
		}
		for {
			at := bytes.Index(chunk, p.beacon)
			if at < 0 || len(chunk) < at+len(p.beacon)+markDigits {
				break
			}
			chunk = chunk[at+len(p.beacon):]
			if k, err := strconv.Atoi(string(chunk[:markDigits])); err == nil {
				p.arrived(k-p.first, i%p.readers, now)
			}
		}
		// Keep a tail that may be the beginning of a beacon which the next chunk completes.
		tails[i] = append(tails[i][:0:0], chunk[max(0, len(chunk)-len(p.beacon)-markDigits+1):]...)
	}
	c.read()
	return p
}

func (p *pacer) arrived(event, reader int, now int64) {
	if event < 0 || event >= p.events() {
		return
	}
	took := max(1, now-p.sent[p.first+event].Load())
	if p.took[event*p.readers+reader].CompareAndSwap(0, took) && p.left.Add(-1) == 0 {
		p.ended <- struct{}{}
	}
}

func (p *pacer) events() int { return p.perSecond * int(p.during.Seconds()) }

// run sends the events and returns the delay of each delivery and the server's CPU seconds.
func (p *pacer) run() (took []time.Duration, cpu float64) {
	events := p.events()
	p.took = make([]atomic.Int64, events*p.readers)
	p.left.Store(int64(len(p.took)))
	before, begin := get(cpuTime(p.pid)), time.Now()
	for i := range events {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(p.perSecond))))
		p.sent[p.first+i].Store(int64(time.Since(p.base)))
		must(p.send(p.first + i))
	}
	select {
	case <-p.ended:
	case err := <-p.crowd.failed:
		must(err)
	case <-time.After(patience):
		must(fmt.Errorf("%d of %d deliveries did not come within %s", p.left.Load(), len(p.took), patience))
	}
	cpu = (get(cpuTime(p.pid)) - before).Seconds()
	p.first += events
	for i := range p.took {
		took = append(took, time.Duration(p.took[i].Load()))
	}
	return took, cpu
}

// pace calls do perSecond times a second, or less often if the calls take longer, and returns
// the duration of each call. If a slow call delays the next one, the duration of the next does not
// include the delay: in the product the events of both would share a commit.
func pace(perSecond int, during time.Duration, do func(i int) error) (took []time.Duration, err error) {
	base := time.Now()
	for i := range perSecond * int(during.Seconds()) {
		time.Sleep(time.Until(base.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
		begin := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}
