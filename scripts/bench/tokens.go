package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"agentdungeon/server/agent/modeltest"
)

// screens is the number of clients that watch a chat.
const screens = 10

// stampMark begins a token of the model server; a stamp follows.
const stampMark = "~"

// tokens measures the delay of a token from a model's server, which runs in this process, to ten clients. The
// server sends at most 30 frames a second of an answer, so a token of a fast model waits up to 33 ms by design.
func (b *bench) tokens() {
	perSecond := 0
	model := b.listen(modeltest.New(func(r *modeltest.Reply) {
		pace(perSecond, b.during, func(int) { r.Say(stampMark + stamp() + " ") })
		r.End("stop")
	})) + "/v1"
	people := b.spectators(b.linked("-model-url", model, "-model", "bench").addr, screens, nil)
	chat, run, delay := beginChat(people[0]), 0, delays{}
	// seen lets each client read one answer and returns the delays of the tokens. read passes what it receives to
	// shows.
	seen := func(read func(i int, shows func(text []byte))) []time.Duration {
		delay.begin(screens * perSecond * int(b.during.Seconds()))
		parallel(screens, func(i int) {
			read(i, func(text []byte) {
				each(text, []byte(stampMark), stampDigits, func(stamp []byte) { delay.arrives(i, stamp) })
			})
		})
		if delay.left != 0 {
			failf("%d tokens did not come to all of %d screens", delay.left, screens)
		}
		return delay.list()
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
			took := seen(func(i int, shows func([]byte)) {
				if i == 0 {
					people[0].send(`{"type":"chat.send","conversationId":%q,"content":"Tell me.","requestId":"say%d"}`, chat, run)
				}
				listen(people[i], shows)
			})
			add(took, seen(func(_ int, shows func([]byte)) { stream(model+"/chat/completions", shows) }))
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

// listen reads a spectator's frames up to the end of the answer.
func listen(from *socket, shows func(text []byte)) {
	must(from.SetReadDeadline(time.Now().Add(patience)))
	for p := []byte(nil); !bytes.Contains(p, []byte(`"type":"chat.done"`)); {
		p = from.frame()
		shows(p)
		if bytes.Contains(p, []byte(`"type":"chat.error"`)) || bytes.Contains(p, []byte(`"type":"error"`)) {
			failf("the chat failed: %.300s", p)
		}
	}
}

// stream reads an answer from the model's server directly.
func stream(address string, shows func(text []byte)) {
	const question = `{"model":"bench","stream":true,"messages":[{"role":"user","content":"Tell me."}]}`
	resp := get(http.Post(address, "application/json", strings.NewReader(question)))
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		shows(lines.Bytes())
	}
	must(lines.Err())
}
