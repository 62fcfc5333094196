package gate

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// errFrameSize is a frame header that promises more than a frame may have.
var errFrameSize = errors.New("the frame is too large")

// Bounds of what is read from a connection whose frame was too large: the peer
// shall read the close code before a reset reaches it, but not keep us busy.
const (
	drainTime  = time.Second
	drainBytes = 64 << 20
)

// Frames of any kind that a connection may send per second, and at once: pings,
// pongs and empty fragments never reach the limiter of the socket. Beyond it the
// connection is read slower.
const (
	headerRate  = 1000
	headerBurst = 2000
)

// link is the TCP connection below a WebSocket. The library reads through it; it
// looks at frame headers as they pass, so that one that promises 100 MB ends the
// connection at once and not when the bytes have come (or never), and it can cut
// the connection in any state: the library's CloseNow waits where a Close is
// under way, and that Close may wait for a peer without limit.
type link struct {
	net.Conn
	limit int64
	rest  []byte // what the HTTP server had already read

	once sync.Once

	// Only the reader of the connection touches what follows.
	header  [14]byte
	have    int
	skip    int64 // bytes of payload still to come
	state   int
	drained int64
	headers *rate.Limiter

	out gather // only the library's writing, which it serializes, touches it
}

func newLink(conn net.Conn, limit int64) *link {
	return &link{Conn: conn, limit: limit, headers: rate.NewLimiter(headerRate, headerBurst)}
}

const (
	linkOpen    = iota
	linkTripped // the next Read says so
	linkDrains  // Reads throw away
)

// cut closes the connection under whatever the library is doing.
func (l *link) cut() {
	l.once.Do(func() { _ = l.Conn.Close() }) // nothing to do about a connection that does not close
}

// Close is called by the library.
func (l *link) Close() error {
	err := net.ErrClosed
	l.once.Do(func() { err = l.Conn.Close() })
	return err
}

func (l *link) Read(p []byte) (int, error) {
	switch l.state {
	case linkTripped:
		l.state = linkDrains
		return 0, errFrameSize
	case linkDrains:
		return 0, l.drain(p)
	}
	var n int
	var err error
	if len(l.rest) > 0 {
		n = copy(p, l.rest)
		if l.rest = l.rest[n:]; len(l.rest) == 0 {
			l.rest = nil
		}
	} else {
		n, err = l.Conn.Read(p)
	}
	good, headers := l.scan(p[:n])
	if wait := delay(l.headers, time.Now(), headers); wait > 0 {
		time.Sleep(wait) // at most one buffer of headers: well below a second per kilobyte
	}
	if good < n {
		l.state = linkTripped
		if good == 0 {
			return l.Read(p)
		}
		return good, nil
	}
	return n, err
}

// scan follows the frames in p and gives how many bytes of it come before a header
// that promises too much, and how many headers ended in it.
func (l *link) scan(p []byte) (good, headers int) {
	for i := 0; i < len(p); {
		if l.skip > 0 {
			n := min(l.skip, int64(len(p)-i))
			l.skip -= n
			i += int(n)
			continue
		}
		l.header[l.have] = p[i]
		l.have++
		i++
		if l.have < 2 {
			continue
		}
		need, short := 2, l.header[1]&0x7f
		switch short {
		case 126:
			need += 2
		case 127:
			need += 8
		}
		size := need
		if l.header[1]&0x80 != 0 {
			need += 4
		}
		if l.have < need {
			continue
		}
		headers++
		l.have = 0
		switch length := uint64(short); {
		case short == 126:
			l.skip = int64(binary.BigEndian.Uint16(l.header[2:size]))
		case short == 127:
			length = binary.BigEndian.Uint64(l.header[2:size])
			if length > uint64(l.limit) {
				return max(0, i-need), headers
			}
			l.skip = int64(length)
		default:
			l.skip = int64(length)
		}
		if l.skip > l.limit {
			return max(0, i-need), headers
		}
	}
	return len(p), headers
}

// drain reads on without keeping anything, until the peer goes or has had its
// time, so that the close code arrives before the reset.
func (l *link) drain(p []byte) error {
	if l.drained == 0 {
		if err := l.Conn.SetReadDeadline(time.Now().Add(drainTime)); err != nil {
			return err
		}
	}
	for l.drained < drainBytes {
		n, err := l.Conn.Read(p)
		l.drained += int64(n) + 1
		if err != nil {
			return err
		}
	}
	return errFrameSize
}

// hijacker hands the connection to the library as a link, with small buffers in
// place of the HTTP server's: commands are short, and of what is written only the
// head of a frame needs one, the rest is written without a copy (gather).
type hijacker struct {
	http.ResponseWriter
	limit int64
	link  *link
}

// readBuffer is the size of a connection's buffer for reading, in bytes; headRoom is that
// for writing. An idle spectator is mostly two stacks (make bench BENCH=joins).
const readBuffer = 1 << 8

// Hijack is called by the library's Accept.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.link = newLink(conn, h.limit)
	if n := rw.Reader.Buffered(); n > 0 {
		seen, err := rw.Reader.Peek(n)
		if err != nil {
			return nil, nil, errors.Join(err, conn.Close())
		}
		h.link.rest = append([]byte(nil), seen...)
	}
	if n := rw.Writer.Buffered(); n > 0 {
		return nil, nil, errors.Join(fmt.Errorf("%d bytes of the handshake are still to be written", n), conn.Close())
	}
	return h.link, bufio.NewReadWriter(bufio.NewReaderSize(h.link, readBuffer), bufio.NewWriterSize(h.link, headRoom)), nil
}

// delay takes n from a limiter at now and gives how long the taker has to wait. n may be
// more than the burst.
func delay(l *rate.Limiter, now time.Time, n int) (wait time.Duration) {
	for n > 0 {
		part := min(n, l.Burst())
		wait = l.ReserveN(now, part).DelayFrom(now)
		n -= part
	}
	return wait
}
