package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
)

// FuzzStream asserts that a turn succeeds or fails with a sentence, whatever the server streams, and that
// its words are valid text without the key.
func FuzzStream(f *testing.F) {
	delta := func(fields string) string { return `data: {"choices":[{"index":0,"delta":{` + fields + `}}]}` + "\n\n" }
	for _, s := range []string{
		delta(`"content":"a"`) + "data: [DONE]\n\n",
		delta(`"content":"<think>a</think>b\n[DONE]"`) + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n",
		delta(`"reasoning_content":"a. b"`) + delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]`) + "data: [DONE]",
		delta(`"tool_calls":[{"function":{"name":"complete_stage","arguments":{"summary":"s"}}}]`) + "data: [DONE]\n",
		"event: x\n: y\ndata:{\"error\":\"no\"}\n", "\uFEFFdata: null\n", "<html>", "data\n", delta(`"content":"` + secret + `"`),
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, tools bool) {
		s := modeltest.New(func(r *modeltest.Reply) { r.Raw(string(data)) })
		a := agents(t, s, withFolder(&shelf{files: map[string]string{"a": "b\n"}}), func(c *Config) {
			c.Wait = func(context.Context, time.Duration) error { return nil }
		})
		a.toolsRefused.Store(!tools)
		h := listen(t.Context(), a, linked(sealed()))
		var te *driver.TurnError
		if h.err != nil && (!errors.As(h.err, &te) || te.Message == "" || !utf8.ValidString(te.Message)) {
			t.Fatalf("it ends with %v", h.err)
		}
		if !utf8.ValidString(h.text) || strings.Contains(h.text, secret) {
			t.Fatalf("it says %q", h.text)
		}
		open := map[string]bool{}
		for _, c := range h.chunks {
			switch {
			case c.Tool != nil && open[c.Tool.CallID], c.ToolEnd != nil && !open[c.ToolEnd.CallID]:
				t.Fatalf("tools: %s", h.order())
			case c.Tool != nil:
				open[c.Tool.CallID] = true
			case c.ToolEnd != nil:
				open[c.ToolEnd.CallID] = false
			}
		}
	})
}
