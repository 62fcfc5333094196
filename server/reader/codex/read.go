package codex

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
)

// position is the content of a shadow.Position.
type position struct {
	Place  jsonl.Place `json:"p"`
	Model  string      `json:"m,omitempty"` // model of the turn
	Window int         `json:"w,omitempty"` // context window of the model, in tokens
	Dir    uint64      `json:"d,omitempty"` // checksum of the working directory
	Auto   bool        `json:"a,omitempty"` // in this turn no person is asked for permission
	Replay bool        `json:"r,omitempty"` // the records are copies of records of another session
	Total  int         `json:"t,omitempty"` // number of the session's tokens that were counted
	Bare   int         `json:"n,omitempty"` // number of lines without a wrapper (see record) that were read
}

// reading is the state of one call of Read.
type reading struct {
	position
	meta    meta
	id      string
	dir     string
	entries []shadow.Entry
	counts  shadow.Counts
}

// Read implements shadow.Reader.
func (r *Reader) Read(
	ctx context.Context, s shadow.Session, after shadow.Position, maxBytes int,
) (shadow.Batch, error) {
	read := &reading{id: s.ID, counts: shadow.Counts{Unknown: map[string]int{}}}
	if after != "" && json.Unmarshal([]byte(after), &read.position) != nil {
		read.position = position{}
	}
	_, info, err := stat(s.File)
	if err != nil {
		return shadow.Batch{Session: s, Next: after}, err
	}
	h, known := r.head(s.File, info)
	if known {
		now := r.session(s.File, h)
		now.ID, now.Alive, now.Call, now.Title, now.Terminal = s.ID, s.Alive, s.Call, s.Title, s.Terminal
		s = now
	}
	read.meta = h.meta
	read.dir = read.dirNow(ctx, s, h)
	from := read.Place
	options := jsonl.Options{Max: max(maxBytes, 1), Limit: r.config.Limit, Key: key}
	next, report, err := jsonl.Read(ctx, s.File, from, options, read.line)
	if err != nil {
		return shadow.Batch{Session: s, Next: after}, err
	}
	read.Place = next
	text, err := json.Marshal(read.position)
	if err != nil {
		return shadow.Batch{Session: s, Next: after}, err
	}
	s.Changed = report.Changed
	if read.dir != "" && known {
		s.Dir = read.dir
	}
	for _, e := range read.entries {
		if e.Kind == shadow.Titled {
			s.Title = e.Text
		}
	}
	return shadow.Batch{
		Session: s, Entries: read.entries, Next: shadow.Position(text), More: report.More, Counts: read.counts,
	}, nil
}

// dirNow returns the working directory at the position. The position has only a checksum of the directory, so dirNow
// looks for the directory in the records before the position.
func (r *reading) dirNow(ctx context.Context, s shadow.Session, h head) string {
	for _, dir := range []string{h.meta.Dir, s.Dir} {
		if r.Dir == 0 || jsonl.Sum([]byte(dir)) == r.Dir {
			return dir
		}
	}
	dir := h.meta.Dir
	options := jsonl.Options{Max: math.MaxInt, Limit: 1 << 20}
	_, _, _ = jsonl.Read(ctx, s.File, jsonl.Place{}, options, func(l jsonl.Line) {
		if l.Off >= r.Place.Off || l.Long {
			return
		}
		if d := contextDir(l.Text); d != "" && jsonl.Sum([]byte(d)) == r.Dir {
			dir = d
		}
	})
	return dir
}

func (r *reading) unknown(name string) {
	name = cut(name, 100)
	if _, ok := r.counts.Unknown[name]; ok || len(r.counts.Unknown) < shadow.MaxUnknown {
		r.counts.Unknown[name]++
	}
}

// line adds the entries that follow from one line of the rollout.
func (r *reading) line(l jsonl.Line) {
	if l.Long {
		r.counts.TooLong++
		r.entries = append(r.entries, shadow.Entry{ID: "l" + strconv.FormatUint(l.Sum, 36), Kind: shadow.Lost,
			Text: "a record of " + strconv.FormatInt(l.Len, 10) + " bytes"})
		return
	}
	rec, ok := parse(l.Text)
	if !ok {
		r.counts.Broken++
		return
	}
	id := rec.id()
	if id == "" {
		if rec.Type == "response_item" {
			r.Bare++
		}
		id = "b" + strconv.Itoa(r.Bare)
	}
	if r.replayed(rec) {
		return
	}
	begin := len(r.entries)
	r.record(rec)
	for i := range r.entries[begin:] {
		e := &r.entries[begin+i]
		if e.ID = id; i > 0 {
			e.ID += "." + strconv.Itoa(i)
		}
		e.At = rec.at()
		if len(e.Text) > shadow.MaxText {
			e.Text, e.Cut = cut(e.Text, shadow.MaxText), true
		}
	}
}

// replayed reports whether a record is a copy of a record of the parent session. Without history_mode "paginated", the
// file of a fork, or of a sub-agent that got its parent's context, begins with the parent's session_meta and all
// records after it, with new times. Codex 0.169 copies nothing and names the parent's file (history_base). The start
// time of a turn is copied unchanged, so the copies end at the first turn that began after the session.
func (r *reading) replayed(rec record) bool {
	if rec.Type == "session_meta" {
		var m meta
		if json.Unmarshal(rec.Payload, &m) == nil && m.ID != "" && m.ID != r.id {
			r.Replay = true
		}
		return true
	}
	if !r.Replay {
		return false
	}
	began := record{Timestamp: r.meta.Timestamp}.at().Truncate(time.Second)
	at := time.Time{}
	switch rec.Type {
	case "event_msg":
		var ev event
		if json.Unmarshal(rec.Payload, &ev) == nil && ev.Type == "task_started" {
			if at = timeOf(ev.TurnID); ev.Started > 0 {
				at = time.Unix(ev.Started, 0)
			}
		}
	case "turn_context":
		var c turnContext
		if json.Unmarshal(rec.Payload, &c) == nil {
			at = timeOf(c.TurnID)
		}
	}
	if at.IsZero() && !timed(rec) && rec.at().After(began.Add(3*time.Second)) {
		at = rec.at() // a record of a version that stores no start time of turns; copies are written within a moment
	}
	r.Replay = at.IsZero() || at.Before(began)
	return r.Replay
}

// timed reports whether a record contains the time at which its turn began.
func timed(rec record) bool {
	return strings.Contains(string(rec.Payload), `"turn_id"`) || strings.Contains(string(rec.Payload), `"started_at"`)
}

// timeOf returns the time that a UUID of version 7 contains, or zero.
func timeOf(id string) time.Time {
	hex := strings.ReplaceAll(id, "-", "")
	if len(hex) != 32 || hex[12] != '7' {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(hex[:12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (r *reading) add(e shadow.Entry) { r.entries = append(r.entries, e) }

func (r *reading) record(rec record) {
	switch rec.Type {
	case "response_item":
		var it item
		if json.Unmarshal(rec.Payload, &it) != nil {
			r.unknown("response_item")
			return
		}
		r.item(it)
	case "event_msg":
		var ev event
		if json.Unmarshal(rec.Payload, &ev) != nil {
			r.unknown("event_msg")
			return
		}
		r.event(ev)
	case "turn_context":
		var c turnContext
		if json.Unmarshal(rec.Payload, &c) == nil {
			r.turn(c)
		}
	case "token_usage_record":
		var u used
		if json.Unmarshal(rec.Payload, &u) == nil {
			r.spent(cut(u.ResponseID, 100), u.Usage, u.Thread.Total)
		}
	case "compacted":
		r.add(shadow.Entry{Kind: shadow.Compacted})
	case "world_state", "inter_agent_communication", "record_state":
	default:
		r.unknown(rec.Type)
	}
}

func (r *reading) turn(c turnContext) {
	r.Model = cut(c.Model, 100)
	r.Auto = !asksPerson(c.Policy, c.Reviewer)
	if dir := clean(c.Dir); dir != "" && dir != r.dir {
		r.dir, r.Dir = dir, jsonl.Sum([]byte(dir))
		r.add(shadow.Entry{Kind: shadow.Moved, Text: dir})
	}
}

// spent adds the usage of one request. Codex 0.169 writes a token_usage_record for each request, then a token_count
// that repeats it; it also writes a token_count without a request. Older versions write token_count only. If the
// thread's total of tokens has changed, there was a new request.
func (r *reading) spent(key string, t tokens, total int) {
	if total == r.Total && (key == "" || total > 0) {
		return
	}
	r.Total = total
	if key == "" {
		key = r.id + ":" + strconv.Itoa(total)
	}
	r.add(shadow.Entry{Kind: shadow.Spent, Usage: &shadow.Usage{
		Key: key, Model: r.Model, Input: max(t.Input-t.Cached-t.Write, 0), Output: t.Output, CacheRead: t.Cached,
		CacheWrite: t.Write, Context: t.Total, Window: r.Window,
	}})
}

// event handles an event_msg. It leaves out events that repeat a response_item. With history_mode "paginated" it is the
// reverse: message leaves out response_items, because the events have the same messages without the texts that the
// program itself puts before the model.
func (r *reading) event(ev event) {
	if ev.Window > 0 {
		r.Window = ev.Window
	}
	switch ev.Type {
	case "token_count":
		if ev.Info != nil {
			if ev.Info.Window > 0 {
				r.Window = ev.Info.Window
			}
			if ev.Info.Last != nil {
				r.spent("", *ev.Info.Last, ev.Info.Total.Total)
			}
		}
	case "item_completed":
		if r.paginated() {
			r.completed(ev)
		}
	case "task_complete":
		if ev.Error != nil {
			r.add(shadow.Entry{Kind: shadow.Failed, Text: ev.Error.Message})
			return
		}
		r.add(shadow.Entry{Kind: shadow.Turn})
	case "turn_aborted":
		if ev.Reason == "" || ev.Reason == "interrupted" {
			r.add(shadow.Entry{Kind: shadow.Stopped})
			return
		}
		r.add(shadow.Entry{Kind: shadow.Turn})
	case "error":
		r.add(shadow.Entry{Kind: shadow.Failed, Text: ev.Message})
	case "thread_name_updated":
		if ev.Name != "" {
			r.add(shadow.Entry{Kind: shadow.Titled, Text: ev.Name})
		}
	case "user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "exec_command_end",
		"exec_command_begin", "patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end",
		"web_search_begin", "web_search_end", "task_started", "thread_settings_applied", "context_compacted",
		"turn_diff", "plan_update", "warning", "background_event", "stream_error", "agent_reasoning_section_break",
		"entered_review_mode", "exited_review_mode", "item_started", "view_image_tool_call":
	default:
		r.unknown("event_msg " + ev.Type)
	}
}

func (r *reading) paginated() bool { return r.meta.History == "paginated" }

func (r *reading) completed(ev event) {
	switch ev.Item.Type {
	case "UserMessage":
		r.add(shadow.Entry{Kind: shadow.Prompt, Text: textOf(ev.Item.Content, nil), Human: r.human()})
	case "HookPrompt": // the text comes from a hook that the person has installed
		var text strings.Builder
		for i, f := range ev.Item.Fragments {
			if i > 0 {
				text.WriteString("\n\n")
			}
			text.WriteString(f.Text)
		}
		r.add(shadow.Entry{Kind: shadow.Prompt, Text: text.String()})
	case "AgentMessage":
		r.add(shadow.Entry{Kind: shadow.Words, Text: textOf(ev.Item.Content, nil)})
	case "CommandExecution", "FileChange", "CollabAgentToolCall", "ContextCompaction", "Reasoning", "McpToolCall",
		"WebSearch", "ImageView", "Plan", "DynamicToolCall", "SubAgentActivity":
	default:
		r.unknown("item " + ev.Item.Type)
	}
}

// human reports whether a person types the prompts of this session: in a terminal or an editor, not with `codex exec`
// and not in a sub-agent.
func (r *reading) human() bool {
	var source string
	return json.Unmarshal(r.meta.Source, &source) == nil && (source == "cli" || source == "vscode")
}

// harness lists beginnings of user messages that Codex itself writes. The reader uses them if a message does not say
// of which kinds its parts are.
var harness = []string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
	"<skill>",
	"<subagent_notification>", "<user_shell_command>", "<permissions instructions>", "<INSTRUCTIONS>", "<model_switch>"}

func (r *reading) item(it item) {
	switch {
	case it.Type == "message":
		r.message(it)
	case it.Type == "reasoning":
		if text := textOf(it.Summary, nil); text != "" {
			r.add(shadow.Entry{Kind: shadow.Thought, Text: text})
		}
	case strings.HasSuffix(it.Type, "_output"):
		if it.CallID != "" {
			text := textOf(it.Output, nil)
			e := shadow.Entry{Kind: shadow.Result, CallID: it.CallID}
			e.Text, e.OK, e.Ended = outcome(text)
			e.Refused = !e.OK && strings.HasPrefix(text, "rejected by user")
			r.add(e)
		}
	case !items[it.Type]:
		r.unknown("response_item " + it.Type)
	default:
		if it.CallID == "" { // such as a web search: the provider runs it, and its output is not recorded
			return
		}
		if t, asks := toolOf(it, r.dir); t != nil {
			t.Asks = asks && !r.Auto
			r.add(shadow.Entry{Kind: shadow.Call, CallID: it.CallID, Tool: t})
		}
	}
}

// message handles a message in a response_item. With history_mode "paginated" it does nothing, because the events have
// the same messages.
func (r *reading) message(it item) {
	if r.paginated() {
		return
	}
	switch it.Role {
	case "assistant":
		r.add(shadow.Entry{Kind: shadow.Words, Text: textOf(it.Content, nil)})
	case "user":
		text := textOf(it.Content, it.Inside.Kinds)
		for _, begin := range harness {
			if len(it.Inside.Kinds) == 0 && strings.HasPrefix(text, begin) {
				return
			}
		}
		if text != "" {
			r.add(shadow.Entry{Kind: shadow.Prompt, Text: text, Human: r.human()})
		}
	}
}
