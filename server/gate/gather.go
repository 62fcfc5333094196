package gate

import (
	"encoding/binary"
	"net"
)

// headRoom is the size of the library's buffer for writing: it holds the longest header of
// a server's frame (10 bytes) and the first bytes of the payload.
const headRoom = 16

// gather is the writing half of a link. The library writes a frame in two pieces: its
// buffer, with the header, and the rest of the payload. gather keeps the first piece until
// the second comes, and writes both in one system call, without a copy of the payload. The
// bytes on the wire are the same. The library serializes the calls.
type gather struct {
	head  [headRoom]byte
	held  int   // bytes of head that wait for the rest of their frame
	left  int64 // bytes of the frame under way that have not come yet
	parts [2][]byte
	both  net.Buffers // of parts
}

// Write takes a piece of a frame. What it keeps is written with the next piece: the library
// ends no frame without its last one.
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
		g.parts = [2][]byte{} // an idle link keeps no payload alive
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

// frameSize is the length, with its header, of the unmasked frame that begins with p;
// false where p is shorter than the header.
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
