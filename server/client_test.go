package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// history is what has been shown, to anybody, by number: it never changes.
type history struct {
	mu     sync.Mutex
	frames map[int64][]byte
	said   map[string]int // texts of spectator:command, how often
	last   int64
}

func newHistory() *history { return &history{frames: map[int64][]byte{}, said: map[string]int{}} }

func (h *history) saw(ev world.Event, frame []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old, ok := h.frames[ev.Seq]; ok {
		if !bytes.Equal(old, frame) {
			return fmt.Errorf("seq %d was shown as\n%s\nand now is\n%s", ev.Seq, old, frame)
		}
		return nil
	}
	h.frames[ev.Seq] = bytes.Clone(frame)
	h.last = max(h.last, ev.Seq)
	if say, ok := ev.Body.(*world.SpectatorCommand); ok {
		h.said[say.Text]++
	}
	return nil
}

// tab is a foreign client that outlives lives of the server: it has a seat, a
// position, and commands that were not answered yet.
type tab struct {
	t    *testing.T
	name string
	h    *history

	conn  *websocket.Conn
	seat  string
	epoch string
	seq   int64
	world *world.World

	mu      sync.Mutex
	waiting map[string]any // by requestId: sent and not answered
	frames  []frame        // of this connection
	changed chan struct{}  // holds one
	closed  websocket.StatusCode
	fault   error
	done    chan struct{}
}

type frame struct {
	Type       string          `json:"type"`
	Seq        int64           `json:"seq"`
	At         *string         `json:"at"`
	RequestID  string          `json:"requestId"`
	Code       string          `json:"code"`
	State      string          `json:"state"`
	Continuity string          `json:"continuity"`
	Reason     string          `json:"reason"`
	Epoch      *string         `json:"epoch"`
	To         int64           `json:"to"`
	Seat       string          `json:"seat"`
	GamePhase  string          `json:"gamePhase"`
	RealmID    *string         `json:"realmId"`
	World      json.RawMessage `json:"world"`
	raw        []byte
}

func newTab(t *testing.T, h *history, name string) *tab {
	return &tab{t: t, h: h, name: name, waiting: map[string]any{}}
}

// connect says hello with the position there is and sends again what was not
// answered.
func (c *tab) connect(addr string) error {
	conn, _, err := websocket.Dial(c.t.Context(), "ws://"+addr+"/ws", nil)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	conn.SetReadLimit(1 << 26)
	c.mu.Lock()
	c.conn, c.frames, c.changed, c.done, c.closed = conn, nil, make(chan struct{}, 1), make(chan struct{}), -1
	c.mu.Unlock()
	go c.read(conn)
	hello := map[string]any{"type": "hello", "protocol": wire.Protocol}
	if c.epoch != "" {
		hello["epoch"], hello["lastSeq"] = c.epoch, c.seq
	}
	out := []any{hello, map[string]any{"type": "spectator:register", "name": c.name, "color": "#aabbcc", "seat": c.seat, "tab": c.name}}
	for _, f := range out {
		if err := c.write(f); err != nil {
			return err
		}
	}
	if c.await(func(f frame) bool { return f.Type == "spectator:welcome" }) == nil || c.await(func(f frame) bool { return f.Type == "overlays" }) == nil {
		return errors.New("the server went away before the welcome")
	}
	c.mu.Lock()
	again := make([]any, 0, len(c.waiting))
	for _, f := range c.waiting {
		again = append(again, f)
	}
	c.mu.Unlock()
	for _, f := range again {
		if err := c.write(f); err != nil {
			return err
		}
	}
	return nil
}

func (c *tab) write(f any) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return c.conn.Write(c.t.Context(), websocket.MessageText, b)
}

// send sends a command that is to be taken once, whatever happens.
func (c *tab) send(id string, f map[string]any) {
	f["requestId"] = id
	c.mu.Lock()
	c.waiting[id] = f
	c.mu.Unlock()
	_ = c.write(f) // a dead connection is what this is about: it is sent again
}

func (c *tab) read(conn *websocket.Conn) {
	defer close(c.done)
	for {
		_, data, err := conn.Read(context.Background())
		if err != nil {
			c.mu.Lock()
			c.closed = websocket.CloseStatus(err)
			c.mu.Unlock()
			return
		}
		many := []json.RawMessage{data}
		if data[0] == '[' {
			if err := json.Unmarshal(data, &many); err != nil {
				c.fail(err)
				return
			}
		}
		for _, raw := range many {
			if err := c.take(raw); err != nil {
				c.fail(err)
				return
			}
		}
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
}

func (c *tab) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = fmt.Errorf("%s: %w", c.name, err)
}

// take checks what must hold of every frame (never shown, never lost).
func (c *tab) take(raw []byte) error {
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("%s: %w", raw, err)
	}
	f.raw = raw
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames = append(c.frames, f)
	switch {
	case f.Type == "welcome" && f.Epoch != nil:
		if c.seq > 0 && f.Continuity != wire.ContinuityReplay {
			return fmt.Errorf("at %d of %s: a %s (%s): what was shown is lost", c.seq, c.epoch, f.Continuity, f.Reason)
		}
		c.epoch = *f.Epoch
	case f.Type == "world:state":
		c.world, c.seq = &world.World{}, f.Seq
		if err := json.Unmarshal(f.World, c.world); err != nil {
			return err
		}
		c.world.Fill()
	case f.Type == "spectator:welcome":
		c.seat = f.Seat
	case f.Type == "error" || f.Type == "command:reply":
		delete(c.waiting, f.RequestID)
	case f.At != nil:
		ev, err := world.DecodeEvent(raw)
		if err != nil {
			return err
		}
		if ev.Seq != c.seq+1 {
			return fmt.Errorf("seq %d after %d", ev.Seq, c.seq)
		}
		c.seq = ev.Seq
		delete(c.waiting, f.RequestID)
		if err := c.h.saw(ev, raw); err != nil {
			return err
		}
		if c.world != nil {
			world.Apply(c.world, ev)
		}
	}
	return nil
}

// await gives the first frame of this connection that is meant, or nil when the
// connection ends before it comes.
func (c *tab) await(ok func(frame) bool) *frame {
	c.t.Helper()
	deadline := time.After(30 * time.Second)
	for ended := false; ; {
		c.mu.Lock()
		for i := range c.frames {
			if ok(c.frames[i]) {
				f := c.frames[i]
				c.mu.Unlock()
				return &f
			}
		}
		c.mu.Unlock()
		if ended {
			return nil
		}
		select {
		case <-c.changed:
		case <-c.done:
			ended = true
		case <-deadline:
			c.t.Fatalf("%s: what is awaited does not come; at %d, %d frames", c.name, c.seq, len(c.frames))
		}
	}
}

// check reports what went wrong since the last time.
func (c *tab) check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

func (c *tab) pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

func (c *tab) at() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seq
}

func (c *tab) drawn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.world != nil
}

// connect also waits until the realm is drawn.
func connect(t *testing.T, s *server, c *tab) {
	t.Helper()
	if err := c.connect(s.addr); err != nil {
		t.Fatalf("%v\n%s", err, s.stderr)
	}
	s.until("drawn", c.drawn)
}
