package agenthook

import (
	"context"
	"encoding/json"
	"time"

	"agentdungeon/server/shadow"
)

// maxListen limits how long a hook waits for messages of people. The hook's entry in the settings of Claude Code
// has the same limit.
const maxListen = 24 * time.Hour

// blocks has the programs whose agents get the messages of people when they stop: the hook answers "block", and the
// agent continues with the messages. Claude Code gets them from a hook that runs beside the agent and can wake it.
var blocks = map[string]bool{"codex": true}

// stops has the programs whose agents end their turn if the hook of a tool call that has run says so. Codex takes the
// same answer for the output of the call, and continues.
var stops = map[string]bool{"claude": true}

// called reports whether the payload says that a tool call has run.
func (p *told) called() bool { return p.Event == "PostToolUse" || p.Event == "PostToolUseFailure" }

// stops reports whether the payload says that the main agent, and not a sub-agent, stops.
func (p *told) stops() bool { return p.Event == "Stop" && p.Agent == "" && p.Session != "" }

// listen waits for messages of people to the agent of a hook that can wake it. If the realm closes meanwhile,
// listen waits at the next realm that shows the session.
func (h *Hooks) listen(ctx context.Context, p *told, program string) (answer shadow.Answer, err error) {
	if !p.stops() || blocks[program] {
		return answer, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxListen)
	defer cancel()
	said := shadow.Hook{Program: program, SessionID: p.Session, Told: shadow.Listens, Idle: true}
	for {
		r := h.find(ctx, said)
		if r == nil {
			return answer, nil
		}
		got, err := r.Listen(ctx, said, true)
		if unlessClosed(err) != nil {
			return answer, err
		}
		if len(got.WordIDs) > 0 {
			return shadow.Answer{Text: []byte(got.Text), Wake: true, Lost: h.lost(ctx, r, said, got)}, nil
		}
		select {
		case <-r.Done():
		default:
			return answer, nil
		}
	}
}

// block returns the answer that makes a stopping agent continue with the messages of people that wait for it.
func (h *Hooks) block(ctx context.Context, r Realm, said shadow.Hook) (shadow.Answer, error) {
	return h.take(ctx, r, said, func(text string) any {
		return struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
		}{"block", text}
	})
}

// stop returns the answer that ends the agent's turn, if a person has asked for that.
func (h *Hooks) stop(ctx context.Context, r Realm, said shadow.Hook) (shadow.Answer, error) {
	said.Stops = true
	return h.take(ctx, r, said, func(text string) any {
		return struct {
			Continue bool   `json:"continue"`
			Reason   string `json:"stopReason"`
		}{false, text}
	})
}

// take returns the answer with what waits for the agent now, in the form that the function printed gives it. The answer
// has no text if nothing waits.
func (h *Hooks) take(ctx context.Context, r Realm, said shadow.Hook,
	printed func(text string) any) (answer shadow.Answer, err error) {
	said.Told = shadow.Listens
	got, err := r.Listen(ctx, said, false)
	if err != nil || len(got.WordIDs) == 0 {
		return answer, unlessClosed(err)
	}
	answer.Lost = h.lost(ctx, r, said, got)
	answer.Text, err = json.Marshal(printed(got.Text))
	return answer, err
}

// lost returns a function that the caller calls if the messages in got did not reach the hook. It puts them back
// into the queue.
func (*Hooks) lost(ctx context.Context, r Realm, said shadow.Hook, got shadow.Handed) func() {
	return func() {
		_ = r.Missed(ctx, said, got) // if the realm refuses, the words stay handed: whether the agent got them is unknown
	}
}
