package model

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

const secret = "sk-test-0123456789abcdef"

func request() driver.Turn {
	return driver.Turn{
		RealmID: "realm", Kind: world.KindProcess, ConversationID: "conv", RequestID: "req", Instance: "r#1", MemberID: "r",
		Role: world.Role{ID: "r", Name: "The Reader"}, StageID: "s", N: 1, Attempt: 1,
		Completion: world.CompleteTurns, Problem: "too few chairs", Prompt: "# You are the Reader\n\nSay it.",
	}
}

func sealed() driver.Turn {
	turn := request()
	turn.Completion = world.CompleteSignal
	return turn
}

// agents returns a driver of a model server in memory.
func agents(t testing.TB, s *modeltest.Server, change ...func(*Config)) *Agents {
	t.Helper()
	key, err := NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{URL: "http://model.test/v1", Model: "m-1", Key: key, Transport: s.Transport(), Jitter: func() float64 { return 0.5 }}
	for _, c := range change {
		c(&cfg)
	}
	a, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// heard records the chunks of a turn.
type heard struct {
	chunks []driver.Chunk
	text   string
	err    error
}

func listen(ctx context.Context, a *Agents, turn driver.Turn) *heard {
	h := &heard{}
	var text strings.Builder
	h.err = a.Driver(nil, turn.Role).Run(ctx, turn, func(c driver.Chunk) error {
		h.chunks = append(h.chunks, c)
		text.WriteString(c.Text)
		return ctx.Err()
	})
	h.text = text.String()
	return h
}

// seals, tools and the like return the chunks of one kind.
func (h *heard) seals() (out []driver.Seal) {
	for _, c := range h.chunks {
		if c.Seal != nil {
			out = append(out, *c.Seal)
		}
	}
	return out
}

func (h *heard) thoughts() (out []string) {
	for _, c := range h.chunks {
		if c.Thought != "" {
			out = append(out, c.Thought)
		}
	}
	return out
}

func (h *heard) ends() (out []driver.ToolEnd) {
	for _, c := range h.chunks {
		if c.ToolEnd != nil {
			out = append(out, *c.ToolEnd)
		}
	}
	return out
}

// order returns the kinds of the chunks, several texts as one: "text tool read end text".
func (h *heard) order() string {
	var out []string
	for _, c := range h.chunks {
		kind := "?"
		switch {
		case c.Text != "":
			kind = "text"
		case c.Thought != "":
			kind = "thought"
		case c.Tool != nil:
			kind = "tool"
		case c.ToolEnd != nil:
			kind = "end"
		case c.Read != nil:
			kind = "read"
		case c.Finding != nil:
			kind = "finding"
		case c.Insight != nil:
			kind = "insight"
		case c.Artifact != nil:
			kind = "artifact"
		case c.Seal != nil:
			kind = "seal"
		}
		if kind != "text" || len(out) == 0 || out[len(out)-1] != "text" {
			out = append(out, kind)
		}
	}
	return strings.Join(out, " ")
}

// failed checks the code of a turn's error and parts of its message.
func (h *heard) failed(t *testing.T, code string, words ...string) {
	t.Helper()
	var te *driver.TurnError
	if !errors.As(h.err, &te) || te.Code != code {
		t.Fatalf("the turn ends with %v, not %s", h.err, code)
	}
	for _, w := range words {
		if !strings.Contains(te.Message, w) {
			t.Errorf("the message does not say %q: %s", w, te.Message)
		}
	}
	if len(te.Message) > 400 || strings.ContainsAny(te.Message, "\n\r\x00") {
		t.Errorf("the message is not short and plain: %q", te.Message)
	}
	if strings.Contains(te.Message, secret) {
		t.Errorf("the key is told: %s", te.Message)
	}
}

// shelf opens a repository in memory, and counts how often it is opened and closed.
type shelf struct {
	files map[string]string
	err   error

	mu             sync.Mutex
	opened, closed int
}

func (s *shelf) Open(context.Context, string) (*inspect.Repo, io.Closer, error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	s.mu.Lock()
	s.opened++
	s.mu.Unlock()
	fsys := fstest.MapFS{}
	var entries []inspect.Entry
	for p, text := range s.files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
		entries = append(entries, inspect.Entry{Path: p, Size: int64(len(text))})
	}
	return inspect.New("tools", fsys, entries, nil, time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), s, nil
}

func (s *shelf) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}
