package main

import (
	"fmt"
	"time"
)

const plain = "raw TCP, a write each"

// fanout measures how many events a second the server can deliver to n spectators, against a plain server that
// writes each message once to each socket, with as many unread messages. The aim is to be faster by the factor
// least.
func (b *bench) fanout(n, events int, least float64) {
	st, single := b.crowdStage(b.linked(), n, n).count(), b.plainStage(n).count()
	for _, inFlight := range []int{window, 128, 8} {
		what, aimed := fmt.Sprintf("%d spectators", n), aim{ratioMin, least}
		if inFlight != window {
			what, aimed = fmt.Sprintf("%s, %d in flight", what, inFlight), noAim
		}
		rate := b.row(perSecond, aimed, plain, "fan-out, 1 KB events, %s", what)
		cpu := b.row(seconds, aim{ratioMax, 0.5}, plain, "CPU per delivery, flat out, %s", what)
		b.warmTimes(b.runs, func() {
			if share := events / n; share > 25 { // each sender may send 50 a second, in bursts of 200
				time.Sleep(time.Duration(share) * time.Second / 50)
			}
			r, c := st.burst(events, inFlight)
			plainRate, plainCPU := single.burst(events, inFlight)
			rate.add(r, plainRate)
			cpu.add(c, plainCPU)
		})
	}
}

// flood measures the memory of a server after many events: its ring of the newest frames, its buffers, and what
// packing the journal has needed.
func (b *bench) flood(n, events int) {
	what := fmt.Sprintf("after a flood of %d events of 1 KB to %d spectators", events, n)
	rss := b.row(octets, aim{below, 70 << 20}, plain, "memory %s (RSS)", what)
	b.times(b.few(), func() {
		st, single := b.crowdStage(b.linked(), n, n).count(), b.plainStage(n).count()
		st.burst(events, window)
		single.burst(events, window)
		time.Sleep(settle)
		rss.add(st.resident(), single.resident())
	})
}

// latency measures the time from a command of one person until each spectator has the command's event.
func (b *bench) latency(n, perSecond int) {
	const bare, senders = "raw TCP, fsync", 5 // a socket may send 50 commands a second
	add := b.percentiles(aim{below, 50e-3}, bare, "input to spectator at %d spectators, %d events/s, ", n, perSecond)
	product, limit := b.crowdStage(b.linked(), n, senders), b.plainStage(n, "-sync", b.file("appended"))
	const mark = `"text":"#`
	delay, bareDelay := b.readDelays(product.people, mark), b.readDelays(limit.people, mark)
	b.times(b.runs, func() {
		add(b.paced(delay, n, perSecond, product.say), b.paced(bareDelay, n, perSecond, limit.say))
	})
}
