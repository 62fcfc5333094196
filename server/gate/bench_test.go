package gate

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// BenchmarkIdleSpectator measures the heap and the stacks of one spectator who is attached, registered
// and idle. Both ends of the connection are in this process; the client's end is a bare TCP connection.
// The aim is less than 30 KB.
func BenchmarkIdleSpectator(b *testing.B) {
	const people = 1000
	realms := newRealms("r1")
	g := New(Config{Tenants: of1(realms), Key: testKey, Log: zerolog.Nop()})
	g.SetReady()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := g.Server()
	go func() { _ = server.Serve(l) }() // ends with the close below
	defer func() {
		if err := g.Shutdown(b.Context()); err != nil {
			b.Error(err)
		}
		_ = server.Close()
	}()
	memory := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	for b.Loop() {
		before := memory()
		var conns []net.Conn
		for i := range people {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			conns = append(conns, conn)
			register := clientFrame(0x81, fmt.Appendf(nil, `{"type":"spectator:register","name":"person %d","color":"#aabbcc"}`, i))
			if _, err := conn.Write(append(append([]byte(handshake), hello...), register...)); err != nil {
				b.Fatal(err)
			}
			if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				b.Fatal(err)
			}
			readTo(b, conn, "spectator:welcome")
		}
		b.ReportMetric(float64(memory()-before)/people, "B/spectator")
		for _, conn := range conns {
			_ = conn.Close()
		}
		for g.Stats().Sockets > 0 {
			runtime.Gosched()
		}
	}
}

// readTo reads until mark has arrived.
func readTo(b *testing.B, r io.Reader, mark string) {
	b.Helper()
	seen := 0
	var one [1]byte
	for seen < len(mark) {
		if _, err := r.Read(one[:]); err != nil {
			b.Fatal(err)
		}
		if one[0] == mark[seen] {
			seen++
		} else if seen = 0; one[0] == mark[0] {
			seen = 1
		}
	}
}
