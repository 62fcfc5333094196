package main

import (
	"fmt"
	"time"
)

const plain = "raw TCP, a write each"

// fanout measures the most events that the server can deliver to n spectators. The limit is a
// plain server that writes each message once to each socket. Both have the same number of
// events in flight.
func (b *bench) fanout(n, events int) {
	b.enoughFiles(2*n + 500)
	ours := b.linked()
	st, single := crowdStage(ours, b.gather(n, spectate(ours.addr))), b.plainStage(n)
	for _, inFlight := range []int{window, 128, 8} {
		what, most := fmt.Sprintf("%d spectators", n), noAim
		if inFlight == window {
			most = aim{ratioMin, map[int]float64{100: 3.2, 1000: 2.5}[n]}
			if most.value == 0 {
				most.value = 2
			}
		} else {
			what += fmt.Sprintf(", %d in flight", inFlight)
		}
		rate := b.row(perSecond, most, plain, "fan-out, 1 KB events, %s", what)
		cpu := b.row(seconds, aim{ratioMax, 0.5}, plain, "CPU per delivery, flat out, %s", what)
		b.warmTimes(b.runs, func() {
			st.refill(events)
			r, c := st.burst(events, inFlight)
			plainRate, plainCPU := single.burst(events, inFlight)
			rate.add(r, plainRate)
			cpu.add(c, plainCPU)
		})
	}
}

// flood measures the memory of a server after many events: its ring, its buffers, and the
// memory that it needed to pack the journal.
func (b *bench) flood(n, events int) {
	b.enoughFiles(2*n + 500)
	what := fmt.Sprintf("after a flood of %d events of 1 KB to %d spectators", events, n)
	rss := b.row(octets, aim{below, 70 << 20}, plain, "memory %s (RSS)", what)
	peak := b.row(octets, noAim, plain, "memory at its most, %s (RSS)", what)
	b.times(b.few(), func() {
		ours := b.linked()
		st, single := crowdStage(ours, b.gather(n, spectate(ours.addr))), b.plainStage(n)
		st.burst(events, window)
		single.burst(events, window)
		time.Sleep(settle)
		rss.add(float64(get(resident(ours.pid()))), float64(get(resident(single.pid))))
		peak.add(float64(get(mostResident(ours.pid()))), float64(get(mostResident(single.pid))))
	})
}

// latency measures the time from a command of one person until each spectator has the command's
// event. The commands come at a steady pace.
func (b *bench) latency(n, pace int) {
	b.enoughFiles(2*n + 500)
	const bare = "raw TCP, fsync"
	add := b.percentiles(aim{below, 50e-3}, bare, "input to spectator at %d spectators, %d events/s, ", n, pace)
	worst := b.row(seconds, noAim, bare, "input to spectator at %d spectators, %d events/s, max", n, pace)
	cpu := b.row(seconds, noAim, bare, "CPU per delivery at that pace")
	ours := b.linked()
	people := b.gather(n, spectate(ours.addr))
	single := b.plainStage(n, "-sync", b.file("appended"))
	const senders = 5 // a socket may send 50 a second
	beacon := `"text":"#`
	product := newPacer(ours.pid(), people, true, beacon, pace, b.during, func(k int) error {
		return people.sockets[k%senders].send(sayCommand, say(k))
	})
	limit := newPacer(single.pid, single.crowd, true, beacon, pace, b.during, single.say)
	b.times(b.runs, func() {
		took, used := product.run()
		bareTook, bareUsed := limit.run()
		add(took, bareTook)
		worst.add(percentile(took, 100), percentile(bareTook, 100))
		cpu.add(used/float64(len(took)), bareUsed/float64(len(bareTook)))
	})
}
