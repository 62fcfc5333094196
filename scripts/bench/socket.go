package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// socket is a minimal WebSocket client: bare frames over TCP, no JSON. A full client would take
// more processor time than the server and distort the figures. One goroutine reads; others may
// write.
type socket struct {
	c   net.Conn
	r   *bufio.Reader
	buf []byte // the last frame
}

// joinTime is the longest time of a handshake and of a wait for one frame.
const joinTime = 60 * time.Second

const handshake = "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

// dial opens a WebSocket.
func dial(addr string) (*socket, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return upgrade(c, addr)
}

// dial opens a WebSocket. The scope's end closes it.
func (b *bench) dial(addr string) *socket {
	s := get(dial(addr))
	b.after(s.close)
	return s
}

func newSocket(c net.Conn) *socket { return &socket{c: c, r: bufio.NewReaderSize(c, 8<<10)} }

func upgrade(c net.Conn, addr string) (*socket, error) {
	s := newSocket(c)
	if _, err := fmt.Fprintf(c, handshake, addr); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	resp, err := http.ReadResponse(s.r, nil)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, errors.Join(fmt.Errorf("upgrade to a WebSocket: %s", resp.Status), c.Close())
	}
	return s, nil
}

// send writes one text frame.
func (s *socket) send(format string, args ...any) error {
	_, err := s.c.Write(masked(0x81, fmt.Appendf(nil, format, args...)))
	return err
}

// masked encodes a client's frame. Its mask is zero, which leaves the payload as it is.
func masked(op byte, payload []byte) []byte {
	return append(append(head(op, 0x80, len(payload)), 0, 0, 0, 0), payload...)
}

// unmasked encodes a server's text frame, for a bare server to send.
func unmasked(payload []byte) []byte { return append(head(0x81, 0, len(payload)), payload...) }

func head(op, mask byte, n int) []byte {
	switch {
	case n < 126:
		return []byte{op, mask | byte(n)}
	case n < 1<<16:
		return binary.BigEndian.AppendUint16([]byte{op, mask | 126}, uint16(n))
	}
	return binary.BigEndian.AppendUint64([]byte{op, mask | 127}, uint64(n))
}

// header reads up to a text frame's payload and returns its length. It answers pings.
func (s *socket) header() (int, error) {
	for {
		var h [10]byte
		if _, err := io.ReadFull(s.r, h[:2]); err != nil {
			return 0, err
		}
		n, more := int(h[1]&0x7f), 0
		if n > 125 {
			more = 2 << (2 * (n - 126)) // 2 bytes, or 8
			if _, err := io.ReadFull(s.r, h[10-more:]); err != nil {
				return 0, err
			}
			clear(h[2 : 10-more])
			n = int(binary.BigEndian.Uint64(h[2:]))
		}
		op := h[0] & 0x0f
		if op == 1 {
			return n, nil
		}
		p := make([]byte, min(n, 125))
		if _, err := io.ReadFull(s.r, p); err != nil {
			return 0, err
		}
		switch {
		case op == 9:
			if _, err := s.c.Write(masked(0x8a, p)); err != nil {
				return 0, err
			}
		case op == 8 && n >= 2:
			return 0, fmt.Errorf("the server closed the socket: %d %s", binary.BigEndian.Uint16(p), p[2:])
		default:
			return 0, fmt.Errorf("the server sent a frame that is neither text, ping nor close: header %x", h[:2])
		}
	}
}

// frame reads the next text frame. The bytes are valid until the next call.
func (s *socket) frame() ([]byte, error) {
	n, err := s.header()
	if err != nil {
		return nil, err
	}
	if cap(s.buf) < n {
		s.buf = make([]byte, n)
	}
	s.buf = s.buf[:n]
	_, err = io.ReadFull(s.r, s.buf)
	return s.buf, err
}

// until reads frames up to the first that contains one of the texts, and returns that frame.
func (s *socket) until(texts ...string) ([]byte, error) {
	if err := s.c.SetReadDeadline(time.Now().Add(joinTime)); err != nil {
		return nil, err
	}
	for {
		p, err := s.frame()
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			if bytes.Contains(p, []byte(text)) {
				return p, nil
			}
		}
	}
}

// forget releases the buffer if it is large, so that an idle client needs little memory.
func (s *socket) forget() {
	if cap(s.buf) > 4<<10 {
		s.buf = nil
	}
}

// chunks reads the next text frame and calls each with its pieces as they come, so that a large
// frame needs no memory.
func (s *socket) chunks(each func(chunk []byte)) error {
	n, err := s.header()
	for n > 0 && err == nil {
		if s.r.Buffered() == 0 {
			if _, err = s.r.Peek(1); err != nil {
				break
			}
		}
		var p []byte
		if p, err = s.r.Peek(min(n, s.r.Buffered())); err != nil {
			break
		}
		each(p)
		n -= len(p)
		_, err = s.r.Discard(len(p))
	}
	return err
}

// close resets the connection. An orderly close of thousands of connections would leave their
// ports in TIME_WAIT during the next repetition.
func (s *socket) close() {
	if t, ok := s.c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = s.c.Close() // the connection is not used any more
}

// counter counts a mark in a stream that comes in chunks.
type counter struct {
	mark []byte
	tail []byte // the last bytes of the earlier chunks, fewer than the mark has
}

// add returns how many occurrences of the mark end in chunk.
func (c *counter) add(chunk []byte) int {
	n := 0
	if len(c.tail) > 0 {
		// A mark may begin in the tail and end in the chunk.
		edge := append(c.tail, chunk[:min(len(chunk), len(c.mark)-1)]...)
		n += bytes.Count(edge, c.mark)
		c.tail = edge[:0]
		if len(chunk) < len(c.mark)-1 {
			c.tail = append(c.tail, edge[max(0, len(edge)-len(c.mark)+1):]...)
			return n
		}
	}
	n += bytes.Count(chunk, c.mark)
	c.tail = append(c.tail[:0], chunk[max(0, len(chunk)-len(c.mark)+1):]...)
	return n
}
