package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"agentdungeon/server/app"
)

// hostToken is the hosts' token of the recorded server.
const hostToken = "the token of the recordings"

// moment is the duration of a step of a session on the clock of the synctest bubble.
const moment = 10 * time.Millisecond

// pipes is a listener in memory. A goroutine that waits for a pipe lets the clock of a synctest bubble advance; one
// that waits for a TCP connection would stop it.
type pipes struct {
	in     chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.in:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3001} }

// Close is called once, when the server stops.
func (p pipes) Close() error { close(p.closed); return nil }

// here is an end of a pipe with a loopback address.
type here struct{ net.Conn }

func (here) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50000} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.in <- here{theirs}:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// life is one run of a server on a worlds folder, in a bubble.
type life struct {
	t     *testing.T
	app   *app.App
	pipes pipes
}

// begin starts a server on a worlds folder. cast is the file of a script, "" for the scouts; pace overrides
// the pace of the realms.
func begin(t *testing.T, worlds, cast, pace string) *life {
	t.Helper()
	l := &life{t: t, pipes: pipes{make(chan net.Conn), make(chan struct{})}}
	a, err := app.Start(context.Background(), app.Config{
		Addr: "127.0.0.1:3001", Worlds: worlds, Script: cast, Pace: pace, Token: hostToken,
		Version: "recorded", Log: zerolog.Nop(),
		Listen: func(string) (net.Listener, error) { return l.pipes, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	l.app = a
	return l
}

func (l *life) end() {
	l.t.Helper()
	if n, err := l.app.Stop(); n != 0 || err != nil {
		l.t.Fatalf("stop: %d events not shown, %v", n, err)
	}
}

// spectatorToken returns the token of the spectators' link.
func (l *life) spectatorToken() string {
	for _, links := range l.app.Links() {
		for _, link := range links.Spectator {
			if _, token, ok := strings.Cut(link, "token="); ok {
				return token
			}
		}
	}
	l.t.Fatal("there is no link for spectators")
	return ""
}

// ask sends a request as a host and returns the status and the body.
func (l *life) ask(method, path, body string) (int, string) {
	l.t.Helper()
	req, err := http.NewRequest(method, "http://localhost:3001"+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+hostToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := (&http.Transport{DisableKeepAlives: true, DialContext: l.pipes.dial}).RoundTrip(req)
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		l.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// socket is a client that records the bytes of every frame.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
	in   chan []byte // closed with the connection
	kept [][]byte    // messages that the test has not taken yet
	code websocket.StatusCode
}

func (l *life) socket(token string) *socket {
	l.t.Helper()
	s := &socket{t: l.t, in: make(chan []byte, 1<<16)} // more than a step brings
	conn, _, err := websocket.Dial(context.Background(), "ws://localhost:3001/ws", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: l.pipes.dial}},
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	s.conn = conn
	go func() {
		defer close(s.in)
		for {
			_, data, err := conn.Read(context.Background())
			if err != nil {
				s.code = websocket.CloseStatus(err)
				return
			}
			s.in <- data
		}
	}()
	return s
}

func (s *socket) send(text string) {
	s.t.Helper()
	if err := s.conn.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
}

// until waits at most a minute for a frame of a type. The frames before it can still be read.
func (s *socket) until(kind string) {
	s.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case data, ok := <-s.in:
			if !ok {
				s.t.Fatalf("the connection ended before %s came", kind)
			}
			s.kept = append(s.kept, data)
			if bytes.Contains(data, []byte(`"type":"`+kind+`"`)) {
				return
			}
		case <-late:
			s.t.Fatalf("%s did not come in a minute", kind)
		}
	}
}

// frames returns the frames since the last call, with arrays of frames split, and whether the connection has
// ended.
func (s *socket) frames() (frames [][]byte, ended bool) {
	s.t.Helper()
	for more := true; more; {
		select {
		case data, ok := <-s.in:
			if more = ok; ok {
				s.kept = append(s.kept, data)
			} else {
				ended = true
			}
		default:
			more = false
		}
	}
	for _, data := range s.kept {
		if data = bytes.TrimSpace(data); data[0] != '[' {
			frames = append(frames, data)
			continue
		}
		var joined []json.RawMessage
		if err := json.Unmarshal(data, &joined); err != nil {
			s.t.Fatal(err)
		}
		for _, one := range joined {
			frames = append(frames, one)
		}
	}
	s.kept = nil
	return frames, ended
}

// pass advances the bubble's clock and waits until all goroutines are blocked.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// lay writes files into dir.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
