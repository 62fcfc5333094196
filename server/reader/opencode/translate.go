package opencode

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/server/shell"
	"agentdungeon/shared/world"
)

// position is the content of a shadow.Position.
type position struct {
	Seq      int64     `json:"q"`           // seq of the last event that was read, -1 for none
	Created  int64     `json:"b,omitempty"` // time at which the session was created, in milliseconds since 1970
	Title    string    `json:"t,omitempty"` // checksum of the title
	Dir      string    `json:"w,omitempty"` // checksum of the working directory
	Messages []message `json:"m,omitempty"` // the newest messages, at most maxMessages
	Open     []string  `json:"o,omitempty"` // checksums of tool calls that have begun and not ended, at most maxOpen
	Done     []string  `json:"d,omitempty"` // checksums of texts and calls whose entry was returned, the newest maxDone
	Text     string    `json:"x,omitempty"` // id of the text that an agent has begun and not ended
	Rejected string    `json:"r,omitempty"` // id of the message in which a person has refused a tool call
}

// Maximum numbers of elements in the lists of a position. They keep its JSON below shadow.MaxPosition bytes.
const (
	maxMessages = 6
	maxOpen     = 60
	maxDone     = 120
)

// message has those fields of a message that the events about its parts do not contain.
type message struct {
	ID      string `json:"i"`
	User    bool   `json:"u,omitempty"`
	Summary bool   `json:"s,omitempty"` // the message summarizes the context
	Model   string `json:"m,omitempty"`
	Created int64  `json:"c,omitempty"`
}

// translator turns events into entries.
type translator struct {
	session *shadow.Session
	at      position
	counts  *shadow.Counts
	entries []shadow.Entry
}

// infoRecord is the content of an event about a session or a message.
type infoRecord struct{ Info info }

// partRecord is the content of an event about a part of a message.
type partRecord struct {
	Part part
	Time float64
}

type span struct {
	Created, Updated, Completed, Start, End float64
}

// info has fields of a session or a message.
type info struct {
	ID, Role, Finish    string
	Title, Directory    *string
	Time                span
	ModelID             string
	Summary             json.RawMessage // for a message it is true, for a session it has numbers
	Error               *failure
	ParentID, SessionID string
}

type failure struct {
	Name string
	Data struct{ Message string }
}

type part struct {
	ID, MessageID, Type, Text string
	Synthetic, Ignored        bool
	Time                      *span
	CallID, Tool              string
	State                     toolState
	Cost                      float64
	Tokens                    struct {
		Input, Output, Reasoning int
		Cache                    struct{ Read, Write int }
	}
}

type toolState struct {
	Status, Output, Error string
	Input                 json.RawMessage
	Time                  span
	Metadata              json.RawMessage
}

// exit returns the status with which the tool's command ended, nil for none. Whatever it is, the tool's own status is
// completed.
func (s *toolState) exit() *int {
	var of struct{ Exit *int }
	if json.Unmarshal(s.Metadata, &of) != nil {
		return nil
	}
	return of.Exit
}

func (t *translator) event(e event) {
	t.at.Seq = max(t.at.Seq, e.seq)
	if e.data == nil {
		t.counts.TooLong++
		t.add(shadow.Entry{ID: e.id, Kind: shadow.Lost, Text: fmt.Sprintf("%s of %d bytes", e.kind, e.size)})
		return
	}
	switch e.kind {
	case "session.created.1", "session.updated.1", "message.updated.1":
		var r infoRecord
		if t.decode(e, &r) {
			t.info(e, r.Info)
		}
	case "message.part.updated.1":
		var r partRecord
		if t.decode(e, &r) {
			t.part(r)
		}
	case "session.deleted.1", "message.removed.1", "message.part.removed.1": // a deleted message stays in the transcript
	default:
		t.unknown(e.kind)
	}
}

// decode decodes the content of an event. If that fails, it counts the event and returns false.
func (t *translator) decode(e event, to any) bool {
	err := json.Unmarshal(e.data, to)
	if err != nil {
		t.counts.Broken++
	}
	return err == nil
}

func (t *translator) info(e event, i info) {
	switch e.kind {
	case "session.created.1":
		t.at.Created = int64(i.Time.Created)
		if i.Directory != nil {
			t.at.Dir = sum(*i.Directory)
		}
		t.named(e, i)
	case "session.updated.1":
		t.named(e, i)
	default:
		t.message(i)
	}
}

// named records the title and the directory of a session. Each event session.updated repeats both, so named adds
// entries only for changes.
func (t *translator) named(e event, i info) {
	at := millis(i.Time.Updated)
	if i.Title != nil {
		name, title := names(*i.Title, t.session.Parent != "")
		if name != "" {
			t.session.Name = name
		}
		if key := sum(title); title != "" && key != t.at.Title {
			t.at.Title, t.session.Title = key, title
			t.add(shadow.Entry{ID: e.id + ":title", At: at, Kind: shadow.Titled, Text: title})
		}
	}
	if dir := i.Directory; dir != nil && filepath.IsAbs(*dir) {
		if key := sum(*dir); key != t.at.Dir {
			t.at.Dir, t.session.Dir = key, *dir
			t.add(shadow.Entry{ID: e.id + ":dir", At: at, Kind: shadow.Moved, Text: *dir})
		}
	}
}

// message records a message, and adds an entry if the message ends the turn. A message of the agent is one request
// to the model. If its finish is tool-calls, another message follows, unless a person has refused one of the calls.
// The event with time.completed can come after the next prompt.
func (t *translator) message(m info) {
	if m.ID == "" || len(m.ID) > 100 {
		t.counts.Broken++
		return
	}
	summary := string(m.Summary) == "true"
	if !slices.ContainsFunc(t.at.Messages, func(o message) bool { return o.ID == m.ID }) {
		t.at.Messages = append(t.at.Messages, message{ID: m.ID, User: m.Role == "user", Summary: summary,
			Model: m.ModelID[:min(len(m.ModelID), 100)], Created: int64(m.Time.Created)})
		t.at.Messages = t.at.Messages[max(0, len(t.at.Messages)-maxMessages):]
	}
	if m.Role == "user" || m.Time.Completed == 0 && m.Error == nil {
		return
	}
	e := shadow.Entry{ID: m.ID + ":end", At: millis(m.Time.Completed), Kind: shadow.Turn}
	switch {
	case m.Error != nil && m.Error.Name == "MessageAbortedError":
		e.Kind = shadow.Stopped
	case m.Error != nil:
		e.Kind = shadow.Failed
		if e.Text = m.Error.Data.Message; e.Text == "" {
			e.Text = m.Error.Name
		}
	case summary:
		e.Kind = shadow.Compacted
	case m.Finish == "tool-calls" || m.Finish == "unknown":
		if t.at.Rejected != m.ID {
			return
		}
		e.Kind = shadow.Stopped
	}
	t.once(e)
}

func (t *translator) part(r partRecord) {
	p := r.Part
	i := slices.IndexFunc(t.at.Messages, func(m message) bool { return m.ID == p.MessageID })
	var of message
	if i >= 0 {
		of = t.at.Messages[i]
	}
	switch p.Type {
	case "text":
		t.text(r, of)
	case "reasoning":
		if p.Time != nil && p.Time.End > 0 && strings.TrimSpace(p.Text) != "" {
			t.once(shadow.Entry{ID: p.ID, At: millis(p.Time.End), Kind: shadow.Thought, Text: p.Text})
		}
	case "tool":
		t.tool(p, of)
	case "step-finish":
		t.spent(r, of)
	case "step-start", "patch", "snapshot", "compaction", "file", "agent", "subtask", "retry":
	default:
		t.unknown("part " + p.Type)
	}
}

// text adds an entry for a complete text. A text of a person has no time, and is always complete; a text of an agent
// has time.end when it is complete. The program writes a synthetic text to the model in the person's name.
func (t *translator) text(r partRecord, of message) {
	p := r.Part
	if strings.TrimSpace(p.Text) == "" {
		return
	}
	switch {
	case of.User || of.ID == "" && p.Time == nil:
		if !p.Synthetic && !p.Ignored {
			t.once(shadow.Entry{ID: p.ID, At: millis(r.Time), Kind: shadow.Prompt, Text: p.Text,
				Human: t.session.Parent == ""})
		}
	case p.Time == nil || p.Time.End == 0:
	case of.Summary:
		t.once(shadow.Entry{ID: of.ID + ":end", At: millis(p.Time.End), Kind: shadow.Compacted, Text: p.Text})
	default:
		t.once(shadow.Entry{ID: p.ID, At: millis(p.Time.End), Kind: shadow.Words, Text: p.Text})
	}
}

// tool adds entries for a tool call. While its state is pending, the model still writes the input.
func (t *translator) tool(p part, of message) {
	s := p.State
	switch s.Status {
	case "running", "completed", "error":
	case "pending":
		return
	default:
		t.unknown("tool " + s.Status)
		return
	}
	if p.CallID == "" {
		p.CallID = p.ID
	}
	key := sum(p.ID + ":result")
	if slices.Contains(t.at.Done, key) {
		return
	}
	if open := sum(p.ID); !slices.Contains(t.at.Open, open) {
		t.at.Open = append(t.at.Open, open)
		t.at.Open = t.at.Open[max(0, len(t.at.Open)-maxOpen):]
		t.add(shadow.Entry{ID: p.ID + ":call", At: millis(s.Time.Start), Kind: shadow.Call, CallID: p.CallID,
			Tool: describe(p.Tool, s.Input, t.session.Dir)})
	}
	if s.Status == "running" {
		return
	}
	e := shadow.Entry{ID: p.ID + ":result", At: millis(s.Time.End), Kind: shadow.Result, CallID: p.CallID,
		OK: s.Status == "completed", Text: s.Output}
	if exit := s.exit(); exit != nil {
		e.OK, e.Ended = e.OK && *exit == 0, true
	}
	if s.Status == "error" {
		e.Text, e.Refused = s.Error, refused(s.Error)
		if rejected(s.Error) {
			t.at.Rejected = of.ID
		}
	}
	t.at.Open = slices.DeleteFunc(t.at.Open, func(o string) bool { return o == sum(p.ID) })
	t.once(e)
}

// refused reports whether a tool's error says that a person has refused the call.
func refused(text string) bool {
	return strings.HasPrefix(text, "The user rejected permission") || strings.HasPrefix(text, "The user dismissed")
}

// rejected reports whether a tool's error says that a person has refused the call, which ends the turn. It returns
// false if the person has added a message to the agent, because then the turn continues.
func rejected(text string) bool { return refused(text) && !strings.Contains(text, "feedback") }

// spent adds an entry for the token usage of one request. A fork copies the messages of another session with their
// times. Messages that are older than the session are left out, because they count for the other session.
func (t *translator) spent(r partRecord, of message) {
	p := r.Part
	if of.Created > 0 && of.Created < t.at.Created {
		return
	}
	u := shadow.Usage{Key: p.ID, Model: of.Model, Input: p.Tokens.Input, Output: p.Tokens.Output + p.Tokens.Reasoning,
		CacheRead: p.Tokens.Cache.Read, CacheWrite: p.Tokens.Cache.Write, USD: p.Cost}
	u.Context = u.Input + u.Output + u.CacheRead + u.CacheWrite
	t.once(shadow.Entry{ID: p.ID, At: millis(r.Time), Kind: shadow.Spent, Usage: &u})
}

// once adds an entry unless an entry with the same ID was added before.
func (t *translator) once(e shadow.Entry) {
	key := sum(e.ID)
	if slices.Contains(t.at.Done, key) {
		return
	}
	t.at.Done = append(t.at.Done, key)
	t.at.Done = t.at.Done[max(0, len(t.at.Done)-maxDone):]
	t.add(e)
}

func (t *translator) add(e shadow.Entry) {
	text, cut := world.Cut(e.Text, shadow.MaxText)
	e.Text, e.Cut = text, cut
	if e.At.After(t.session.Changed) {
		t.session.Changed = e.At
	}
	t.entries = append(t.entries, e)
}

func (t *translator) unknown(kind string) {
	if t.counts.Unknown == nil {
		t.counts.Unknown = map[string]int{}
	}
	kind, _ = world.Cut(kind, 100)
	if _, ok := t.counts.Unknown[kind]; ok || len(t.counts.Unknown) < shadow.MaxUnknown {
		t.counts.Unknown[kind]++
	}
}

// sum returns a checksum of 8 characters, with which a position refers to a text.
func sum(s string) string {
	h := fnv.New64a()
	h.Write([]byte(s))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, h.Sum64())[:6])
}

// readers has the tools that only read.
var readers = []string{
	"read", "grep", "glob", "list", "webfetch", "websearch", "codesearch", "todoread", "skill", "lsp",
}

// describe returns a tool call with the fields that follow from its input.
func describe(name string, input json.RawMessage, dir string) *shadow.Tool {
	var in struct{ Command, FilePath, Pattern, Description, URL, Query, PatchText string }
	// Ignore the error: fields of another type stay empty.
	_ = json.Unmarshal(input, &in)
	tool := &shadow.Tool{Name: name, Reads: slices.Contains(readers, name)}
	tool.Input, _ = world.Cut(string(input), shadow.MaxInput)
	touch := func(path string, edit bool) {
		if path = strings.TrimSpace(path); path != "" {
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			tool.Touches = append(tool.Touches, shadow.Touch{Path: filepath.Clean(path), Edit: edit})
		}
	}
	switch name {
	case "bash":
		files, _ := shell.Files(in.Command, dir)
		for _, f := range files {
			touch(f.Path, f.Edit)
		}
	case "read":
		touch(in.FilePath, false)
	case "edit", "write", "multiedit":
		touch(in.FilePath, true)
	case "apply_patch", "patch":
		for line := range strings.Lines(in.PatchText) {
			for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
				if path, ok := strings.CutPrefix(line, head); ok {
					touch(path, true)
				}
			}
		}
	}
	if len(tool.Touches) > 0 && in.FilePath == "" && in.Command == "" {
		in.FilePath = tool.Touches[0].Path
	}
	tool.Brief = brief(dir, in.Command, in.FilePath, in.Pattern, in.Description, in.URL, in.Query)
	return tool
}

// brief returns the first text that is not empty, on one line. A path below dir becomes relative to dir.
func brief(dir string, texts ...string) string {
	for _, s := range texts {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			if rest, ok := strings.CutPrefix(s, dir+"/"); ok && dir != "" {
				s = rest
			}
			s, _ = world.Cut(s, shadow.MaxReason)
			return s
		}
	}
	return ""
}

// reason returns the reason of a state: the tool and a short form of its call.
func reason(tool, call string) string {
	if call != "" {
		tool += ": " + call
	}
	tool, _ = world.Cut(tool, shadow.MaxReason)
	return tool
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
