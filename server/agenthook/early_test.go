package agenthook_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// If all hook calls of a session came before the session was found, they are remembered for a minute, so that the
// session can get a word. If there are more than 64 such sessions, the one with the oldest call is forgotten (P17.14).
func TestHooksBeforeTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{session: "shown"}
		h := hooksOf(s)
		stop := func(id string) {
			t.Helper()
			payload := fmt.Sprintf(`{"session_id":%q,"hook_event_name":"Stop"}`, id)
			if _, err := h.Handle(context.Background(), "codex", false, []byte(payload)); err != nil {
				t.Fatal(err)
			}
		}
		stop("shown")
		if h.Early("codex", "shown") {
			t.Error("a session that is shown is early")
		}
		stop("new")
		if !h.Early("codex", "new") || h.Early("claude", "new") || h.Early("codex", "other") {
			t.Error("the hook of a session that is not found yet is forgotten, or counts for another")
		}
		time.Sleep(time.Minute)
		if h.Early("codex", "new") {
			t.Error("it is remembered for longer than a minute")
		}
		for n := range 65 {
			stop(fmt.Sprint("s", n))
			time.Sleep(time.Millisecond)
		}
		if h.Early("codex", "s0") || !h.Early("codex", "s1") || !h.Early("codex", "s64") {
			t.Error("of 65 sessions not the oldest one is forgotten")
		}
	})
}
