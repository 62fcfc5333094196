package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// mark identifies a spectator:command frame.
var mark = []byte(`"type":"spectator:command"`)

// crowd holds the clients of one server. Each client has a goroutine that reads. The goroutines
// run in this process, not in the server's.
type crowd struct {
	sockets []*socket
	each    func(i int, chunk []byte) // called by reader i with each chunk; set before read
	failed  chan error                // holds the first error

	readers sync.WaitGroup
	stopped atomic.Bool

	// The traffic of joining, summed over all clients.
	frames, messages, lists, bytes atomic.Int64
}

// dialers is the number of connections that are opened at a time.
const dialers = 64

// gather opens n connections and calls join for each. The scope's end closes them.
func (b *bench) gather(n int, join func(c *crowd, i int) (*socket, error)) *crowd {
	c := &crowd{sockets: make([]*socket, n), failed: make(chan error, 1)}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, dialers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				s, err := join(c, i)
				if err != nil {
					c.fail(fmt.Errorf("client %d: %w", i, err))
					return
				}
				c.sockets[i] = s
			}
		})
	}
	wg.Wait()
	b.after(c.close)
	c.check()
	return c
}

// check ends the measurement if a client has failed.
func (c *crowd) check() {
	select {
	case err := <-c.failed:
		must(err)
	default:
	}
}

func (c *crowd) fail(err error) {
	select {
	case c.failed <- err:
	default: // only the first error is reported
	}
}

// spectate joins as a page does: hello without a position, then spectator:register. It returns
// when the snapshot, the overlays and the seat have come.
func spectate(addr string) func(c *crowd, i int) (*socket, error) {
	return func(c *crowd, i int) (*socket, error) {
		s, err := dial(addr)
		if err != nil {
			return nil, err
		}
		if err := s.c.SetReadDeadline(time.Now().Add(joinTime)); err != nil {
			return nil, err
		}
		if err := s.send(`{"type":"hello","protocol":1}`); err != nil {
			return nil, err
		}
		if err := c.until(s, `"type":"overlays"`); err != nil {
			return nil, err
		}
		const register = `{"type":"spectator:register","name":"person %d","color":"#aabbcc"}`
		if err := s.send(register, i); err != nil {
			return nil, err
		}
		if err := c.until(s, `"type":"spectator:welcome"`); err != nil {
			return nil, err
		}
		s.forget()
		return s, s.c.SetReadDeadline(time.Time{})
	}
}

// until reads and counts frames up to the first that contains mark.
func (c *crowd) until(s *socket, mark string) error {
	for {
		p, err := s.frame()
		if err != nil {
			return err
		}
		c.tally(p)
		if bytes.Contains(p, []byte(mark)) {
			return nil
		}
	}
}

func (c *crowd) tally(p []byte) {
	c.frames.Add(1)
	c.bytes.Add(int64(len(p)))
	c.lists.Add(int64(bytes.Count(p, []byte(`"type":"spectator:list"`))))
	// Each message begins with its type, and none of these messages contains another one.
	c.messages.Add(int64(bytes.Count(p, []byte(`{"type":"`))))
}

// listen connects to a bare server as a reader.
func listen(addr string) func(c *crowd, i int) (*socket, error) {
	return func(*crowd, int) (*socket, error) {
		conn, err := bareConn(addr, 'R')
		if err != nil {
			return nil, err
		}
		var one [1]byte
		if _, err := io.ReadFull(conn, one[:]); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return newSocket(conn), nil
	}
}

func bareConn(addr string, kind byte) (net.Conn, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write([]byte{kind}); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// piece encodes bytes that a bare server sends on: their length, then the bytes.
func piece(p []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(p))), p...)
}

// read starts the readers. They end when the connections close.
func (c *crowd) read() {
	for i, s := range c.sockets {
		c.readers.Go(func() {
			for {
				err := s.chunks(func(p []byte) { c.each(i, p) })
				if err != nil {
					if !c.stopped.Load() {
						c.fail(fmt.Errorf("client %d: %w", i, err))
					}
					return
				}
			}
		})
	}
}

func (c *crowd) close() {
	c.stopped.Store(true)
	for _, s := range c.sockets {
		if s != nil {
			s.close()
		}
	}
	c.readers.Wait()
}

// quiet reads and counts all frames for the time d. Only clients without a reader goroutine
// may call it.
func (c *crowd) quiet(d time.Duration) {
	until := time.Now().Add(d)
	var wg sync.WaitGroup
	for _, s := range c.sockets {
		wg.Go(func() {
			if err := s.c.SetReadDeadline(until); err != nil {
				c.fail(err)
				return
			}
			for {
				p, err := s.frame()
				var timeout net.Error
				switch {
				case errors.As(err, &timeout) && timeout.Timeout():
					s.forget()
					if err := s.c.SetReadDeadline(time.Time{}); err != nil {
						c.fail(err)
					}
					return
				case err != nil:
					c.fail(err)
					return
				}
				c.tally(p)
			}
		})
	}
	wg.Wait()
	c.check()
}
