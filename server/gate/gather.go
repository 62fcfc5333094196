package gate

import (
	"encoding/binary"
	"net"
)

// headRoom is the size of the library's write buffer: the longest header of a server's frame
// (10 bytes) and the first bytes of the payload.
const headRoom = 16

// gather is the writing half of a link. The library writes a frame in two pieces: its buffer,
// which starts with the header, and the rest of the payload. gather holds the first piece until
// the second comes, and writes both with one system call and without copying the payload. The
// library serializes the calls.
type gather struct {
	head  [headRoom]byte
	held  int   // bytes of head that wait for the rest of their frame
	left  int64 // bytes of the current frame that have not come yet
	parts [2][]byte
	both  net.Buffers // parts, for WriteTo
}

// Write writes a piece of a frame, or holds it until the next piece. The library always writes
// a frame's last piece.
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

// frameSize returns the length, including the header, of the unmasked frame that starts with p.
// ok is false if p is shorter than the header.
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
