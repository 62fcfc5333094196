package e2e

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// raw is a WebSocket client that writes bytes itself, so that no library corrects them.
type raw struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

const handshake = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

func dial(t *testing.T, addr string) *raw {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(Patience)); err != nil { // against a hang
		t.Fatal(err)
	}
	return &raw{t: t, conn: conn, in: bufio.NewReader(conn)}
}

// upgrade opens a WebSocket.
func upgrade(t *testing.T, addr string) *raw {
	t.Helper()
	r := dial(t, addr)
	r.write([]byte(handshake))
	if status := r.head(); !strings.Contains(status, "101") {
		t.Fatalf("handshake: %s", status)
	}
	return r
}

// head reads the status line and the headers of a response.
func (r *raw) head() string {
	r.t.Helper()
	status := ""
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			return status
		}
		if status == "" {
			status = strings.TrimSpace(line)
		}
		if line == "\r\n" {
			return status
		}
	}
}

// write sends bytes and ignores errors, because the server may have closed the connection already.
func (r *raw) write(b []byte) {
	_, _ = r.conn.Write(b)
}

func (r *raw) hello() {
	r.t.Helper()
	r.write(clientFrame(0x81, []byte(`{"type":"hello","protocol":1}`)))
	r.until(`"type":"overlays"`)
}

// clientFrame returns a frame as a client sends it, masked with zeros.
func clientFrame(first byte, payload []byte) []byte {
	return append(header(first, 0x80, uint64(len(payload))), append(make([]byte, 4), payload...)...)
}

func header(first, masked byte, length uint64) []byte {
	switch {
	case length < 126:
		return []byte{first, masked | byte(length)}
	case length < 1<<16:
		return binary.BigEndian.AppendUint16([]byte{first, masked | 126}, uint16(length))
	default:
		return binary.BigEndian.AppendUint64([]byte{first, masked | 127}, length)
	}
}

func (r *raw) frame() (first byte, payload []byte, err error) {
	var h [2]byte
	if _, err := io.ReadFull(r.in, h[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(h[1])
	switch h[1] {
	case 126:
		var b [2]byte
		_, err = io.ReadFull(r.in, b[:])
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, err = io.ReadFull(r.in, b[:])
		size = binary.BigEndian.Uint64(b[:])
	}
	if err != nil || size > 64<<20 {
		return 0, nil, errors.Join(err, fmt.Errorf("a frame of %d bytes", size))
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(r.in, payload)
	if err == nil && h[0]&0xf == 9 { // a ping
		r.write(clientFrame(0x8a, payload))
	}
	return h[0], payload, err
}

// until reads until a frame contains part, and returns it.
func (r *raw) until(part string) string {
	r.t.Helper()
	for {
		_, payload, err := r.frame()
		if err != nil {
			r.t.Fatalf("%s never came: %v", part, err)
		}
		if strings.Contains(string(payload), part) {
			return string(payload)
		}
	}
}

// closed reads to the end and returns the close code, 1006 if the connection broke without one.
func (r *raw) closed() int {
	r.t.Helper()
	for {
		first, payload, err := r.frame()
		var timeout net.Error
		switch {
		case errors.As(err, &timeout) && timeout.Timeout():
			r.t.Fatal("the server does not close")
		case err != nil:
			return 1006
		case first&0xf == 8 && len(payload) >= 2:
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}
