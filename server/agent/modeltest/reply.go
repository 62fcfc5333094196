package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Reply answers one request, piece by piece. Its methods do nothing once the client has closed the connection
// (Gone).
type Reply struct {
	Request Request

	w     http.ResponseWriter
	ctx   context.Context
	began bool
	gone  bool
}

// Gone reports whether the client has closed the connection.
func (r *Reply) Gone() bool { return r.gone || r.ctx.Err() != nil }

// Says returns a Play (a function that answers a request) which streams words, one chunk each.
func Says(words ...string) Play {
	return func(r *Reply) {
		for _, w := range words {
			r.Say(w)
		}
		r.End("stop")
	}
}

// Calls returns a Play that streams the words, if there are any, and then calls one tool.
func Calls(words, id, name, args string) Play {
	return func(r *Reply) {
		if words != "" {
			r.Say(words)
		}
		r.Call(0, id, name, args)
		r.End("tool_calls")
	}
}

// Refuses returns a Play that answers with a status, a message in OpenAI's form, and headers. The names and the values
// of the headers alternate.
func Refuses(status int, message string, headers ...string) Play {
	return func(r *Reply) { r.Refuse(status, message, headers...) }
}

// Streams returns a Play that begins a stream and runs play, without ending the stream.
func Streams(play func(*Reply)) Play {
	return func(r *Reply) {
		r.begin()
		play(r)
	}
}

// Header sets a header of the answer. It must be called before any method that sends a part of the answer.
func (r *Reply) Header(name, value string) { r.w.Header().Set(name, value) }

// Refuse answers with a status.
func (r *Reply) Refuse(status int, message string, headers ...string) {
	for i := 0; i+1 < len(headers); i += 2 {
		r.w.Header().Set(headers[i], headers[i+1])
	}
	r.w.Header().Set("Content-Type", "application/json")
	r.w.WriteHeader(status)
	r.Raw(encode(map[string]any{"error": map[string]any{"message": message, "type": "api_error", "param": nil, "code": nil}}))
}

// Status answers with a status and a body.
func (r *Reply) Status(status int, body string) {
	r.begin()
	r.w.WriteHeader(status)
	r.Raw(body)
}

// Say streams words of the answer.
func (r *Reply) Say(words string) { r.Delta(map[string]any{"content": words}) }

// Think streams a thought.
func (r *Reply) Think(words string) { r.Delta(map[string]any{"reasoning_content": words}) }

// Call streams a whole tool call.
func (r *Reply) Call(index int, id, name, args string) {
	r.Delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": index, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": args},
	}}})
}

// CallMore streams another piece of a tool call's arguments.
func (r *Reply) CallMore(index int, args string) {
	r.Delta(map[string]any{"tool_calls": []any{map[string]any{"index": index, "function": map[string]any{"arguments": args}}}})
}

// Delta streams a piece of the answer with the given fields.
func (r *Reply) Delta(fields map[string]any) { r.choice(fields, nil) }

// End ends the stream: it sends the finish reason, the token usage and [DONE].
func (r *Reply) End(reason string) {
	r.choice(map[string]any{}, reason)
	r.Frame(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []any{}, "usage": map[string]any{"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}})
	r.Done()
}

// Done sends the last line of a stream.
func (r *Reply) Done() { r.Raw("data: [DONE]\n\n") }

func (r *Reply) choice(delta map[string]any, reason any) {
	r.Frame(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": r.Request.Model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
	})
}

// Frame streams a value as one data line.
func (r *Reply) Frame(v any) { r.Raw("data: " + encode(v) + "\n\n") }

// Raw streams bytes unchanged.
func (r *Reply) Raw(text string) {
	r.begin()
	if r.Gone() {
		return
	}
	if _, err := io.WriteString(r.w, text); err != nil {
		r.gone = true
		return
	}
	if f, ok := r.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (r *Reply) begin() {
	if r.began {
		return
	}
	r.began = true
	if r.w.Header().Get("Content-Type") == "" {
		r.w.Header().Set("Content-Type", "text/event-stream")
	}
}

// Stall sends nothing more and waits until the client has gone.
func (r *Reply) Stall() {
	r.begin()
	<-r.ctx.Done()
}

// Wait waits for d, or until the client has gone.
func (r *Reply) Wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.ctx.Done():
	}
}

// Cut breaks the connection in the middle of the answer.
func (r *Reply) Cut() { panic(http.ErrAbortHandler) }

func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // the test passed a value that JSON cannot hold
		panic(fmt.Sprintf("modeltest: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
