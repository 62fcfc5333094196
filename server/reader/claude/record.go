package claude

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/server/shell"
	"agentdungeon/shared/world"
)

// record has the fields of a line that the reader uses. All other fields are ignored.
type record struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	UUID        string          `json:"uuid"`
	Parent      string          `json:"parentUuid"`
	Timestamp   time.Time       `json:"timestamp"`
	Cwd         string          `json:"cwd"`
	SessionID   string          `json:"sessionId"`
	PromptID    string          `json:"promptId"`
	Asked       string          `json:"requestSessionId"` // the session that made the request; only copied answers have it
	ForkedFrom  *struct{}       `json:"forkedFrom"`       // in records of older versions
	IsMeta      bool            `json:"isMeta"`
	IsSidechain bool            `json:"isSidechain"`
	IsSummary   bool            `json:"isCompactSummary"`
	IsAPIError  bool            `json:"isApiErrorMessage"`
	TurnOrigin  string          `json:"turnOrigin"`
	Source      string          `json:"promptSource"`
	Origin      json.RawMessage `json:"origin"`
	RequestID   string          `json:"requestId"`
	Decision    json.RawMessage `json:"permissionDecision"` // for a result: who decided whether the tool may run
	Denial      string          `json:"toolDenialKind"`     // for a result: why the tool did not run
	Result      json.RawMessage `json:"toolUseResult"`
	AITitle     string          `json:"aiTitle"`
	CustomTitle string          `json:"customTitle"`
	Attachment  json.RawMessage `json:"attachment"`
	Message     struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   json.RawMessage `json:"usage"`
	} `json:"message"`
}

type usage struct {
	Input      int    `json:"input_tokens"`
	Output     int    `json:"output_tokens"`
	CacheRead  int    `json:"cache_read_input_tokens"`
	CacheWrite int    `json:"cache_creation_input_tokens"`
	Speed      string `json:"speed"`
	Split      struct {
		Hour int `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	CallID   string          `json:"tool_use_id"`
	IsError  bool            `json:"is_error"`
	Content  json.RawMessage `json:"content"`
}

// silent has the record types of version 2.1.330 that are not part of the conversation. They are 95 % of the bytes of
// a file.
var silent = map[string]bool{
	"queue-operation": true, "file-history-snapshot": true, "file-history-delta": true, "mode": true, "atis-latch": true,
	"permission-mode": true, "last-prompt": true, "agent-name": true, "worktree-state": true, "relocated": true,
	"tools-used":  true,
	"api-request": true, "api-request-shape": true, "api-request-blob": true, "summary": true,
	"progress": true, "attachment": true,
}

var (
	typeFirst  = []byte(`{"type":"`)
	attachment = []byte(`"attachment":{"type":"`)
	queued     = []byte(`queued_command"`)
	hookEnded  = []byte(stopped + `"`)
)

// stopped is the type of the attachment that a hook has ended the turn.
const stopped = "hook_stopped_continuation"

// skips reports, from the first bytes of a line only, whether the line is not part of the conversation. These bytes
// contain the field "type" or the field "attachment" before any text. A text cannot look like them, because its
// quotes are escaped.
func skips(line []byte) bool {
	if rest, ok := bytes.CutPrefix(line, typeFirst); ok {
		name, _, _ := bytes.Cut(rest[:min(len(rest), 64)], []byte{'"'})
		return silent[string(name)]
	}
	head := line[:min(len(line), 600)]
	at := bytes.Index(head, attachment)
	if at < 0 {
		return false
	}
	kind := line[at+len(attachment):]
	return !bytes.HasPrefix(kind, queued) && !bytes.HasPrefix(kind, hookEnded)
}

// field returns the string in the field name of a line, without parsing the line. If there are several such fields,
// it returns that of the last one.
func field(line []byte, name string) string {
	at := bytes.LastIndex(line, []byte(`"`+name+`":"`))
	if at < 0 {
		return ""
	}
	value, _, _ := bytes.Cut(line[at+len(name)+4:], []byte{'"'})
	return string(value[:min(len(value), 64)])
}

// key returns the id and the time of a line, by which package jsonl recognises the line.
func key(line []byte) (string, time.Time) {
	id := field(line, "uuid")
	if id == "" {
		return "", time.Time{}
	}
	at, err := time.Parse(time.RFC3339, field(line, "timestamp"))
	if err != nil {
		at = time.Time{}
	}
	return id, at
}

// parse parses a line. known is false if this version does not know the type of the record.
func parse(line []byte) (r record, known bool, err error) {
	if err = json.Unmarshal(line, &r); err != nil {
		// A field has another type than expected. The other fields of the record are still used.
		if _, shape := err.(*json.UnmarshalTypeError); !shape || !bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte{'{'}) {
			return r, false, err
		}
		err = nil
	}
	switch r.Type {
	case "user", "assistant", "system", "ai-title", "custom-title", costState:
		return r, true, nil
	}
	return r, silent[r.Type], nil
}

// entries returns the entries of a record. dir is the session's working directory.
func (r *record) entries(dir string) []shadow.Entry {
	switch {
	case r.Type == "user":
		return r.user(dir)
	case r.Type == "assistant":
		return r.assistant(dir)
	case r.Type == "system" && r.Subtype == "turn_duration":
		return []shadow.Entry{r.entry(0, shadow.Turn, "")}
	case r.Type == "attachment" && in(r.Attachment, "type") == stopped:
		return []shadow.Entry{r.entry(0, shadow.Stopped, in(r.Attachment, "message"))}
	case r.Type == "attachment" && in(r.Attachment, "type") == "queued_command":
		// A prompt that a person typed while the agent was busy, or the notification of a task.
		var queued struct {
			Prompt json.RawMessage `json:"prompt"`
		}
		_ = json.Unmarshal(r.Attachment, &queued) // fields of another type stay empty
		text, typed := plain(queued.Prompt), in(r.Attachment, "commandMode") == "prompt"
		if notice := noticed(text); notice != "" && !typed {
			return []shadow.Entry{r.entry(0, shadow.Notice, notice)}
		}
		e := r.entry(0, shadow.Prompt, text)
		e.Human = typed
		return []shadow.Entry{e}
	}
	return nil
}

// entry returns the entry for block number i of a record.
func (r *record) entry(i int, kind shadow.Kind, text string) shadow.Entry {
	id := r.UUID
	if i > 0 {
		id += "/" + strconv.Itoa(i)
	}
	e := shadow.Entry{ID: id, At: r.Timestamp, Kind: kind}
	e.Text, e.Cut = world.Cut(text, shadow.MaxText)
	return e
}

// The function in returns the string in one field of a JSON object, "" for none. name is the name of the field.
func in(object json.RawMessage, name string) string {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return ""
	}
	text, _ := fields[name].(string)
	return text
}

// asks reports whether the record is a prompt and not the result of a tool or a notice of the program.
func (r *record) asks() bool {
	return r.Type == "user" && !r.IsMeta && (r.Source == "typed" || r.TurnOrigin == "human" || r.TurnOrigin == "sdk")
}

func (r *record) user(dir string) []shadow.Entry {
	if r.IsSummary {
		return []shadow.Entry{r.entry(0, shadow.Compacted, plain(r.Message.Content))}
	}
	if r.IsMeta {
		return nil
	}
	var entries []shadow.Entry
	for i, b := range blocks(r.Message.Content) {
		switch {
		case b.Type == "tool_result" && b.CallID != "":
			e := r.entry(i, shadow.Result, plain(b.Content))
			e.CallID, e.OK = b.CallID, !b.IsError
			e.Ended = strings.HasPrefix(e.Text, "Exit code ") ||
				e.OK && bytes.Contains(r.Result, []byte(`"stdout"`)) && in(r.Result, "backgroundTaskId") == ""
			e.Person = strings.HasPrefix(in(r.Decision, "source"), "user_") // other sources are settings and hooks
			e.Refused = r.Denial == "user-rejected"                         // other kinds are rules of the settings and hooks
			entries = append(entries, e)
		case b.Type != "text", strings.HasPrefix(b.Text, "<local-command-"),
			strings.HasPrefix(b.Text, "<command-") && r.Source == "":
			// A command of the program itself, such as /clear, or a picture.
		case strings.HasPrefix(b.Text, "[Request interrupted by user"):
			entries = append(entries, r.entry(i, shadow.Stopped, ""))
		case strings.HasPrefix(b.Text, typedBegin): // as a call, so that the rules for calls hold for its output (P17.9)
			e := r.entry(i, shadow.Call, "")
			e.CallID, e.Tool = r.UUID, tool(block{Name: typedCommand, Input: typedInput(b.Text)}, dir)
			entries = append(entries, e)
		case strings.HasPrefix(b.Text, outputBegin):
			e := r.entry(i, shadow.Result, typedOutput(b.Text))
			e.CallID, e.OK = r.Parent, true // the record does not say whether the command has failed
			entries = append(entries, e)
		case in(r.Origin, "kind") == "task-notification" && noticed(b.Text) != "":
			entries = append(entries, r.entry(i, shadow.Notice, noticed(b.Text)))
		default:
			e := r.entry(i, shadow.Prompt, prompted(b.Text))
			e.Human = r.TurnOrigin == "human" || in(r.Origin, "kind") == "human" || r.Source == "typed"
			entries = append(entries, e)
		}
	}
	return entries
}

func (r *record) assistant(dir string) []shadow.Entry {
	var entries []shadow.Entry
	for i, b := range blocks(r.Message.Content) {
		switch {
		case b.Type == "text" && r.IsAPIError:
			entries = append(entries, r.entry(i, shadow.Failed, b.Text))
		case b.Type == "text" && b.Text != "":
			entries = append(entries, r.entry(i, shadow.Words, b.Text))
		case b.Type == "thinking" && b.Thinking != "":
			entries = append(entries, r.entry(i, shadow.Thought, b.Thinking))
		case b.Type == "tool_use" && b.ID != "":
			e := r.entry(i, shadow.Call, "")
			e.CallID, e.Tool = b.ID, tool(b, dir)
			entries = append(entries, e)
		}
	}
	u := r.usage()
	if u == nil {
		return entries
	}
	if len(entries) == 0 {
		return append(entries, r.spent(u))
	}
	entries[0].Usage = u
	return entries
}

func (r *record) spent(u *shadow.Usage) shadow.Entry {
	e := r.entry(0, shadow.Spent, "")
	e.Usage = u
	return e
}

// copied reports whether an answer was copied from another session.
func (r *record) copied() bool { return r.ForkedFrom != nil || r.Asked != "" && r.Asked != r.SessionID }

// usage returns the token usage of a request. Every record of one message repeats it, and the first records can have
// fewer output tokens, so the one with the most tokens counts. Messages of the program itself have the model
// "<synthetic>" and no usage.
func (r *record) usage() *shadow.Usage {
	if len(r.Message.Usage) == 0 || r.Message.ID == "" || strings.HasPrefix(r.Message.Model, "<") {
		return nil
	}
	var u *usage
	if json.Unmarshal(r.Message.Usage, &u); u == nil { // fields of another type stay 0
		return nil
	}
	long := min(u.Split.Hour, u.CacheWrite)
	model := r.Message.Model
	if u.Speed != "" && u.Speed != "standard" {
		model += "-" + u.Speed // another speed has another price
	}
	return &shadow.Usage{
		Key: r.Message.ID + "/" + r.RequestID, Model: model, Input: u.Input, Output: u.Output,
		CacheRead: u.CacheRead, CacheWrite: u.CacheWrite - long, CacheLong: long,
		Context: u.Input + u.Output + u.CacheRead + u.CacheWrite,
	}
}

// blocks returns the content of a message, which is a text or a list of blocks.
func blocks(raw json.RawMessage) []block {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	all := make([]block, len(list))
	for i, one := range list {
		if json.Unmarshal(one, &all[i]) != nil && all[i].Type == "" {
			all[i].Type = "?"
		}
	}
	return all
}

// plain returns the text of a message's content, each block on a line of its own.
func plain(raw json.RawMessage) string {
	var texts []string
	for _, b := range blocks(raw) {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// reads and edits are the program's own tools that name a file or a folder.
var (
	reads = map[string]bool{"Read": true, "Glob": true, "Grep": true, "LS": true, "NotebookRead": true, "WebFetch": true,
		"WebSearch": true, "TaskOutput": true, "BashOutput": true}
	edits = map[string]bool{"Edit": true, "MultiEdit": true, "Write": true, "NotebookEdit": true}
)

// tool returns the tool call of a block.
func tool(b block, dir string) *shadow.Tool {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Command  string `json:"command"`
		About    string `json:"description"`
		Pattern  string `json:"pattern"`
		URL      string `json:"url"`
		Query    string `json:"query"`
		Asked    []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	_ = json.Unmarshal(b.Input, &in) // fields of another type stay empty
	t := &shadow.Tool{Name: b.Name, Reads: reads[b.Name]}
	t.Input, _ = world.Cut(string(b.Input), shadow.MaxInput)
	file := in.File
	if file == "" {
		file = in.Notebook
	}
	if file != "" && !filepath.IsAbs(file) && dir != "" {
		file = filepath.Join(dir, file)
	}
	if filepath.IsAbs(file) && (reads[b.Name] || edits[b.Name]) {
		t.Touches = []shadow.Touch{{Path: filepath.Clean(file), Edit: edits[b.Name]}}
	}
	if b.Name == "Bash" {
		files, _ := shell.Files(in.Command, dir)
		for _, f := range files {
			t.Touches = append(t.Touches, shadow.Touch{Path: f.Path, Edit: f.Edit})
		}
	}
	brief := in.Command
	if file != "" {
		brief = filepath.Base(file)
	}
	if len(in.Asked) > 0 {
		brief = in.Asked[0].Question
	}
	for _, other := range []string{in.Pattern, in.URL, in.Query, in.About} {
		if brief == "" {
			brief = other
		}
	}
	t.Brief, _ = world.Cut(strings.Join(strings.Fields(brief), " "), shadow.MaxReason)
	return t
}
