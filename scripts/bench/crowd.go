package main

import (
	"errors"
	"fmt"
	"net"
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

// gather opens n connections with join. The scope's end closes them.
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

// spectators lets n clients join as a page does: hello without a position, then spectator:register. Each has got the
// snapshot, the overlays and its seat. The traffic t, which may be nil, counts what they read.
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

// read starts a reader for each client. It calls found as socket.find does. The readers end when the connections close.
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
