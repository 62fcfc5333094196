package main

import (
	"bufio"
	"bytes"
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

// screens is the number of clients that watch a chat.
const screens = 10

// stampMark begins a token of the model server. stampDigits digits follow: the time at which
// the token was sent, in nanoseconds since the server's start.
const (
	stampMark   = '~'
	stampDigits = 13
)

// modelServer stands in for the server of a language model. It sends tokens at a steady pace; each
// contains the time of its sending. It runs in this process, so that senders and readers use the
// same clock.
type modelServer struct {
	base    time.Time
	pace    int // tokens a second
	tokens  int // of each answer
	address string
}

func (b *bench) newModelServer() *modelServer {
	l := get(net.Listen("tcp", "127.0.0.1:0"))
	m := &modelServer{base: time.Now(), address: "http://" + l.Addr().String() + "/v1"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.answer)
	server := &http.Server{Handler: mux}
	b.after(func() { must(server.Close()) })
	go func() { _ = server.Serve(l) }() // ends with ErrServerClosed
	return m
}

func (m *modelServer) answer(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the client has disconnected
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	say := func(delta, reason string) bool {
		const chunk = `data: {"id":"c","object":"chat.completion.chunk","model":"bench",` +
			`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
		_, err := fmt.Fprintf(w, chunk, delta, reason)
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
		_, _ = io.WriteString(w, "data: [DONE]\n\n") // the client may have disconnected
	}
}

// stamps holds the delays of the tokens at one screen.
type stamps struct {
	base time.Time
	last int64 // newest stamp so far; the final message repeats all tokens, and add ignores the repeated ones
	took []time.Duration
}

// add records the delay of each token of a frame that has not come before.
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

// tokens measures the delay of a token from the model server to ten screens: through the
// model's stream, the realm, the journal and ten WebSockets. The server sends at most 30 frames
// a second of an answer, so a token of a quick model waits up to 33 ms by design.
func (b *bench) tokens() {
	m := b.newModelServer()
	ours := b.linked("-model-url", m.address, "-model", "bench")
	people := b.gather(screens, spectate(ours.addr)).sockets
	chat, run := beginChat(people[0]), 0
	for _, pace := range []struct {
		perSecond int
		joined    string
	}{
		{20, "each shown at once"},
		{100, "joined to 30 frames a second, which is up to 33 ms of it"},
	} {
		add := b.percentiles(noAim, fmt.Sprintf("%d HTTP clients read the model's stream, ", screens),
			"token to %d screens, a model of %d tokens/s (%s), ", screens, pace.perSecond, pace.joined)
		m.pace, m.tokens = pace.perSecond, pace.perSecond*int(b.during.Seconds())
		b.times(b.few(), func() {
			run++
			say := fmt.Sprintf(`{"type":"chat.send","conversationId":%q,"content":"Tell me.","requestId":"say%d"}`, chat, run)
			took := m.seen(func(s *stamps, i int) error { return s.watch(people[i], i == 0, say) })
			add(took, m.seen(func(s *stamps, _ int) error { return s.stream(m.address + "/chat/completions") }))
		})
	}
}

// beginChat begins a chat with an agent that the model plays, and returns its id.
func beginChat(s *socket) string {
	const started = `"type":"conversation.started"`
	must(s.send(`{"type":"conversation.start","kind":"chat","templateId":"standard_brainstorm","memberIds":["ideator"],"requestId":"begin"}`))
	p := get(s.until(started, `"type":"error"`))
	_, after, _ := strings.Cut(string(p), started)
	_, after, _ = strings.Cut(after, `"conversationId":"`)
	id, _, ok := strings.Cut(after, `"`)
	if !ok {
		must(fmt.Errorf("the server did not begin a chat: %.300s", p))
	}
	return id
}

// seen runs look once for each screen, all at the same time, and returns the delays of the
// tokens. It fails unless each screen has received every token.
func (m *modelServer) seen(look func(s *stamps, i int) error) (out []time.Duration) {
	seen, failed := make([]stamps, screens), make([]error, screens)
	var wg sync.WaitGroup
	for i := range seen {
		seen[i] = stamps{base: m.base, last: int64(time.Since(m.base))}
		wg.Go(func() { failed[i] = look(&seen[i], i) })
	}
	wg.Wait()
	must(failed...)
	for i, s := range seen {
		if len(s.took) != m.tokens {
			must(fmt.Errorf("only %d of %d tokens came to screen %d", len(s.took), m.tokens, i))
		}
		out = append(out, s.took...)
	}
	return out
}

// watch reads a spectator's frames up to the end of the run. With asks it first sends say,
// the message that starts the run.
func (s *stamps) watch(from *socket, asks bool, say string) error {
	if err := from.c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if asks {
		if err := from.send("%s", say); err != nil {
			return err
		}
	}
	for {
		p, err := from.frame()
		if err != nil {
			return err
		}
		s.add(p)
		if bytes.Contains(p, []byte(`"type":"chat.error"`)) || bytes.Contains(p, []byte(`"type":"error"`)) {
			return fmt.Errorf("the chat failed: %.300s", p)
		}
		if bytes.Contains(p, []byte(`"type":"chat.done"`)) {
			return nil
		}
	}
}

// stream reads the answer from the model server directly.
func (s *stamps) stream(address string) (err error) {
	resp, err := http.Post(address, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	for lines := bufio.NewReader(resp.Body); ; {
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
