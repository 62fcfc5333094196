package coding_test

import (
	"testing"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// A failed test run stays in the agent's state until a later one passes. A run that a person refused, that goes on in
// the background, or whose outcome nothing says, changes nothing (P17.3).
func TestAFailedTestRunStaysInTheState_P17_3(t *testing.T) {
	e := newEngine()
	at := ""
	for _, c := range []struct {
		name, command string
		shadow.Entry         // the result
		tests         string // in the row
		failed        bool   // in the state, afterwards
	}{
		{"a command", "go build", shadow.Entry{OK: true, Ended: true}, "", false},
		{"pass", "go test ./...", shadow.Entry{OK: true, Ended: true}, world.TestsPassed, false},
		{"fail", "go test ./...", shadow.Entry{Ended: true, Text: "FAIL"}, world.TestsFailed, true},
		{"other command", "go build", shadow.Entry{OK: true, Ended: true}, "", true},
		{"refused", "go test ./...", shadow.Entry{Refused: true}, "", true},
		{"not run", "go test ./...", shadow.Entry{Text: "Permission denied"}, "", true},
		{"in the background", "go test ./...", shadow.Entry{OK: true}, world.TestsUnclear, true},
		{"cut", "go test ./... | tail", shadow.Entry{OK: true, Ended: true}, world.TestsUnclear, true},
		{"pass later", "go test ./a", shadow.Entry{OK: true, Ended: true}, world.TestsPassed, false},
	} {
		s := says("a", at, c.name, "")
		c.Kind, c.CallID = shadow.Result, c.name
		s.Entries = []shadow.Entry{{Kind: shadow.Call, CallID: c.name, Tool: &shadow.Tool{Name: "Bash",
			Input: `{"command":"` + c.command + `"}`}}, c.Entry}
		at = c.name
		e.sees(t, s)
		rows := e.Talks[e.World.Sessions[0].ConversationID].Messages
		if got := rows[len(rows)-1].Tool.Tests; got != c.tests {
			t.Errorf("%s: the row says %q, want %q", c.name, got, c.tests)
		}
		if failed := e.World.Agent("codex:a").State.TestsFailed; (failed != 0) != c.failed {
			t.Errorf("%s: tests failed at %v, want failed: %v", c.name, failed, c.failed)
		}
	}
}
