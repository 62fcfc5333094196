package model

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// These tests use real sockets, which synctest bubbles do not allow.

func dial(t *testing.T, url string, change ...func(*Config)) *Agents {
	t.Helper()
	cfg := Config{URL: url, Model: "m-1", Key: Key{secret}, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for _, c := range change {
		c(&cfg)
	}
	a, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestOverASocket(t *testing.T) {
	s := modeltest.New(modeltest.Calls("I look. ", "1", "remember", `{"area":"a","insight":"b"}`), modeltest.Says("So ", "it ", "is."))
	h := listen(t.Context(), dial(t, s.Serve(t)), request())
	if h.err != nil || h.text != "I look. So it is." || h.order() != "text tool insight end text" {
		t.Errorf("%q, %s, %v", h.text, h.order(), h.err)
	}
	if got := s.Requests()[0].Header.Get("Authorization"); got != "Bearer "+secret {
		t.Errorf("Authorization %q", got)
	}
	s.Then(modeltest.Says("a"))
	listen(t.Context(), dial(t, s.Serve(t), func(c *Config) { c.Key = Key{} }), request())
	if got, ok := s.Requests()[2].Header["Authorization"]; ok {
		t.Errorf("without a key the header is %q", got)
	}
}

// A turn sends its words and the key to the configured server alone; it follows no redirect.
func TestRedirectIsNotFollowed(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := modeltest.New(func(r *modeltest.Reply) {
			r.Header("Location", other.URL+"/v1/chat/completions")
			r.Status(status, "")
		})
		h := listen(t.Context(), dial(t, s.Serve(t)), request())
		h.failed(t, world.ChatModel, fmt.Sprint(status), "sends elsewhere, which is not followed")
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

func TestNobodyListens(t *testing.T) {
	const addr = "127.0.0.1:1" // a port that was released a moment ago can belong to another process by now
	waits := 0
	h := listen(t.Context(), dial(t, "http://"+addr+"/v1", func(c *Config) {
		c.Wait = func(context.Context, time.Duration) error { waits++; return nil }
	}), request())
	h.failed(t, world.ChatModel, addr, "refuses the connection")
	if waits != maxRetries {
		t.Errorf("waited %d times", waits)
	}
}

// Servers that do not speak HTTP, or break off, fail the turn with a sentence.
func TestRawAnswers(t *testing.T) {
	chunk := "data: {\"choices\":[{\"delta\":{\"content\":\"well, \"}}]}\n\n"
	for name, c := range map[string]struct{ answer, text, want string }{
		"no HTTP":          {"220 mail.test ESMTP " + secret + "\r\n", "", "cannot be used"},
		"nothing":          {"", "", "broke off before it said a word"},
		"cut in a header":  {"HTTP/1.1 200 OK\r\nContent-Ty", "", "cannot be used"},
		"cut in a body":    {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n" + chunk, "well, ", "broke off in the middle"},
		"a bad chunk":      {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk) + "zz\r\n", "well, ", "cannot be used"},
		"a huge header":    {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxReason) + "\r\n\r\n", "", "cannot be used"},
		"a status of ours": {"HTTP/1.1 401 " + secret + "\r\nContent-Length: 0\r\n\r\n", "", "answers 401 Unauthorized."},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					// Read the whole request first: an unread rest would reset the connection, possibly
					// before the client has read the answer.
					if q, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
						if _, err = io.Copy(io.Discard, q.Body); err == nil {
							_, err = conn.Write([]byte(c.answer))
						}
						if err != nil {
							t.Log(err)
						}
					}
					if err := conn.Close(); err != nil {
						t.Log(err)
					}
				}
			}()
			h := listen(t.Context(), dial(t, "http://"+l.Addr().String()+"/v1"), request())
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			<-done
			h.failed(t, world.ChatModel, c.want)
			if h.text != c.text {
				t.Errorf("kept %q", h.text)
			}
		})
	}
}

// A cancelled turn closes its connection, so that the server stops too.
func TestCancelHangsUp(t *testing.T) {
	left := make(chan struct{})
	s := modeltest.New(func(r *modeltest.Reply) {
		defer close(left)
		r.Say("well, ")
		r.Stall()
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := dial(t, s.Serve(t)).Driver(nil, world.Role{}).Run(ctx, request(), func(driver.Chunk) error {
		cancel()
		return ctx.Err()
	})
	<-left
	if err != context.Canceled {
		t.Errorf("it ends with %v", err)
	}
}

func TestNew(t *testing.T) {
	for url, want := range map[string]string{
		"":                                 "must begin with http",
		"localhost:11434/v1":               "must begin with http",
		"ftp://localhost/v1":               "must begin with http",
		"http:///v1":                       "must begin with http",
		"http://ada:hush-hush@localhost/":  "must not contain a user or a password",
		"http://localhost/v1?key=hush":     "must not contain a query",
		"http://localhost/v1#x":            "must not contain a query",
		"http://hush-hush\x00/":            "not a valid URL",
		"http://ada:hush-hush@local host/": "not a valid URL",
	} {
		_, err := New(Config{URL: url, Model: "m"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, name := range []string{"", " m", strings.Repeat("m", 300)} {
		if _, err := New(Config{URL: "http://localhost/v1", Model: name}); err == nil {
			t.Errorf("model %q is taken", name)
		}
	}
	for url, want := range map[string]string{
		"http://localhost:11434/v1/": "http://localhost:11434/v1", "https://api.test/v1/chat/completions": "https://api.test/v1",
	} {
		a, err := New(Config{URL: url, Model: "m"})
		if err != nil || a.url != want {
			t.Errorf("%s: %v", url, err)
		}
	}
	for url, want := range map[string]bool{"http://api.test/v1": true, "https://api.test/v1": false, "http://localhost:1/v1": false, "http://127.0.0.1/v1": false, "http://[::1]:1/v1": false} {
		a, err := New(Config{URL: url, Model: "m", Key: Key{secret}})
		if err != nil || a.Unencrypted() != want {
			t.Errorf("%s: bare %t, %v", url, a.Unencrypted(), err)
		}
	}
	a, err := New(Config{URL: "http://localhost/v1", Model: "qwen3:8b"})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := a.Driver(nil, world.Role{}).(driver.Modeled); !ok || m.Model() != "qwen3:8b" {
		t.Error("the model has no name")
	}
}
