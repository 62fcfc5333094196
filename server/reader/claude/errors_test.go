package claude_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/reader/readertest"
	"agentdungeon/server/shadow"
)

// TestAfterErrors: errors of the provider are entries. A session whose process was told to end, so that no status file
// is left, is lost if its last turn has no answer, and has ended otherwise. The records are invented after real ones.
func TestAfterErrors(t *testing.T) {
	const prompt = `"type":"user","turnOrigin":"sdk","message":{"content":"Mend it"}`
	const retry = `"type":"system","subtype":"api_error","error":{"message":"500 {}","status":500,"formatted":"500 busy"}`
	const failed = `"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error"}]}`
	const answer = `"type":"assistant","message":{"content":[{"type":"text","text":"Done"}]}`
	const shell = `"type":"user","message":{"content":"<bash-input>ls</bash-input>"}`
	const queued = `"type":"attachment","attachment":{"type":"queued_command","prompt":"later"}`
	for _, c := range []struct {
		name    string
		records []string
		state   string
		entries string
	}{
		{"ended in a retry", []string{prompt, retry, retry}, shadow.Gone, "prompt Mend it|retries 500 busy|retries 500 busy"},
		{"no more retries", []string{prompt, retry, failed}, shadow.Gone, "prompt Mend it|retries 500 busy|failed API Error"},
		{"answered after a retry", []string{prompt, retry, answer}, shadow.Ended,
			"prompt Mend it|retries 500 busy|words Done"},
		{"a command of the shell", []string{prompt, answer, shell}, shadow.Ended,
			"prompt Mend it|words Done|prompt <bash-input>ls</bash-input>"},
		{"a prompt that waits", []string{prompt, answer, queued}, shadow.Ended, "prompt Mend it|words Done|prompt later"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			const id = "0e2e68b8-b56d-4d7d-84d0-4ee35831f149"
			var lines strings.Builder
			for i, record := range c.records {
				fmt.Fprintf(&lines, `{"uuid":"u%d","sessionId":"%s","cwd":"/home/dev/project",`, i, id)
				fmt.Fprintf(&lines, `"timestamp":"2026-11-30T06:53:5%d.000Z",%s}`+"\n", i, record)
				lines.WriteString(`{"type":"api-request"}` + "\n")
			}
			write(t, filepath.Join(home, "proc/self"), "")
			write(t, filepath.Join(home, "projects/-home-dev-project", id+".jsonl"), lines.String())
			r := open(t, home, 0)
			s := readertest.Sessions(t, r)[0]
			entries, _ := readertest.ReadAll(t, r, s, "", 1<<20)
			var got []string
			for _, e := range entries {
				got = append(got, string(e.Kind)+" "+e.Text)
			}
			if all := strings.Join(got, "|"); all != c.entries {
				t.Errorf("entries %s, want %s", all, c.entries)
			}
			state, err := r.State(t.Context(), s, "", time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
			if err != nil || state.Name != c.state || c.state == shadow.Ended && state.Source != shadow.FromStatus {
				t.Errorf("state %+v, %v, want %s", state, err, c.state)
			}
		})
	}
}
