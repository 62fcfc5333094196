package shadow

import (
	"encoding/json"
	"reflect"
)

// Asking is the tool by which Claude Code asks its user questions. A hook can answer them.
const Asking = "AskUserQuestion"

// Questions returns the questions that a call of the tool asks a person, none if it asks none or its input was cut.
func Questions(tool, input string) (texts []string) {
	var in struct {
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	if tool != Asking || json.Unmarshal([]byte(input), &in) != nil {
		return nil
	}
	for _, q := range in.Questions {
		texts = append(texts, q.Question)
	}
	return texts
}

// SameInput reports whether two inputs of a tool, as JSON, can be of one call. A program adds members with default
// values, or what a person has answered, before it calls its hooks; so only the members that both have count.
func SameInput(a, b string) bool {
	if a == b {
		return true
	}
	var x, y map[string]any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	both := 0
	for name, value := range x {
		if other, ok := y[name]; ok {
			if !reflect.DeepEqual(value, other) {
				return false
			}
			both++
		}
	}
	return both > 0 && both == min(len(x), len(y))
}
