package gemini

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
	"agentdungeon/server/shell"
	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// record has the fields of a line that the reader uses. The first line describes the session (SessionID). Each
// other line is a message (ID), a change of the description (Set), or a return to the history before a message
// (Rewind).
//
// If a message gets more content, the program writes it again with the same id: it writes the answer of the model
// first without its tool calls, and again with them when all of them have ended.
type record struct {
	SessionID string    `json:"sessionId"`
	StartTime time.Time `json:"startTime"`
	Kind      string    `json:"kind"` // main or subagent

	ID        string          `json:"id"`
	Timestamp time.Time       `json:"timestamp"` // when the message began
	Type      string          `json:"type"`      // user, gemini, info, error, warning
	Content   json.RawMessage `json:"content"`
	Display   json.RawMessage `json:"displayContent"` // the text that the person typed, if the program has added to it
	Thoughts  []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	Tokens    *tokens    `json:"tokens"`
	Model     string     `json:"model"`
	ToolCalls []toolCall `json:"toolCalls"`

	Set    set     `json:"$set"`
	Rewind *string `json:"$rewindTo"`
}

type set struct {
	given       bool
	SessionID   string    `json:"sessionId"`
	LastUpdated time.Time `json:"lastUpdated"`
	Messages    []record  `json:"messages"` // the history that the model gets from now on
	Summary     string    `json:"summary"`  // the title; for a sub-agent that has ended, its result
}

func (s *set) UnmarshalJSON(b []byte) error {
	type plain set
	err := json.Unmarshal(b, (*plain)(s))
	s.given = true
	return err
}

type tokens struct {
	Input    int `json:"input"` // includes the tokens from the cache
	Output   int `json:"output"`
	Cached   int `json:"cached"`
	Thoughts int `json:"thoughts"`
	Tool     int `json:"tool"`
	Total    int `json:"total"`
}

type toolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Result    json.RawMessage `json:"result"`
	Status    string          `json:"status"` // success, error, cancelled
	Timestamp time.Time       `json:"timestamp"`
	Title     string          `json:"description"`
	AgentID   string          `json:"agentId"` // the sub-agent that the call has started
}

type part struct {
	Text     string `json:"text"`
	Response *struct {
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// Texts that the program itself writes.
const (
	opening   = "<session_context>" // begins the first message of a history
	hookNote  = "<hook_context>"
	cancelled = "Request cancelled."                         // of the info record after a denial or interruption
	denied    = "User denied execution."                     // the end of the result of a call that a person refused
	shortened = "Got it. Thanks for the additional context!" // the model's message after a summary of the history
)

// types has the record types of messages.
var types = map[string]bool{"user": true, "gemini": true, "info": true, "error": true, "warning": true}

// parse returns a line as a record.
func parse(line []byte) (r record, err error) {
	head := line[:min(len(line), 64)]
	if bytes.Contains(head, []byte(`"$set":{"messages"`)) && !bytes.Contains(line, []byte(shortened)) {
		// The list repeats the whole history. Only the record's time is used.
		r.Set.given, r.Set.Messages = true, []record{}
		r.Set.LastUpdated = timeOf(line, bytes.LastIndex(line, []byte(`"lastUpdated":"`)), `"lastUpdated":"`)
		return r, nil
	}
	if err = json.Unmarshal(line, &r); err != nil {
		// A field has another type than expected. The other fields of the record are still used.
		if _, shape := err.(*json.UnmarshalTypeError); shape && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte{'{'}) {
			err = nil
		}
	}
	return r, err
}

// timeOf returns the time in the field that begins at the offset at, or zero. A negative offset means that there is no
// such field.
func timeOf(line []byte, at int, field string) time.Time {
	if at < 0 {
		return time.Time{}
	}
	rest := line[at+len(field):]
	value, _, _ := bytes.Cut(rest[:min(len(rest), 64)], []byte{'"'})
	t, err := time.Parse(time.RFC3339, string(value))
	if err != nil {
		return time.Time{}
	}
	return t
}

// key returns the id and the time of a line, by which package jsonl recognises the line. A message that was written
// again with more content gets another id, because it is another line.
func key(line []byte) (string, time.Time) {
	head := line[:min(len(line), 32)]
	at := bytes.Index(head, []byte(`"id":"`))
	if at < 0 {
		at = bytes.Index(head, []byte(`"sessionId":"`))
	}
	if at < 0 || bytes.Contains(head, []byte(`"$set"`)) {
		return "", time.Time{}
	}
	const field = `"timestamp":"`
	id := strconv.FormatUint(jsonl.Sum(line[at:]), 36)
	return id, timeOf(line, bytes.Index(line[:min(len(line), 256)], []byte(field)), field)
}

// parts returns the parts of a content, which is a text, a part or a list of parts.
func parts(raw json.RawMessage) []part {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []part{{Text: text}}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var all []part
	for _, one := range list {
		var p part
		if json.Unmarshal(one, &p) != nil && json.Unmarshal(one, &p.Text) != nil {
			continue // a value of another type has no text
		}
		all = append(all, p)
	}
	return all
}

// text returns the text of a content, each part on a line of its own. It leaves out the texts that the program has
// put before a prompt.
func text(raw json.RawMessage) string {
	var texts []string
	for _, p := range parts(raw) {
		if p.Text != "" && !strings.HasPrefix(p.Text, opening) && !strings.HasPrefix(p.Text, hookNote) {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// headed reports whether a message is the first of a history: it begins with the text that the program puts there.
func (r *record) headed() bool {
	all := parts(r.Content)
	return r.Type == "user" && len(all) > 0 && strings.HasPrefix(all[0].Text, opening)
}

// answers reports whether a message has results of tools for the model.
func (r *record) answers() bool {
	for _, p := range parts(r.Content) {
		if p.Response != nil {
			return true
		}
	}
	return false
}

// synthetic reports whether the program has put an answer into the history in the model's name. Answers of the model
// itself have a text, which can be empty.
func (r *record) synthetic() bool {
	return r.Type == "gemini" && !bytes.HasPrefix(r.Content, []byte{'"'}) && len(r.ToolCalls) == 0 && r.Tokens == nil
}

// title returns the title that a record gives the session, "" for none.
func (r *record) title() string { return brief(r.Set.Summary) }

func brief(text string) string {
	short, _ := world.Cut(strings.Join(strings.Fields(text), " "), shadow.MaxReason)
	return short
}

// copies recognises copies of messages. When a person denies a call, the program replaces the history by one without
// that turn: within some milliseconds it writes each remaining message again, with a new id and the present time, and
// then the list of them in Set.Messages.
type copies struct {
	// Copy is the time of the first copy, in milliseconds since 1970. It is 0 if the program writes no copies now.
	Copy int64 `json:"y,omitempty"`
}

// window is the maximum time in which the program writes all copies of messages. It matters if the program was
// killed before it wrote the list of them.
const window = 2 * time.Second

// repeats takes the next record of the transcript and reports whether it is a copy of an earlier message.
func (c *copies) repeats(r *record) bool {
	switch {
	case r.Set.Messages != nil:
		c.Copy = 0
	case r.synthetic() || r.headed():
		if c.Copy == 0 {
			c.Copy = r.Timestamp.UnixMilli()
		}
		return true
	case r.Type == "user" && c.Copy != 0:
		if age := r.Timestamp.UnixMilli() - c.Copy; age >= 0 && age <= window.Milliseconds() {
			return true
		}
		c.Copy = 0
	}
	return false
}

// entry returns an entry of a message.
func (r *record) entry(suffix string, kind shadow.Kind, text string) shadow.Entry {
	e := shadow.Entry{ID: r.ID + suffix, At: r.Timestamp, Kind: kind}
	e.Text, e.Cut = world.Cut(text, shadow.MaxText)
	return e
}

// entries returns the entries of a message. dir is the working directory. It never sets Entry.Human, because the
// record does not say whether a person typed a prompt.
func (r *record) entries(dir string) []shadow.Entry {
	switch r.Type {
	case "user":
		prompt := text(r.Display)
		if prompt == "" {
			prompt = text(r.Content)
		}
		if prompt != "" && !r.answers() {
			return []shadow.Entry{r.entry("", shadow.Prompt, prompt)}
		}
	case "info":
		if text(r.Content) == cancelled {
			return []shadow.Entry{r.entry("", shadow.Stopped, "")}
		}
	case "error":
		return []shadow.Entry{r.entry("", shadow.Failed, text(r.Content))}
	case "gemini":
		return r.answer(dir)
	}
	return nil
}

func (r *record) answer(dir string) []shadow.Entry {
	var all []shadow.Entry
	for i, t := range r.Thoughts {
		if said := strings.TrimSpace(t.Subject + "\n" + t.Description); said != "" {
			all = append(all, r.entry("/t"+strconv.Itoa(i), shadow.Thought, said))
		}
	}
	if said := text(r.Content); said != "" {
		all = append(all, r.entry("", shadow.Words, said))
	}
	if u := r.Tokens; u != nil {
		e := r.entry("/u", shadow.Spent, "")
		e.Usage = &shadow.Usage{Key: r.ID, Model: r.Model, Input: max(u.Input-u.Cached, 0) + u.Tool,
			Output: u.Output + u.Thoughts, CacheRead: u.Cached, Context: u.Total}
		all = append(all, e)
	}
	for _, c := range r.ToolCalls {
		if c.ID == "" {
			continue
		}
		e := r.entry("/"+c.ID, shadow.Call, "")
		e.CallID, e.Tool = c.ID, c.tool(dir)
		all = append(all, e)
		switch c.Status {
		case "success", "error", "cancelled":
			e := r.entry("/"+c.ID+"/r", shadow.Result, c.output())
			e.CallID, e.OK = c.ID, c.Status == "success"
			if e.OK && c.Name == "run_shell_command" {
				e.OK, e.Ended = !exited.MatchString(e.Text), !background.MatchString(e.Text)
			}
			e.Refused = c.Status == "cancelled" && strings.HasSuffix(e.Text, denied)
			if !c.Timestamp.IsZero() {
				e.At = c.Timestamp
			}
			all = append(all, e)
		}
	}
	return all
}

// exited matches the line in the result of a command that says that it has failed. Its status is success nevertheless.
var exited = pattern.New(`(?m)^Exit Code: -?[1-9]`)

// background matches a result that says that the command goes on.
var background = pattern.New(`(?i)moved to background|running in the background`)

// output returns the text that the model gets as the result of a call.
func (c *toolCall) output() string {
	var texts []string
	for _, p := range parts(c.Result) {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
		if p.Response == nil {
			continue
		}
		var out struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		}
		if json.Unmarshal(p.Response.Response, &out) != nil || out.Output+out.Error == "" {
			texts = append(texts, string(p.Response.Response))
			continue
		}
		texts = append(texts, out.Output+out.Error)
	}
	return strings.Join(texts, "\n")
}

// reads has the program's own tools that only read, and edits those that edit a file.
var (
	reads = map[string]bool{"read_file": true, "read_many_files": true, "list_directory": true, "glob": true,
		"grep_search": true, "search_file_content": true, "google_web_search": true, "web_fetch": true,
		"get_internal_docs": true}
	edits = map[string]bool{"replace": true, "write_file": true, "edit": true}
)

// tool returns a call as a shadow.Tool.
func (c *toolCall) tool(dir string) *shadow.Tool {
	var in struct {
		File     string `json:"file_path"`
		Absolute string `json:"absolute_path"` // in records of older versions
		Command  string `json:"command"`
		Pattern  string `json:"pattern"`
		Query    string `json:"query"`
		Folder   string `json:"dir_path"`
		Agent    string `json:"agent_name"`
	}
	_ = json.Unmarshal(c.Args, &in) // fields of another type stay empty
	t := &shadow.Tool{Name: c.Name, Reads: reads[c.Name]}
	t.Input, _ = world.Cut(string(c.Args), shadow.MaxInput)
	file := in.File
	if file == "" {
		file = in.Absolute
	}
	short := in.Command
	if file != "" {
		short = filepath.Base(file)
		if !filepath.IsAbs(file) && dir != "" {
			file = filepath.Join(dir, file)
		}
	}
	if filepath.IsAbs(file) && (reads[c.Name] || edits[c.Name]) {
		t.Touches = []shadow.Touch{{Path: filepath.Clean(file), Edit: edits[c.Name]}}
	}
	if c.Name == "run_shell_command" {
		files, _ := shell.Files(in.Command, filepath.Join(dir, in.Folder))
		for _, f := range files {
			t.Touches = append(t.Touches, shadow.Touch{Path: f.Path, Edit: f.Edit})
		}
	}
	for _, other := range []string{in.Pattern, in.Query, in.Folder, in.Agent, c.Title} {
		if short == "" {
			short = other
		}
	}
	t.Brief = brief(short)
	return t
}
