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

// errFrameSize reports a frame header with a length over the limit.
var errFrameSize = errors.New("the frame is too large")

// Limits of what is read from a connection after a frame that is too large. The peer should
// read the close code before a reset arrives, without keeping the server busy.
const (
	drainTime  = time.Second
	drainBytes = 64 << 20
)

// Frames of any kind that a connection may send, a second and at once. Pings, pongs and empty
// fragments do not reach the socket's own limiter. Beyond the limit the connection is read more
// slowly.
const (
	headerRate  = 1000
	headerBurst = 2000
)

// link is the TCP connection below a WebSocket. It reads frame headers as they pass, so that a
// header that announces 100 MB ends the connection at once and not after the bytes have come.
// And it can cut the connection in any state: the library's CloseNow waits for a Close under
// way, which may wait for the peer without limit.
type link struct {
	net.Conn
	limit int64
	rest  []byte // bytes that the HTTP server had already read

	once sync.Once

	// Only the connection's reader uses the fields below.
	header  [14]byte
	have    int
	skip    int64 // bytes of the current payload still to come
	state   int
	drained int64
	headers *rate.Limiter

	out gather // used only by Write, which the library serializes
}

func newLink(conn net.Conn, limit int64) *link {
	return &link{Conn: conn, limit: limit, headers: rate.NewLimiter(headerRate, headerBurst)}
}

const (
	linkOpen    = iota
	linkTripped // the next Read returns errFrameSize
	linkDrains  // further Reads discard data
)

// cut closes the connection, whatever the library is doing.
func (l *link) cut() {
	l.once.Do(func() { _ = l.Conn.Close() }) // an error here has no remedy
}

// Close implements net.Conn for the library.
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
		time.Sleep(wait) // at most for one buffer of headers: well below a second for a kilobyte
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

// scan follows the frames in p. It returns how many bytes precede a header over the limit (all
// if there is none) and how many headers ended in p.
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

// drain discards what the peer sends, within the limits, until the peer closes, so that the
// close code arrives before the reset.
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

// hijacker gives the connection to the library as a link, with small buffers in place of the
// HTTP server's. Commands are short, and of the frames that are written only the header needs a
// buffer (see gather).
type hijacker struct {
	http.ResponseWriter
	limit int64
	link  *link
}

// readBuffer is the size of a connection's read buffer in bytes. Most of the memory of an idle
// spectator is two stacks (make bench BENCH=joins).
const readBuffer = 1 << 8

// Hijack implements http.Hijacker for the library's Accept.
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
		return nil, nil, errors.Join(fmt.Errorf("the HTTP server has not written %d bytes of the handshake", n), conn.Close())
	}
	return h.link, bufio.NewReadWriter(bufio.NewReaderSize(h.link, readBuffer), bufio.NewWriterSize(h.link, headRoom)), nil
}

// delay takes n tokens from a limiter and returns how long the caller has to wait. n may exceed
// the burst.
func delay(l *rate.Limiter, now time.Time, n int) (wait time.Duration) {
	for n > 0 {
		part := min(n, l.Burst())
		wait = l.ReserveN(now, part).DelayFrom(now)
		n -= part
	}
	return wait
}
