package codex

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
)

// record is one line of a rollout. Codex 0.169 writes {timestamp, ordinal, type, payload}. Older versions wrote no
// ordinal, and the oldest wrote no wrapper: the line was the item itself.
type record struct {
	Timestamp string          `json:"timestamp"`
	Ordinal   *int64          `json:"ordinal"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	ID        string          `json:"id"` // in a line without a wrapper
}

// parse parses a line. A line without wrapper becomes a record of the type that Codex 0.169 would give it.
func parse(line []byte) (record, bool) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, false
	}
	if r.Payload != nil {
		return r, true
	}
	var bare struct {
		State string `json:"record_type"`
	}
	_ = json.Unmarshal(line, &bare)
	switch {
	case r.Type == "" && r.ID != "" && r.Timestamp != "":
		r.Type = "session_meta"
	case bare.State != "":
		r.Type = "record_" + bare.State
	case r.Type == "":
		r.Type = "(none)"
	case items[r.Type]:
		r.Type = "response_item"
	}
	r.Payload = bytes.Clone(line)
	return r, true
}

func (r record) at() time.Time {
	at, err := time.Parse(time.RFC3339Nano, r.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// id returns the id of a record in its file, "" for a line without wrapper. The ordinals continue when a session is
// resumed.
func (r record) id() string {
	switch {
	case r.Ordinal != nil:
		return "o" + strconv.FormatInt(*r.Ordinal, 10)
	case r.Timestamp != "":
		return "t" + strconv.FormatUint(jsonl.Sum(append([]byte(r.Timestamp), r.Payload...)), 36)
	}
	return ""
}

// key returns the id and the time of a line, by which jsonl.Read recognises the line.
func key(line []byte) (string, time.Time) {
	r, ok := parse(line)
	if !ok {
		return "", time.Time{}
	}
	return r.id(), r.at()
}

// items are the types of response_item, which are also the types of lines without wrapper.
var items = map[string]bool{
	"message": true, "reasoning": true, "function_call": true, "function_call_output": true, "custom_tool_call": true,
	"custom_tool_call_output": true, "local_shell_call": true, "web_search_call": true, "tool_search_call": true,
	"tool_search_output": true, "image_generation_call": true, "ghost_snapshot": true, "compaction": true,
	"context_compaction": true, "compaction_summary": true, "mcp_tool_call_output": true, "agent_message": true,
}

// meta is the payload of session_meta, the first record.
type meta struct {
	ID        string          `json:"id"`
	Timestamp string          `json:"timestamp"`
	Dir       string          `json:"cwd"`
	Source    json.RawMessage `json:"source"`
	Fork      string          `json:"forked_from_id"`
	ParentID  string          `json:"parent_thread_id"`
	Nickname  string          `json:"agent_nickname"`
	Role      string          `json:"agent_role"`
	History   string          `json:"history_mode"`
}

// spawn is the content of meta.Source for a sub-agent.
type spawn struct {
	Subagent struct {
		Spawn struct {
			Parent   string `json:"parent_thread_id"`
			Nickname string `json:"agent_nickname"`
			Role     string `json:"agent_role"`
		} `json:"thread_spawn"`
	} `json:"subagent"`
}

// turnContext is the payload of turn_context, which begins a turn.
type turnContext struct {
	TurnID   string `json:"turn_id"`
	Dir      string `json:"cwd"`
	Model    string `json:"model"`
	Policy   string `json:"approval_policy"`
	Reviewer string `json:"approvals_reviewer"`
}

// item is the payload of response_item.
type item struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Summary json.RawMessage `json:"summary"`
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	Space   string          `json:"namespace"`
	Args    json.RawMessage `json:"arguments"` // for function_call: JSON in a string
	Input   string          `json:"input"`     // in a custom_tool_call
	Action  json.RawMessage `json:"action"`    // in a local_shell_call or web_search_call
	Output  json.RawMessage `json:"output"`
	Inside  struct {
		TurnID string   `json:"turn_id"`
		Kinds  []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

// event has the fields of an event_msg's payload that the reader uses.
type event struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Window  int    `json:"model_context_window"`
	TurnID  string `json:"turn_id"`
	Reason  string `json:"reason"`
	Name    string `json:"thread_name"`
	Item    struct {
		Type      string          `json:"type"`
		Content   json.RawMessage `json:"content"`
		Fragments []struct {
			Text string `json:"text"`
		} `json:"fragments"`
	} `json:"item"`
	Started int64 `json:"started_at"` // seconds since 1970
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
	Info *struct {
		Total  tokens  `json:"total_token_usage"`
		Last   *tokens `json:"last_token_usage"`
		Window int     `json:"model_context_window"`
	} `json:"info"`
}

// used is the payload of token_usage_record.
type used struct {
	ResponseID string `json:"response_id"`
	Usage      tokens `json:"usage"`
	Thread     tokens `json:"thread_token_usage"`
}

// tokens has the numbers as the API counts them: input_tokens includes the cached tokens.
type tokens struct {
	Input  int `json:"input_tokens"`
	Cached int `json:"cached_input_tokens"`
	Write  int `json:"cache_write_input_tokens"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
}

// textOf returns the text of a message's content, which is a string or a list of parts. If kinds has the kinds of the
// parts, textOf uses only the parts that the person wrote.
func textOf(content json.RawMessage, kinds []string) string {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		var one struct {
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(content, &one) == nil && len(one.Content) > 0 && one.Content[0] != '{' {
			return textOf(one.Content, nil)
		}
		return string(content)
	}
	var b strings.Builder
	for i, p := range parts {
		if i < len(kinds) && !strings.HasPrefix(kinds[i], "user.") {
			continue
		}
		if p.Text == "" && strings.Contains(p.Type, "image") {
			p.Text = "[image]"
		}
		if b.Len() > 0 && p.Text != "" {
			b.WriteByte('\n')
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, path)
}

// contextDir returns the working directory if the line is a turn_context, else "".
func contextDir(line []byte) string {
	rec, ok := parse(line)
	var c turnContext
	if !ok || rec.Type != "turn_context" || json.Unmarshal(rec.Payload, &c) != nil {
		return ""
	}
	return clean(c.Dir)
}

func clean(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// asksPerson reports whether Codex asks a person before it runs a call outside the sandbox. If not, it asks nobody,
// or another program that reviews the call.
func asksPerson(policy, reviewer string) bool {
	return policy != "never" && (reviewer == "" || reviewer == "user")
}
