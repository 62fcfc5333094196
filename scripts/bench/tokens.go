package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// screens is how many people watch a chat.
const screens = 10

// stampMark begins a token of the model server; stampDigits digits follow, the
// nanoseconds from the server's start to when the token was sent.
const (
	stampMark   = '~'
	stampDigits = 13
)

// modelServer answers as a model's server does, at a steady pace, with tokens that say
// when they were sent. It lives in this process, because so do those who take the time.
type modelServer struct {
	base    time.Time
	pace    int // tokens a second
	tokens  int // of each answer
	server  *http.Server
	address string
}

func newModelServer() (*modelServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &modelServer{base: time.Now(), address: "http://" + l.Addr().String() + "/v1"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.answer)
	m.server = &http.Server{Handler: mux}
	go func() { _ = m.server.Serve(l) }() // it ends when the server is closed, and says so
	return m, nil
}

func (m *modelServer) answer(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // who asked has gone
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	say := func(delta, reason string) bool {
		_, err := fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, reason)
		return err == nil && out.Flush() == nil
	}
	begin := time.Now()
	for i := range m.tokens {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(m.pace))))
		if !say(fmt.Sprintf(`{"content":"%c%0*d "}`, stampMark, stampDigits, time.Since(m.base)), "null") {
			return
		}
	}
	if say("{}", `"stop"`) {
		_, _ = io.WriteString(w, "data: [DONE]\n\n") // who asked may have gone already
	}
}

// stamps are the arrivals of one screen.
type stamps struct {
	base time.Time
	last int64 // a token's words come again with its whole message
	took []time.Duration
}

// add notes the tokens of a frame that have not come before.
func (s *stamps) add(frame []byte) {
	now := int64(time.Since(s.base))
	for {
		at := bytes.IndexByte(frame, stampMark)
		if at < 0 || len(frame) < at+1+stampDigits {
			return
		}
		frame = frame[at+1:]
		if sent, err := strconv.ParseInt(string(frame[:stampDigits]), 10, 64); err == nil && sent > s.last {
			s.last = sent
			s.took = append(s.took, time.Duration(now-sent))
		}
	}
}

// tokens is from a model server's token to ten screens: the model's stream, the realm,
// the chat's journal, ten WebSockets. Words of an answer are joined to 30 frames a
// second, so a token of a quick model waits for up to 33 ms on purpose.
func (b *bench) tokens(ctx context.Context) (_ []figure, err error) {
	m, err := newModelServer()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.server.Close()) }()
	worlds, err := b.folder()
	if err != nil {
		return nil, err
	}
	ours, err := start(ctx, b.dir, b.server, "-worlds", worlds, "-addr", "127.0.0.1:0", "-log-level", "error", "-repo", b.repo,
		"-model-url", m.address, "-model", "bench")
	if err != nil {
		return nil, err
	}
	defer ours.kill()
	people, err := gather(screens, spectate(ours.addr))
	if err != nil {
		return nil, err
	}
	defer people.close()
	chat, err := beginChat(people.sockets[0])
	if err != nil {
		return nil, err
	}
	var out []figure
	for i, pace := range []struct {
		perSecond int
		joined    string
	}{
		{20, "each shown at once"},
		{100, "joined to 30 frames a second, which is up to 33 ms of it"},
	} {
		name := fmt.Sprintf("token to %d screens, a model of %d tokens/s (%s), ", screens, pace.perSecond, pace.joined)
		p50 := figure{name: name + "p50", unit: seconds, bare: fmt.Sprintf("%d HTTP clients read the model's stream, p50", screens)}
		p99 := figure{name: name + "p99", unit: seconds, bare: fmt.Sprintf("%d HTTP clients read the model's stream, p99", screens)}
		m.pace, m.tokens = pace.perSecond, pace.perSecond*int(b.during.Seconds())
		for run := range b.fewRuns() {
			if err := b.breathe(ctx); err != nil {
				return nil, err
			}
			took, err := m.watch(people, chat, fmt.Sprintf("say%d-%d", i, run))
			if err != nil {
				return nil, err
			}
			limit, err := m.read(ctx)
			if err != nil {
				return nil, err
			}
			p50.ours, p50.limit = append(p50.ours, percentile(took, 50)), append(p50.limit, percentile(limit, 50))
			p99.ours, p99.limit = append(p99.ours, percentile(took, 99)), append(p99.limit, percentile(limit, 99))
		}
		out = append(out, p50, p99)
	}
	return out, nil
}

// beginChat begins a chat with an agent that the model plays, and gives its id.
func beginChat(s *socket) (string, error) {
	const started = `"type":"conversation.started"`
	if err := s.send(`{"type":"conversation.start","kind":"chat","templateId":"standard_brainstorm","memberIds":["ideator"],"requestId":"begin"}`); err != nil {
		return "", err
	}
	p, err := s.until(started, `"type":"error"`)
	if err != nil {
		return "", err
	}
	_, after, _ := strings.Cut(string(p), started)
	_, after, _ = strings.Cut(after, `"conversationId":"`)
	id, _, ok := strings.Cut(after, `"`)
	if !ok {
		return "", fmt.Errorf("begin a chat: %.300s", p)
	}
	return id, nil
}

// watch has the first person ask and everybody see the answer.
func (m *modelServer) watch(people *crowd, chat, request string) ([]time.Duration, error) {
	seen, failed := make([]stamps, screens), make([]error, screens)
	var wg sync.WaitGroup
	for i, s := range people.sockets {
		if err := s.c.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return nil, err
		}
		seen[i] = stamps{base: m.base, last: int64(time.Since(m.base))}
		wg.Go(func() {
			// The end of the run, not only of its words: the next one is another.
			for over := false; !over && failed[i] == nil; {
				var p []byte
				if p, failed[i] = s.frame(); failed[i] != nil {
					return
				}
				seen[i].add(p)
				over = bytes.Contains(p, []byte(`"type":"chat.done"`))
				if bytes.Contains(p, []byte(`"type":"chat.error"`)) || bytes.Contains(p, []byte(`"type":"error"`)) {
					failed[i] = fmt.Errorf("the chat: %.300s", p)
				}
			}
		})
	}
	err := people.sockets[0].send(`{"type":"chat.send","conversationId":%q,"content":"Tell me.","requestId":%q}`, chat, request)
	if err != nil {
		for _, s := range people.sockets {
			s.close()
		}
	}
	wg.Wait()
	return m.together(seen, errors.Join(append(failed, err)...))
}

// read has as many HTTP clients read an answer each as there are screens.
func (m *modelServer) read(ctx context.Context) ([]time.Duration, error) {
	seen, failed := make([]stamps, screens), make([]error, screens)
	var wg sync.WaitGroup
	for i := range seen {
		seen[i].base = m.base
		wg.Go(func() { failed[i] = seen[i].stream(ctx, m.address+"/chat/completions") })
	}
	wg.Wait()
	return m.together(seen, errors.Join(failed...))
}

func (s *stamps) stream(ctx context.Context, address string) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadSlice('\n')
		s.add(line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// together are the arrivals of all screens; each must have had every token.
func (m *modelServer) together(seen []stamps, err error) ([]time.Duration, error) {
	var out []time.Duration
	for i := range seen {
		if err == nil && len(seen[i].took) != m.tokens {
			err = fmt.Errorf("%d of %d tokens came to screen %d", len(seen[i].took), m.tokens, i)
		}
		out = append(out, seen[i].took...)
	}
	return out, err
}
