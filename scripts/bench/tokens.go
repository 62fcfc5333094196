package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/agent/modeltest"
)

// screens is the number of clients that watch a chat.
const screens = 10

// stampMark begins a token of the model server. stampDigits digits follow: the time at which the token was sent, in
// nanoseconds since the beginning of the measurement.
const stampMark, stampDigits = "~", 13

// stamps holds the delays of the tokens at one screen.
type stamps struct {
	base time.Time
	last int64 // newest stamp so far; the final message repeats all tokens, and shows ignores the repeated ones
	took []time.Duration
}

// shows records the delay of each token in text, which the screen has received now.
func (s *stamps) shows(text []byte) {
	now := int64(time.Since(s.base))
	each(text, []byte(stampMark), stampDigits, func(stamp []byte) {
		if sent, err := strconv.ParseInt(string(stamp), 10, 64); err == nil && sent > s.last {
			s.last = sent
			s.took = append(s.took, time.Duration(now-sent))
		}
	})
}

// tokens measures the delay of a token from the server of a model to ten screens: through the model's stream, the realm,
// the journal and ten WebSockets. Agentdungeon sends at most 30 frames a second of an answer, so a token of a quick model
// waits up to 33 ms by design. The model's server runs in this process, so that it and the readers use the same clock.
func (b *bench) tokens() {
	base, perSecond := time.Now(), 0
	model := b.listen(modeltest.New(func(r *modeltest.Reply) {
		pace(perSecond, b.during, func(int) {
			r.Say(fmt.Sprintf("%s%0*d ", stampMark, stampDigits, time.Since(base)))
		})
		r.End("stop")
	})) + "/v1"
	people := b.spectators(b.linked("-model-url", model, "-model", "bench").addr, screens, nil).sockets
	chat, run := beginChat(people[0]), 0
	// seen lets each screen read one answer, all at the same time, and returns the delays of the tokens.
	seen := func(read func(i int, s *stamps)) (took []time.Duration) {
		all := make([]stamps, screens)
		parallel(screens, func(i int) {
			all[i] = stamps{base: base, last: int64(time.Since(base))}
			read(i, &all[i])
			if tokens := perSecond * int(b.during.Seconds()); len(all[i].took) != tokens {
				failf("only %d of %d tokens came to screen %d", len(all[i].took), tokens, i)
			}
		})
		for _, s := range all {
			took = append(took, s.took...)
		}
		return took
	}
	for _, speed := range []struct {
		perSecond int
		joined    string
	}{
		{20, "each shown at once"},
		{100, "joined to 30 frames a second, which is up to 33 ms of it"},
	} {
		add := b.percentiles(noAim, fmt.Sprintf("%d HTTP clients read the model's stream, ", screens),
			"token to %d screens, a model of %d tokens/s (%s), ", screens, speed.perSecond, speed.joined)
		perSecond = speed.perSecond
		b.times(b.few(), func() {
			run++
			took := seen(func(i int, s *stamps) {
				if i == 0 {
					people[0].send(`{"type":"chat.send","conversationId":%q,"content":"Tell me.","requestId":"say%d"}`, chat, run)
				}
				s.watch(people[i])
			})
			add(took, seen(func(_ int, s *stamps) { s.stream(model + "/chat/completions") }))
		})
	}
}

// beginChat begins a chat with an agent that the model plays, and returns its id.
func beginChat(s *socket) string {
	const started = `"type":"conversation.started"`
	s.send(`{"type":"conversation.start","kind":"chat","templateId":"standard_brainstorm","memberIds":["ideator"],"requestId":"begin"}`)
	p := s.unless(`"type":"error"`, started)
	_, after, _ := strings.Cut(string(p), started)
	_, after, _ = strings.Cut(after, `"conversationId":"`)
	id, _, ok := strings.Cut(after, `"`)
	if !ok {
		failf("the server did not begin a chat: %.300s", p)
	}
	return id
}

// watch reads a spectator's frames up to the end of the answer.
func (s *stamps) watch(from *socket) {
	must(from.SetReadDeadline(time.Now().Add(patience)))
	for {
		p := from.frame()
		s.shows(p)
		if bytes.Contains(p, []byte(`"type":"chat.error"`)) || bytes.Contains(p, []byte(`"type":"error"`)) {
			failf("the chat failed: %.300s", p)
		}
		if bytes.Contains(p, []byte(`"type":"chat.done"`)) {
			return
		}
	}
}

// stream reads an answer from the model's server directly.
func (s *stamps) stream(address string) {
	const question = `{"model":"bench","stream":true,"messages":[{"role":"user","content":"Tell me."}]}`
	resp := get(http.Post(address, "application/json", strings.NewReader(question)))
	defer func() { must(resp.Body.Close()) }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		s.shows(lines.Bytes())
	}
	must(lines.Err())
}
