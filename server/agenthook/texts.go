package agenthook

import (
	"cmp"
	"encoding/json"
	"strings"
)

// brief returns a short form of a tool's input: the command, the path of the file, or the first other text.
func brief(input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return ""
	}
	for _, name := range []string{"command", "cmd", "file_path", "path", "notebook_path", "url", "pattern", "query",
		"description", "questions"} {
		switch v := fields[name].(type) {
		case string:
			return v
		case []any: // a command with its arguments, or questions
			var words []string
			for _, word := range v {
				if q, ok := word.(map[string]any); ok {
					word = q["question"]
				}
				if s, ok := word.(string); ok {
					words = append(words, s)
				}
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// suggestion is something that an agent suggests to allow from now on.
type suggestion struct {
	Type  string `json:"type"`
	Rules []struct {
		Tool string `json:"toolName"`
		Text string `json:"ruleContent"`
	} `json:"rules"`
	Mode        string   `json:"mode"`
	Directories []string `json:"directories"`
	Where       string   `json:"destination"`
}

// where says for how long, or for whom, the agent's program keeps a suggestion.
var where = map[string]string{
	"session": "in this session", "localSettings": "in this folder",
	"projectSettings": "in this folder, for everybody who works on it", "userSettings": "in every folder",
}

// always returns in words what an agent suggests to allow from now on. A suggestion of a type that this version does
// not know stays JSON.
func always(suggestions []json.RawMessage) string {
	var all []string
	for _, raw := range suggestions {
		var s suggestion
		text := string(raw)
		if json.Unmarshal(raw, &s) == nil {
			if words := s.words(); words != "" {
				text = words
				if at := where[s.Where]; at != "" {
					text += " " + at
				}
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// modes says what a mode of Claude Code allows.
var modes = map[string]string{"acceptEdits": "all edits", "bypassPermissions": "everything"}

func (s *suggestion) words() string {
	switch s.Type {
	case "addRules":
		var rules []string
		for _, r := range s.Rules {
			rule := r.Tool
			if r.Text != "" {
				rule += "(" + r.Text + ")"
			}
			rules = append(rules, rule)
		}
		return strings.Join(rules, ", ")
	case "setMode":
		return cmp.Or(modes[s.Mode], "the mode "+s.Mode)
	case "addDirectories":
		return "work in " + strings.Join(s.Directories, ", ")
	}
	return ""
}
