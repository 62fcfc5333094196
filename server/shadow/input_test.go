package shadow_test

import (
	"testing"

	"agentdungeon/server/shadow"
)

// A hook reports the input of a call with members that the call's record does not have; calls that differ in a member
// that both have, or that have different members, are two.
func TestInputsOfOneCall(t *testing.T) {
	edit := `{"file_path":"a.go","old_string":"x","new_string":"y"}`
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{edit, `{"replace_all":false,"new_string":"y","old_string":"x","file_path":"a.go"}`, true},
		{`{"questions":[{"a":1,"b":2}]}`, `{"questions":[{"b":2,"a":1}],"answers":{"q":"x"}}`, true},
		{edit, `{"file_path":"a.go","old_string":"x","new_string":"z"}`, false},
		{`{"command":"ls"}`, `{"command":"ls -l"}`, false},
		{`{"command":"ls"}`, `{"file_path":"a.go"}`, false},
		{`{"command":"ls","dir":"a"}`, `{"command":"ls","timeout":5}`, false},
		{`{}`, `{"command":"ls"}`, false},
		{`{"command":"l`, `{"command":"l`, true},
		{`{"command":"l`, `{"command":"ls"}`, false},
	} {
		if got := shadow.SameInput(c.a, c.b); got != c.want || shadow.SameInput(c.b, c.a) != got {
			t.Errorf("%s and %s: %v, want %v both ways", c.a, c.b, got, c.want)
		}
	}
}
