package gate

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
)

// raw is a TCP connection to the gate. Tests write bytes to it directly, because a WebSocket library would refuse to
// send invalid frames.

type raw struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// listen serves a gate on a real port until the test ends.
func listen(t *testing.T, realms *fakeRealms) (*Gate, string) {
	t.Helper()
	g := New(Config{Tenants: of1(realms), Key: testKey, Port: 3001, Log: zerolog.Nop()})
	g.SetReady()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := g.Server()
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serve: %v", err)
		}
	}()
	t.Cleanup(func() {
		if err := g.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
			t.Errorf("shut down: %v", err)
		}
		if err := server.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		<-served
	})
	return g, l.Addr().String()
}

const handshake = "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// upgrade opens a socket. It sends the bytes in more together with the request, in one packet.
func upgrade(t *testing.T, addr string, more ...byte) *raw {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil { // against a hang, not a measure
		t.Fatal(err)
	}
	r := &raw{t: t, conn: conn, in: bufio.NewReader(conn)}
	r.write(append([]byte(handshake), more...))
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			t.Fatalf("handshake: %v", err)
		}
		if line == "\r\n" {
			return r
		}
	}
}

func (r *raw) write(b []byte) {
	r.t.Helper()
	if _, err := r.conn.Write(b); err != nil {
		r.t.Fatalf("write: %v", err)
	}
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

// frame reads a frame of the server. It answers pings, so that a long test stays connected.
func (r *raw) frame() (first byte, payload []byte, err error) {
	for {
		first, payload, err = r.anyFrame()
		if err != nil || first&0xf != 9 {
			return first, payload, err
		}
		_, _ = r.conn.Write(clientFrame(0x8a, payload)) // the connection may be closing
	}
}

func (r *raw) anyFrame() (first byte, payload []byte, err error) {
	var h [2]byte
	if _, err := io.ReadFull(r.in, h[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(h[1])
	switch h[1] {
	case 126:
		var b [2]byte
		if _, err := io.ReadFull(r.in, b[:]); err != nil {
			return 0, nil, err
		}
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		if _, err := io.ReadFull(r.in, b[:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(b[:])
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(r.in, payload)
	return h[0], payload, err
}

// closeCode reads up to the close frame and returns its code.
func (r *raw) closeCode() int {
	r.t.Helper()
	for {
		first, payload, err := r.frame()
		if err != nil {
			r.t.Fatalf("no close frame came: %v", err)
		}
		if first&0xf == 8 {
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}

// until reads frames up to one that contains part.
func (r *raw) until(part string) {
	r.t.Helper()
	for {
		_, payload, err := r.frame()
		if err != nil {
			r.t.Fatalf("waiting for %s: %v", part, err)
		}
		if strings.Contains(string(payload), part) {
			return
		}
	}
}

var hello = clientFrame(0x81, []byte(`{"type":"hello","protocol":1}`))

// A malformed frame closes its sender's socket with a close code. Another viewer gets every frame in order,
// on the same socket.
func TestMalformedFramesCloseTheSenderOnly(t *testing.T) {
	realms := newRealms("r1")
	g, addr := listen(t, realms)
	viewer := upgrade(t, addr, hello...) // the hello comes in one packet with the handshake
	viewer.until("overlays")

	text := []byte(`{"type":"player:list-realms"}`)
	big := make([]byte, 50<<20)
	for i := range big {
		big[i] = 'x'
	}
	for n, c := range []struct {
		name string
		send []byte
		code int
	}{
		{"reserved opcode 3", clientFrame(0x83, text), 1002},
		{"reserved opcode 7", clientFrame(0x87, text), 1002},
		{"reserved control opcode 11", clientFrame(0x8b, text), 1002},
		{"reserved control opcode 15", clientFrame(0x8f, text), 1002},
		{"RSV1 without an extension", clientFrame(0xc1, text), 1002},
		{"RSV2", clientFrame(0xa1, text), 1002},
		{"RSV3", clientFrame(0x91, text), 1002},
		{"unmasked text", append(header(0x81, 0, uint64(len(text))), text...), 1002},
		{"a continuation of nothing", clientFrame(0x80, text), 1002},
		{"a new message inside a message", append(clientFrame(0x01, text), clientFrame(0x81, text)...), 1002},
		{"a fragmented ping", clientFrame(0x09, nil), 1002},
		{"a ping of 126 bytes", clientFrame(0x89, make([]byte, 126)), 1002},
		{"a close of one byte", clientFrame(0x88, []byte{3}), 1002},
		{"a close with code 1005", clientFrame(0x88, []byte{0x03, 0xed}), 1002},
		{"invalid UTF-8", clientFrame(0x81, []byte("{\"type\":\"\xc3\x28\"}")), 1007},
		{"UTF-8 of a surrogate", clientFrame(0x81, []byte("{\"type\":\"\xed\xa0\x80\"}")), 1007},
		{"binary", clientFrame(0x82, text), 1003},
		{"a header that promises 100 MB and no more", append(header(0x81, 0x80, 100<<20), 0, 0, 0, 0), 1009},
		{"a header that promises 100 MB and a little of it", append(header(0x81, 0x80, 100<<20), make([]byte, 5000)...), 1009},
		{"a header that promises 8 EB", append(header(0x81, 0x80, 1<<62), 0, 0, 0, 0), 1009},
		{"a negative length", append(header(0x81, 0x80, 1<<63), 0, 0, 0, 0), 1009},
		{"one byte over the limit", clientFrame(0x81, big[:wire.MaxFrame+1]), 1009},
		{"a frame of 50 MB", clientFrame(0x81, big), 1009},
		{"fragments over the limit", append(clientFrame(0x01, big[:40<<10]), clientFrame(0x80, big[:40<<10])...), 1009},
		{"plain text, not frames", []byte("GET / HTTP/1.1\r\n\r\n"), 1002},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := upgrade(t, addr, hello...)
			bad.until("overlays")
			go func() { _, _ = bad.conn.Write(c.send) }() // the connection may be cut during the write
			if got := bad.closeCode(); got != c.code {
				t.Errorf("closed with %d, want %d", got, c.code)
			}
			realms.known["r1"].show(fmt.Sprintf(`{"type":"x","n":%d,"e":0}`, n))
			first, payload, err := viewer.frame()
			if err != nil || first != 0x81 || string(payload) != fmt.Sprintf(`{"type":"x","n":%d,"e":0}`, n) {
				t.Errorf("the other viewer got %x %s %v", first, payload, err)
			}
			viewer.write(clientFrame(0x81, text))
			viewer.until("realm:list")
		})
	}
	if n := g.Stats().Sockets; n < 1 {
		t.Errorf("%d sockets are left", n)
	}
}

// A valid frame before a malformed one is executed, wherever the packets split.
func TestFramesBeforeAMalformedOneCount(t *testing.T) {
	_, addr := listen(t, newRealms("r1"))
	for _, split := range []int{0, 1, 5, 40} {
		r := upgrade(t, addr)
		all := append(clientFrame(0x81, []byte(`{"type":"player:list-realms"}`)), append(header(0x81, 0x80, 100<<20), 0, 0, 0, 0)...)
		r.write(all[:split])
		r.write(all[split:])
		r.until("realm:list")
		if code := r.closeCode(); code != 1009 {
			t.Errorf("split at %d: closed with %d", split, code)
		}
	}
}

// Invalid handshakes and a flood of pings do not affect other sockets.
func TestBadHandshakes(t *testing.T) {
	g, addr := listen(t, newRealms("r1"))
	for name, request := range map[string]string{
		"no upgrade":      "GET /ws HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"another version": strings.Replace(handshake, "Version: 13", "Version: 8", 1),
		"no key":          strings.Replace(handshake, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", "", 1),
		"a POST":          strings.Replace(handshake, "GET", "POST", 1),
		"foreign Origin":  strings.Replace(handshake, "\r\n\r\n", "\r\nOrigin: http://attacker.example\r\n\r\n", 1),
		"foreign Host":    strings.Replace(handshake, "Host: localhost", "Host: attacker.example", 1),
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "HTTP/1.1 4") {
			t.Errorf("%s: %q %v", name, line, err)
		}
		_ = conn.Close()
	}
	s := g.Stats()
	if s.Sockets != 0 || s.Waiting != 0 || s.Refused != 6 {
		t.Errorf("stats %+v", s)
	}
}
