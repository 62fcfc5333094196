package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// socket is a client that costs as little as a client can: bare frames over TCP,
// no JSON. A full WebSocket client would take more of the machine's cores than the
// server does and hide what is measured. One goroutine reads; others may write.
type socket struct {
	c    net.Conn
	r    *bufio.Reader
	buf  []byte // the last frame
	size int    // of the frame's header and payload
}

// joinTime bounds a handshake and every wait for one frame.
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
		return nil, errors.Join(fmt.Errorf("the server answers %s", resp.Status), c.Close())
	}
	return s, nil
}

// send writes one text frame.
func (s *socket) send(format string, args ...any) error {
	_, err := s.c.Write(masked(0x81, fmt.Appendf(nil, format, args...)))
	return err
}

// masked is a client's frame; a mask of zeros is as good as any here.
func masked(op byte, payload []byte) []byte {
	p := []byte{op}
	switch n := len(payload); {
	case n < 126:
		p = append(p, 0x80|byte(n))
	case n < 1<<16:
		p = binary.BigEndian.AppendUint16(append(p, 0x80|126), uint16(n))
	default:
		p = binary.BigEndian.AppendUint64(append(p, 0x80|127), uint64(n))
	}
	return append(append(p, 0, 0, 0, 0), payload...)
}

// unmasked is a server's text frame: what a bare server is given to send.
func unmasked(payload []byte) []byte {
	p := []byte{0x81}
	switch n := len(payload); {
	case n < 126:
		p = append(p, byte(n))
	case n < 1<<16:
		p = binary.BigEndian.AppendUint16(append(p, 126), uint16(n))
	default:
		p = binary.BigEndian.AppendUint64(append(p, 127), uint64(n))
	}
	return append(p, payload...)
}

var errClosed = errors.New("the server closed the socket")

// header reads up to a text frame's payload and gives its length. Pings are
// answered.
func (s *socket) header() (int, error) {
	for {
		var h [10]byte
		if _, err := io.ReadFull(s.r, h[:2]); err != nil {
			return 0, err
		}
		n, size := int(h[1]&0x7f), 2
		switch n {
		case 126:
			if _, err := io.ReadFull(s.r, h[2:4]); err != nil {
				return 0, err
			}
			n, size = int(binary.BigEndian.Uint16(h[2:])), 4
		case 127:
			if _, err := io.ReadFull(s.r, h[2:10]); err != nil {
				return 0, err
			}
			n, size = int(binary.BigEndian.Uint64(h[2:])), 10
		}
		switch h[0] & 0x0f {
		case 1:
			s.size = size + n
			return n, nil
		case 9:
			p := make([]byte, n)
			if _, err := io.ReadFull(s.r, p); err != nil {
				return 0, err
			}
			if _, err := s.c.Write(masked(0x8a, p)); err != nil {
				return 0, err
			}
		case 8:
			p := make([]byte, n)
			if _, err := io.ReadFull(s.r, p); err != nil || n < 2 {
				return 0, errClosed
			}
			return 0, fmt.Errorf("%w: %d %s", errClosed, binary.BigEndian.Uint16(p), p[2:])
		default:
			return 0, fmt.Errorf("a frame with header %x", h[:2])
		}
	}
}

// frame reads the next text frame; the bytes are good until the next call.
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

// forget lets go of a large buffer.
func (s *socket) forget() {
	if cap(s.buf) > 4<<10 {
		s.buf = nil
	}
}

// chunks reads the next text frame piece by piece as it comes, so that a client
// needs no memory for a large one.
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

// close resets the connection: thousands of orderly ends would leave the ports of
// the machine in TIME_WAIT for the next repetition.
func (s *socket) close() {
	if t, ok := s.c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = s.c.Close() // nothing to do about a connection that does not close
}
