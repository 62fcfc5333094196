package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// maxKept is the maximum number of requests that the server keeps; it drops the oldest first.
const maxKept = 1000

// Request is a request that the server received.
type Request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`

	Header http.Header `json:"-"`
	Body   string      `json:"-"`
}

// Message is a message of a request.
type Message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	Reasoning  string `json:"reasoning_content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Tool is a tool that a request offers.
type Tool struct {
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Offers reports whether the request offers a tool with the given name.
func (r *Request) Offers(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Function.Name == name })
}

// Last returns the newest message of a role, "" for none.
func (r *Request) Last(role string) string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == role {
			return m.Content
		}
	}
	return ""
}

// Play answers one request.
type Play func(*Reply)

// Server acts as the server of a model. It is an http.Handler; its path is /v1/chat/completions.
type Server struct {
	mu       sync.Mutex
	plays    []Play // the next play first; the last play is never removed
	requests []Request
	asked    int
}

// New returns a server that answers each request with the next of the plays. When all have been used, it repeats
// the last one.
func New(plays ...Play) *Server { return &Server{plays: plays} }

// Then replaces the plays that have not been used yet.
func (s *Server) Then(plays ...Play) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plays = plays
}

// Requests returns the newest requests that the server received, oldest first, at most 1000.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Asked returns the number of requests that the server has received.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Serve listens on a port of this machine until the test ends. It returns the address for -model-url.
func (s *Server) Serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/v1"
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 64<<20))
	if err != nil {
		return // the client has gone
	}
	var r Request
	wrong := ""
	switch {
	case req.Method != http.MethodPost || req.URL.Path != "/v1/chat/completions":
		http.NotFound(w, req)
		return
	case json.Unmarshal(body, &r) != nil:
		wrong = "the body is not JSON"
	case !r.Stream || r.Model == "" || len(r.Messages) == 0:
		wrong = "stream, model and messages are wanted"
	default:
		wrong = unpaired(r.Messages)
	}
	r.Header, r.Body = req.Header.Clone(), string(body)
	s.mu.Lock()
	s.asked++
	s.requests = append(s.requests, r)
	if len(s.requests) > maxKept {
		s.requests = slices.Delete(s.requests, 0, 1)
	}
	play := Says("Well.")
	if len(s.plays) > 0 {
		play = s.plays[0]
		if len(s.plays) > 1 && wrong == "" {
			s.plays = s.plays[1:]
		}
	}
	s.mu.Unlock()
	reply := &Reply{Request: r, w: w, ctx: req.Context()}
	if wrong != "" {
		reply.Refuse(http.StatusBadRequest, wrong)
		return
	}
	play(reply)
}

// unpaired returns what is wrong with the tool calls of a request: servers refuse a call without its result
// and a result without its call.
func unpaired(messages []Message) string {
	var open []string
	for i, m := range messages {
		switch {
		case m.Role == "tool":
			k := slices.Index(open, m.ToolCallID)
			if k < 0 || m.Content == "" {
				return fmt.Sprintf("messages[%d]: the result is empty or belongs to no tool call", i)
			}
			open = slices.Delete(open, k, k+1)
		case len(open) > 0:
			return fmt.Sprintf("messages[%d]: an assistant message with tool_calls must be followed by the results of %s", i, strings.Join(open, ", "))
		case m.Content == "" && len(m.ToolCalls) == 0:
			return fmt.Sprintf("messages[%d]: it is empty", i)
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || slices.Contains(open, c.ID) || !json.Valid([]byte(c.Function.Arguments)) {
				return fmt.Sprintf("messages[%d]: a tool call needs a unique id and arguments in JSON", i)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return "the results of " + strings.Join(open, ", ") + " are missing"
	}
	return ""
}
