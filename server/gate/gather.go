package gate

import (
	"encoding/binary"
	"net"
)

// headRoom is the size in bytes of the WebSocket library's write buffer. The buffer holds a frame's header, at
// most 10 bytes, and the first bytes of the payload.
const headRoom = 16

// gather joins the two pieces of a WebSocket frame that the library writes to a link. The library writes a frame in two
// pieces: its buffer, which begins with the header, and the rest of the payload. gather holds the first piece until the
// library writes the second one. Then it writes both with one system call, without copying the payload. The library
// never writes from two goroutines at once.
type gather struct {
	head  [headRoom]byte
	held  int   // number of bytes in head that wait for the rest of their frame
	left  int64 // number of bytes of the current frame that the library has not written yet
	parts [3][]byte
	all   net.Buffers // a slice of parts that WriteTo consumes
	// answer is the HTTP server's answer to the handshake until the first frame is written. gather holds it, as it
	// holds head, and sends the two with one system call.
	answer []byte
}

// Write writes p, a piece of a frame, or holds p until the next piece. It never holds the last piece of a
// frame.
func (l *link) Write(p []byte) (int, error) {
	g := &l.out
	if g.left > 0 {
		g.left -= int64(len(p))
		return g.write(l.Conn, p)
	}
	size, ok := frameSize(p)
	if !ok || size <= int64(len(p)) || len(p) > headRoom {
		g.left = max(0, size-int64(len(p)))
		return g.write(l.Conn, p)
	}
	g.held, g.left = copy(g.head[:], p), size-int64(len(p))
	return len(p), nil
}

// write writes what g holds, and then p. It returns the number of bytes of p that were written.
func (g *gather) write(conn net.Conn, p []byte) (int, error) {
	before := len(g.answer) + g.held
	if before == 0 {
		return conn.Write(p)
	}
	g.parts = [3][]byte{g.answer, g.head[:g.held], p}
	g.all, g.answer, g.held = g.parts[:], nil, 0
	n, err := g.all.WriteTo(conn)
	g.parts = [3][]byte{} // an idle link keeps no payload in memory
	return max(0, int(n)-before), err
}

// frameSize returns the length, including the header, of the unmasked frame that begins with p. ok is false if
// p does not contain the whole header.
func frameSize(p []byte) (int64, bool) {
	if len(p) < 2 {
		return 0, false
	}
	switch n := p[1] & 0x7f; {
	case n == 126 && len(p) >= 4:
		return 4 + int64(binary.BigEndian.Uint16(p[2:])), true
	case n == 127 && len(p) >= 10:
		return 10 + int64(binary.BigEndian.Uint64(p[2:])), true
	case n < 126:
		return 2 + int64(n), true
	}
	return 0, false
}
