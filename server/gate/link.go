package gate

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// errFrameSize is the error of a frame whose header announces more bytes than the limit.
var errFrameSize = errors.New("the frame is too large")

// These constants limit how long and how much a link reads after a frame that is too large. The link reads on
// so that the peer gets the close code before a TCP reset, and it stops so that a peer cannot keep the server
// busy.
const (
	drainTime  = time.Second
	drainBytes = 64 << 20
)

// These constants limit the number of frames, of any kind, that the peer sends: headerRate in a second, headerBurst in
// one burst. The socket's own limiter does not see pings, pongs and empty fragments. If the peer sends more, the link
// delays its reads.
const (
	headerRate  = 1000
	headerBurst = 2000
)

// link is the TCP connection below a WebSocket. It parses the frame headers that it reads, so that a header
// that announces 100 MB ends the connection at once, before the payload comes. It can also cut the connection
// at any time. The library's CloseNow cannot: it waits for a Close that is under way, which may wait for the
// peer without limit.
type link struct {
	net.Conn
	limit int64
	rest  []byte // bytes that the HTTP server had already read

	once sync.Once

	// Only the goroutine that reads from the connection uses the fields from here to headers.
	header  [14]byte
	have    int
	skip    int64 // number of bytes of the current payload that have not come yet
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

// cut closes the connection without a close frame, whatever the library is doing.
func (l *link) cut() {
	// The error is dropped: nothing can be done about a connection that cannot be closed.
	l.once.Do(func() { _ = l.Conn.Close() })
}

// Close closes the connection, unless it is closed already. The library calls it.
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
		time.Sleep(wait) // the frames in one small buffer use few tokens, so the wait is far below a second
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

// scan parses the frame headers in p, the next bytes of the connection. The result good is the number of bytes before
// a header that announces too many bytes, or len(p) if there is none. headers is the number of headers that end in p.
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

// drain reads and discards what the peer sends until the peer closes the connection or a drain limit is
// reached. Without it, a TCP reset could overtake the close code.
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

// hijacker makes the WebSocket library use a link instead of the plain connection. The buffers of a link are smaller
// than those of the HTTP server, because commands are short and only the header of a written frame is copied into a
// buffer (see gather). hijacker also holds back the answer to a handshake until the gate writes the first frame,
// which it does at once: server:info, or the reason why the socket closes.
type hijacker struct {
	http.ResponseWriter
	limit  int64
	link   *link
	answer []byte
}

// WriteHeader implements http.ResponseWriter. The library calls it before Hijack to answer a handshake, and with other
// statuses if it refuses one.
func (h *hijacker) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		h.ResponseWriter.WriteHeader(status)
		return
	}
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	_ = h.Header().Write(&b) // a write to a bytes.Buffer never fails
	b.WriteString("\r\n")
	h.answer = b.Bytes()
}

// readBuffer is the size of a connection's read buffer in bytes. With buffers of this size, an idle socket
// needs most of its memory for the stacks of its two goroutines (make bench BENCH=joins).
const readBuffer = 1 << 8

// Hijack takes the connection from the HTTP server and returns it as a link (http.Hijacker). websocket.Accept calls
// it.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.link = newLink(conn, h.limit)
	h.link.out.answer = h.answer
	if n := rw.Reader.Buffered(); n > 0 {
		seen, err := rw.Reader.Peek(n)
		if err != nil {
			return nil, nil, errors.Join(err, conn.Close())
		}
		h.link.rest = append([]byte(nil), seen...)
	}
	if n := rw.Writer.Buffered(); n > 0 {
		return nil, nil, errors.Join(fmt.Errorf("the HTTP server did not write %d bytes of the handshake", n),
			conn.Close())
	}
	return h.link, bufio.NewReadWriter(bufio.NewReaderSize(h.link, readBuffer), bufio.NewWriterSize(h.link, headRoom)), nil
}

// delay takes n tokens from the limiter l and returns how long the caller has to wait for them. n may exceed
// the limiter's burst.
func delay(l *rate.Limiter, now time.Time, n int) (wait time.Duration) {
	for n > 0 {
		part := min(n, l.Burst())
		wait = l.ReserveN(now, part).DelayFrom(now)
		n -= part
	}
	return wait
}
