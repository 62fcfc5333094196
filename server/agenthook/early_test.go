package agenthook_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
)

// If all hook calls of a session came before the session was found, the session can get a word for a minute after its
// last call. If there are more than 64 such sessions, the one with the oldest call is forgotten (P17.14).
func TestHooksBeforeTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{session: "shown"}
		h := hooksOf(s)
		stop := func(id string) {
			t.Helper()
			payload := fmt.Sprintf(`{"session_id":%q,"hook_event_name":"Stop"}`, id)
			if _, err := h.Handle(context.Background(), shadow.Caller{Program: "codex"}, []byte(payload)); err != nil {
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

// A hook says that a turn begins or is over. It does not say so of sub-agents, of tools, of a stop while tasks run in
// the background, and of a stop after which the agent goes on with words (P17.17).
func TestHooksTellTurns(t *testing.T) {
	for payload, want := range map[string]string{
		`"UserPromptSubmit"`:                                      shadow.Working,
		`"Stop"`:                                                  shadow.Waiting,
		`"Stop","background_tasks":[]`:                            shadow.Waiting,
		`"Stop","background_tasks":[{"id":"b1"}]`:                 "",
		`"Stop","agent_id":"a1"`:                                  "",
		`"Notification","notification_type":"idle_prompt"`:        shadow.Waiting,
		`"Notification","notification_type":"permission_prompt"`:  "",
		`"PostToolUse","tool_name":"Bash","tool_input":{"a":"b"}`: "",
		`"SessionEnd"`:                                            "",
	} {
		for _, word := range []string{"", "w1"} {
			s := &stage{session: "s1", word: word}
			if word != "" && want == shadow.Waiting && payload[:6] == `"Stop"` {
				want = ""
			}
			_, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: "codex"},
				[]byte(`{"session_id":"s1","hook_event_name":`+payload+`}`))
			if last := s.told[len(s.told)-1]; err != nil || last.State != want {
				t.Errorf("%s with the word %q: %v, told %+v", payload, word, err, s.told)
			}
		}
	}
}
