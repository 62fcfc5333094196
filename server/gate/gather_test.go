package gate

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

// pieces is a connection that records each Write.
type pieces struct {
	net.Conn
	calls [][]byte
}

func (p *pieces) Write(b []byte) (int, error) {
	p.calls = append(p.calls, bytes.Clone(b))
	return len(b), nil
}

// Frames of every length reach the connection byte for byte as the library wrote them. No part of a
// frame is held back after the library has flushed it.
func TestGatherKeepsEveryByte(t *testing.T) {
	for _, n := range []int{0, 1, 13, 14, 15, 16, 17, 31, 32, 33, 125, 126, 127, 1000, 1280, 65_535, 65_536, 200_000} {
		conn := &pieces{}
		l := &link{Conn: conn}
		var want []byte
		out := bufio.NewWriterSize(l, headRoom)
		for frame := range 3 {
			head := serverHeader(n)
			payload := bytes.Repeat([]byte{byte('a' + frame)}, n)
			for _, b := range head[:2] { // as the library: two bytes, then the length
				if err := out.WriteByte(b); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := out.Write(head[2:]); err != nil {
				t.Fatal(err)
			}
			if m, err := out.Write(payload); m != n || err != nil {
				t.Fatalf("a payload of %d: wrote %d, %v", n, m, err)
			}
			if err := out.Flush(); err != nil {
				t.Fatal(err)
			}
			want = append(append(want, head...), payload...)
			if got := slices.Concat(conn.calls...); !bytes.Equal(got, want) {
				t.Fatalf("a payload of %d, frame %d: %d bytes were written, want %d", n, frame, len(got), len(want))
			}
		}
	}
}

// serverHeader returns the header of an unmasked text frame.
func serverHeader(n int) []byte {
	switch {
	case n < 126:
		return []byte{0x81, byte(n)}
	case n < 1<<16:
		return []byte{0x81, 126, byte(n >> 8), byte(n)}
	}
	return []byte{0x81, 127, 0, 0, 0, 0, 0, byte(n >> 16), byte(n >> 8), byte(n)}
}

// countingListener accepts connections that count calls of Write in writes. Several pieces that are written with one
// system call (net.Buffers) do not call Write.
type countingListener struct {
	net.Listener
	writes *atomic.Int64
}

type countingConn struct {
	*net.TCPConn
	writes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConn{c.(*net.TCPConn), l.writes}, nil
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(p)
}

// The answer to a handshake goes to the client with the first frame, with one system call, and with the header fields
// that the handler has set.
func TestHandshakeIsAnsweredWithTheFirstFrame(t *testing.T) {
	var writes atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Set-Before", "yes")
		c, err := websocket.Accept(&hijacker{ResponseWriter: w, limit: 1 << 20}, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		if err := c.Write(r.Context(), websocket.MessageText, []byte("the first frame is here")); err != nil {
			t.Error(err)
		}
		c.CloseRead(r.Context())
	}))
	server.Listener = countingListener{server.Listener, &writes}
	server.Start()
	defer server.Close()
	c, answer, err := websocket.Dial(context.Background(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	if got := answer.Header.Get("X-Set-Before"); got != "yes" {
		t.Errorf("the handler's field came as %q", got)
	}
	if _, data, err := c.Read(context.Background()); string(data) != "the first frame is here" || err != nil {
		t.Errorf("the first frame is %q, %v", data, err)
	}
	if n := writes.Load(); n != 0 {
		t.Errorf("%d writes besides the one of several pieces", n)
	}
}

// Frames of every length arrive complete over a real connection, between pings and before the close frame.
func TestGatherOverTheLibrary(t *testing.T) {
	sizes := []int{0, 5, 14, 20, 125, 126, 1300, 70_000, 1 << 20}
	served := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(&hijacker{ResponseWriter: w, limit: 1 << 20}, r, nil)
		if err != nil {
			served <- err
			return
		}
		closed := c.CloseRead(r.Context())
		for i, n := range sizes {
			err = c.Write(r.Context(), websocket.MessageText, bytes.Repeat([]byte{byte('a' + i)}, n))
			if err == nil {
				err = c.Ping(closed)
			}
			if err != nil {
				break
			}
		}
		served <- err
		_ = c.Close(websocket.StatusNormalClosure, "the end") // the client reads its code
	}))
	defer server.Close()
	c, _, err := websocket.Dial(context.Background(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetReadLimit(2 << 20)
	for i, n := range sizes {
		_, data, err := c.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, bytes.Repeat([]byte{byte('a' + i)}, n)) {
			t.Errorf("a frame of %d came with %d bytes", n, len(data))
		}
	}
	if _, _, err := c.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the socket ends with %v", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
