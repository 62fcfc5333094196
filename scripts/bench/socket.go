package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// socket is a minimal WebSocket client without JSON, so that the clients take less processor time than the server. It
// also reads raw TCP. One goroutine reads; others may write. All methods end the measurement if the connection fails.
type socket struct {
	net.Conn
	r     *bufio.Reader
	buf   []byte        // the last frame
	bytes *atomic.Int64 // counts the bytes of text frames, unless it is nil
}

// joinTime is the longest time of a handshake and of a wait for one frame.
const joinTime = 60 * time.Second

// newSocket returns a socket on a connection. The connection is closed when the enclosing call of bench.scope ends.
func (b *bench) newSocket(c net.Conn) *socket {
	s := &socket{Conn: c, r: bufio.NewReaderSize(c, 8<<10)}
	b.after(s.close)
	return s
}

// dial opens a WebSocket. The WebSocket is closed when the enclosing call of bench.scope ends.
func (b *bench) dial(addr string) *socket {
	s := b.newSocket(get(net.Dial("tcp", addr)))
	s.upgrade()
	return s
}

// raw connects to a bare server over TCP and sends the byte that selects the kind of the connection.
func (b *bench) raw(addr string, kind byte) *socket {
	s := b.newSocket(get(net.Dial("tcp", addr)))
	get(s.Write([]byte{kind}))
	return s
}

// take asks a bare server for n bytes and reads them.
func (s *socket) take(n int) {
	get(s.Write(binary.BigEndian.AppendUint32(nil, uint32(n))))
	get(io.CopyN(io.Discard, s.r, int64(n)))
}

// upgrade makes a connection a WebSocket.
func (s *socket) upgrade() {
	const wanted = http.StatusSwitchingProtocols
	s.request("/ws", wanted, "Upgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n")
}

// request sends an HTTP request without a body and reads the head of the answer, which must have the wanted status.
func (s *socket) request(path string, wanted int, fields string) {
	get(fmt.Fprintf(s, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, s.RemoteAddr(), fields))
	resp := get(http.ReadResponse(s.r, nil))
	if resp.StatusCode != wanted {
		failf("GET %s: the server answers %s", path, resp.Status)
	}
}

// hello joins as a page does, without a position, and reads the server's answer.
func (s *socket) hello() {
	s.send(`{"type":"hello","protocol":1}`)
	s.until(`"type":"overlays"`, `"continuity":"none"`)
}

// link links the folder repo and returns the size in bytes of the world:state frame that follows.
func (s *socket) link(repo string) int {
	s.send(`{"type":"player:link-repo","path":%q,"requestId":"link"}`, repo)
	return len(s.unless(`"type":"error"`, `"type":"world:state"`))
}

// send writes one text frame.
func (s *socket) send(format string, args ...any) {
	get(s.Write(masked(opText, fmt.Appendf(nil, format, args...))))
}

// opText and opPong are the first bytes of a text frame and a pong frame, each the last of its message.
const opText, opPong = 0x81, 0x8a

// masked encodes a client's frame. Its mask is zero, which leaves the payload as it is.
func masked(op byte, payload []byte) []byte {
	return append(append(head(op, 0x80, len(payload)), 0, 0, 0, 0), payload...)
}

// unmasked encodes a server's text frame, for a bare server to send.
func unmasked(payload []byte) []byte { return append(head(opText, 0, len(payload)), payload...) }

func head(op, mask byte, n int) []byte {
	switch {
	case n < 126:
		return []byte{op, mask | byte(n)}
	case n < 1<<16:
		return binary.BigEndian.AppendUint16([]byte{op, mask | 126}, uint16(n))
	}
	return binary.BigEndian.AppendUint64([]byte{op, mask | 127}, uint64(n))
}

// next returns the next n bytes, at most as many as the connection's buffer holds. They are valid until the next
// read.
func (s *socket) next(n int) []byte {
	p := get(s.r.Peek(n))
	get(s.r.Discard(n))
	return p
}

// header reads up to the beginning of the payload of a text frame and returns the length of the payload. It answers
// pings.
func (s *socket) header() int {
	for {
		h := s.next(2)
		op, n := h[0]&0x0f, int(h[1]&0x7f)
		switch n {
		case 126:
			n = int(binary.BigEndian.Uint16(s.next(2)))
		case 127:
			n = int(binary.BigEndian.Uint64(s.next(8)))
		}
		if op == 1 {
			if s.bytes != nil {
				s.bytes.Add(int64(n))
			}
			return n
		}
		p := s.next(min(n, 125))
		if op != 9 { // 8 closes the socket; p says why
			failf("the server sent a frame that is neither text nor ping: operation %d, %q", op, p)
		}
		get(s.Write(masked(opPong, p)))
	}
}

// frame reads the next text frame. The bytes are valid until the next call.
func (s *socket) frame() []byte {
	n := s.header()
	if cap(s.buf) < n {
		s.buf = make([]byte, n)
	}
	s.buf = s.buf[:n]
	get(io.ReadFull(s.r, s.buf))
	return s.buf
}

// until reads frames up to the first that contains at least one of the texts, and returns that frame.
func (s *socket) until(texts ...string) []byte { return s.unless("", texts...) }

// unless is like until, but the benchmark fails if a frame before it contains bad. An empty bad is in no frame.
func (s *socket) unless(bad string, texts ...string) []byte {
	for {
		must(s.SetReadDeadline(time.Now().Add(joinTime)))
		p := s.frame()
		if bad != "" && bytes.Contains(p, []byte(bad)) {
			failf("the server answers with an error: %.300s", p)
		}
		for _, text := range texts {
			if bytes.Contains(p, []byte(text)) {
				return p
			}
		}
	}
}

// forget releases the buffer of the last frame, so that an idle client needs little memory.
func (s *socket) forget() { s.buf = nil }

// find reads the next text frame and calls found for each mark in it, with the next bytes after the mark; length is
// their number. It reads piece by piece, so that it does not have to hold a large frame in memory.
func (s *socket) find(mark []byte, length int, found func(after []byte)) {
	edge := len(mark) + length - 1 // the mark can begin in these bytes at the end of a piece and end in the next piece
	for n := s.header(); n > 0; {
		get(s.r.Peek(min(n, edge+1))) // waits for the next piece
		piece := get(s.r.Peek(min(n, s.r.Buffered())))
		left := each(piece, mark, length, found)
		done := len(piece)
		if done < n {
			done -= min(len(left), edge)
		}
		get(s.r.Discard(done))
		n -= done
	}
}

// each calls found for each mark in p that at least length bytes follow, with these bytes. It returns what follows
// the last mark.
func each(p, mark []byte, length int, found func(after []byte)) []byte {
	for {
		at := bytes.Index(p, mark)
		if at < 0 || len(p) < at+len(mark)+length {
			return p
		}
		p = p[at+len(mark):]
		found(p[:length])
	}
}

// close resets the connection, so that thousands of ports are not in TIME_WAIT during the next repetition.
func (s *socket) close() {
	if t, ok := s.Conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = s.Close() // the connection is not used any more
}
