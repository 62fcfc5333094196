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
	parts [2][]byte
	both  net.Buffers // a slice of parts that WriteTo consumes
}

// Write writes p, a piece of a frame, or holds p until the next piece. It never holds the last piece of a
// frame.
func (l *link) Write(p []byte) (int, error) {
	g := &l.out
	if g.left > 0 {
		g.left -= int64(len(p))
		if g.held == 0 {
			return l.Conn.Write(p)
		}
		before := g.held
		g.parts[0], g.parts[1] = g.head[:before], p
		g.both, g.held = g.parts[:], 0
		n, err := g.both.WriteTo(l.Conn)
		g.parts = [2][]byte{} // an idle link keeps no payload in memory
		return max(0, int(n)-before), err
	}
	size, ok := frameSize(p)
	if !ok || size <= int64(len(p)) || len(p) > headRoom {
		g.left = max(0, size-int64(len(p)))
		return l.Conn.Write(p)
	}
	g.held, g.left = copy(g.head[:], p), size-int64(len(p))
	return len(p), nil
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
