// Package agenthook handles the calls of coding agents' hooks. It finds the realm that shows the agent's session,
// passes the call on to that realm, waits for a person's answer to a question or for words (messages of a person)
// to the agent, and writes the answer in the form that the agent's program expects.
//
// It owns the time of each program's last hook call, and how long a hook waits. Doors are questions that people answer;
// server/coding decides about them. This package runs nothing, and never answers a question itself: if no person
// answers, the agent's own terminal asks. It masks secrets in everything that it passes on.
//
// # Where to look
//
//   - how a hook call is handled: agenthook.go; which realm shows its session: find.go
//   - hook calls of sessions that no realm shows yet: early.go
//   - payloads and answers: payload.go; their texts for people: texts.go; words to agents: words.go
//
// server/gate calls Handle for each request of a hook; server/app makes the Hooks.
package agenthook

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// hold is how long a hook of each program waits for a person's answer. Meanwhile Claude Code also asks in its
// terminal. Codex does not ask there while a hook runs, so its hooks wait only a short time, and only if somebody
// watches the realm.
var hold = map[string]time.Duration{"claude": 10 * time.Minute, "codex": 20 * time.Second}

// watched has the programs whose hooks wait for a person only while a viewer watches the realm.
var watched = map[string]bool{"codex": true}

// The first hook call of a session can come before a reader has found the session. Then the method find repeats its
// search each findPause, for at most findTime. Hooks.before asks the readers for a new listing, which they make
// within two seconds.
const (
	findTime  = 3 * time.Second
	findPause = 100 * time.Millisecond
)

// Realm has the methods of an open realm that this package needs; see realm.Realm.
type Realm interface {
	Shown(ctx context.Context) (realm.Shown, error)
	Hook(ctx context.Context, h shadow.Hook) (*realm.Door, error)
	Leave(d *realm.Door)
	Listen(ctx context.Context, h shadow.Hook, waits bool) (shadow.Handed, error)
	Missed(ctx context.Context, h shadow.Hook, handed shadow.Handed) error
	Watched() bool
	Done() <-chan struct{}
}

// Hooks handles the hooks of coding agents. Its methods are safe for concurrent use.
type Hooks struct {
	realms func() []Realm
	now    func() time.Time
	// ignored returns a function that reports whether git ignores the file at an absolute path.
	ignored func(ctx context.Context) func(path string) bool
	// list asks the readers to look for new sessions soon.
	list func()

	mu    sync.Mutex
	heard map[string]world.Time // by program
	early early
}

// New returns Hooks for the open realms that realms returns. ignored returns a function that reports whether git
// ignores the file at an absolute path. list asks the readers to look for new sessions soon; it must not block.
func New(realms func() []Realm, now func() time.Time, ignored func(context.Context) func(string) bool,
	list func()) *Hooks {
	return &Hooks{
		realms: realms, now: now, ignored: ignored, list: list, heard: map[string]world.Time{}, early: early{},
	}
}

// Heard returns, for each program, the time of its last hook call since the server's start.
func (h *Hooks) Heard() map[string]world.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.heard)
}

// Handle handles the payload of one hook call. The answer says what the hook prints and whether it wakes the agent.
// If the payload asks for a permission, Handle waits for a person's answer; if the hook can wake its agent, Handle
// waits for messages of people to the agent. It returns at the latest when ctx ends.
func (h *Hooks) Handle(ctx context.Context, by shadow.Caller, payload []byte) (answer shadow.Answer, err error) {
	program := by.Program
	if hold[program] == 0 {
		return answer, wire.Errorf(wire.NotFound, "this server does not support hooks of this program")
	}
	var p told
	if err := json.Unmarshal(payload, &p); err != nil {
		return answer, wire.Errorf(wire.BadField, "the payload of a hook is JSON")
	}
	h.mu.Lock()
	h.heard[program] = world.TimeOf(h.now())
	h.mu.Unlock()
	if by.Wake {
		return h.listen(ctx, &p, program)
	}
	said, ok := p.hook(program, h.ignored(ctx))
	if !ok {
		return answer, nil
	}
	r := h.find(ctx, said)
	if r == nil {
		return answer, nil
	}
	said.Again = by.Again
	if said.Told == shadow.Asks && watched[program] && !r.Watched() {
		said.Choices = nil
	}
	if p.stops() && blocks[program] {
		if answer, err = h.block(ctx, r, said); err != nil {
			return answer, err
		}
		if answer.Text != nil {
			said.State = "" // the session continues with the words, so it does not begin to wait
		}
	}
	// Hook must not end with the hook's request: if it opens a door, Leave below has to know the door.
	door, err := r.Hook(context.WithoutCancel(ctx), said)
	switch {
	case answer.Text != nil:
		return answer, nil
	case err != nil:
		return answer, unlessClosed(err)
	case p.called() && stops[program]:
		return h.stop(ctx, r, said)
	case door == nil:
		return answer, nil
	}
	defer r.Leave(door)
	if len(said.Choices) == 0 {
		return answer, nil
	}
	closed := wait(ctx, r, door, hold[program])
	if closed == nil {
		said.Told, said.DoorID = shadow.Hangs, door.ID
		_, err := r.Hook(context.WithoutCancel(ctx), said)
		return answer, unlessClosed(err)
	}
	answer.Text, err = p.answer(closed)
	return answer, err
}

// wait waits until the door is closed and returns its outcome. It returns nil if the limit passes, the hook ends or the
// realm closes first.
func wait(ctx context.Context, r Realm, door *realm.Door, limit time.Duration) *world.DoorClosed {
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case closed := <-door.Closed:
		return closed
	case <-over.C:
	case <-ctx.Done():
	case <-r.Done():
	}
	select {
	case closed := <-door.Closed: // the door was closed at the same moment
		return closed
	default:
		return nil
	}
}
