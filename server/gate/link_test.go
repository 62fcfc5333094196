package gate

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// chunked is a connection that returns one of its parts with each Read.
type chunked struct {
	net.Conn
	parts [][]byte
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.parts[0])
	if c.parts[0] = c.parts[0][n:]; len(c.parts[0]) == 0 {
		c.parts = c.parts[1:]
	}
	return n, nil
}

func (c *chunked) SetReadDeadline(time.Time) error { return nil }

// stream returns five valid frames, then one that is too large, then others.
func stream() (good, all []byte) {
	for _, size := range []int{0, 1, 125, 126, 1000} {
		good = append(good, clientFrame(0x81, bytes.Repeat([]byte("x"), size))...)
	}
	good = append(good, append(header(0x81, 0, 3), "abc"...)...) // unmasked: the library's to refuse
	all = append(append([]byte{}, good...), clientFrame(0x81, bytes.Repeat([]byte("y"), 1001))...)
	return good, append(all, clientFrame(0x81, []byte("more"))...)
}

// Wherever the packets split, Read returns the bytes before the header of the frame that is too large
// (except for a part of that header), then the error once, then nothing.
func TestLinkSplitsAnywhere(t *testing.T) {
	good, all := stream()
	for cut := range len(all) {
		for _, size := range []int{1, 7, 4096} {
			var parts [][]byte
			for _, part := range [][]byte{all[:cut], all[cut:]} {
				for len(part) > 0 {
					n := min(size, len(part))
					parts, part = append(parts, part[:n]), part[n:]
				}
			}
			l := &link{Conn: &chunked{parts: parts}, limit: 1000, headers: rate.NewLimiter(rate.Inf, 1)}
			got, err := io.ReadAll(l)
			if !errors.Is(err, errFrameSize) {
				t.Fatalf("cut at %d in packets of %d: %v", cut, size, err)
			}
			if !bytes.HasPrefix(got, good) || len(got) > len(good)+7 || !bytes.HasPrefix(all, got) {
				t.Fatalf("cut at %d in packets of %d: %d bytes came through, want %d", cut, size, len(got), len(good))
			}
			if n, err := l.Read(make([]byte, 10)); n != 0 || err == nil {
				t.Fatalf("after it %d bytes came, %v", n, err)
			}
			if left := len(l.Conn.(*chunked).parts); left != 0 {
				t.Fatalf("%d packets were left unread: a reset would overtake the close code", left)
			}
		}
	}
}

func FuzzLink(f *testing.F) {
	good, all := stream()
	f.Add(good, 3)
	f.Add(all, 100)
	f.Add(append(header(0x81, 0x80, 1<<63), 0, 0, 0, 0), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = 1 + (size&0xff+0x100)&0xff
		var parts [][]byte
		for rest := data; len(rest) > 0; {
			n := min(size, len(rest))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		l := &link{Conn: &chunked{parts: parts}, limit: 1000, headers: rate.NewLimiter(rate.Inf, 1)}
		got, err := io.ReadAll(l)
		if !bytes.HasPrefix(data, got) || err == nil && len(got) != len(data) {
			t.Errorf("%d of %d bytes came through, %v", len(got), len(data), err)
		}
		whole := &link{Conn: &chunked{parts: [][]byte{data}}, limit: 1000, headers: rate.NewLimiter(rate.Inf, 1)}
		if _, again := io.ReadAll(whole); (again == nil) != (err == nil) {
			t.Errorf("in packets of %d: %v, in one: %v", size, err, again)
		}
	})
}

// A link returns the bytes of the first frames that the HTTP server had read already.
func TestLinkServesWhatWasReadBefore(t *testing.T) {
	frame := clientFrame(0x81, []byte("abc"))
	l := newLink(&chunked{parts: [][]byte{frame[3:], clientFrame(0x81, nil)}}, 1000)
	l.rest = frame[:3]
	got, err := io.ReadAll(l)
	if err != nil || !bytes.Equal(got, append(frame, clientFrame(0x81, nil)...)) {
		t.Errorf("%x %v", got, err)
	}
}

// The link reads more slowly during a flood of frames that do not reach the socket, such as pings and empty
// fragments.
func TestLinkSlowsAFloodOfHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ping := clientFrame(0x89, nil)
		l := newLink(&chunked{parts: [][]byte{bytes.Repeat(ping, 12_000)}}, 1000)
		began := time.Now()
		if _, err := io.Copy(io.Discard, l); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began).Round(time.Second); d != 10*time.Second {
			t.Errorf("12,000 pings were read in %v", d)
		}
	})
}

func TestBucket(t *testing.T) {
	b := rate.NewLimiter(10, 5)
	now := time.Unix(0, 0)
	for i := range 5 {
		if w := delay(b, now, 1); w != 0 {
			t.Errorf("token %d: wait %v", i, w)
		}
	}
	if w := delay(b, now, 1); w != 100*time.Millisecond {
		t.Errorf("the sixth waits %v", w)
	}
	now = now.Add(time.Hour)
	for range 5 {
		delay(b, now, 1)
	}
	if w := delay(b, now, 1); w == 0 {
		t.Error("an hour saved up more than the burst")
	}
	if w := delay(b, now.Add(-time.Hour), 0); w < 0 {
		t.Errorf("a clock that goes back gives %v", w)
	}
	if w := delay(rate.NewLimiter(10, 5), now, 25); w != 2*time.Second {
		t.Errorf("25 at once, five times the burst, wait %v", w)
	}
}
