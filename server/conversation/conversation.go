// Package conversation has the state of conversations in memory. It owns what all kinds share: runs, open segments
// and the newest rows of the transcript.
//
// State is one conversation (conversation.go). It changes only through Apply, Redact and Forget. Segment is an open
// row whose text is provisional until a durable event closes it (segment.go; P9.3, S4-04 to S4-06). The package
// never decides who acts next (the plans do), never numbers events and never writes. Only the realm actor calls it.
package conversation

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State is one conversation in memory. Messages holds the newest wire.ViewMessages rows, and all
// older rows that are open (a run has at most one). The journal's tables have the other rows.
type State struct {
	Rules    Rules
	Head     world.Conversation
	Messages []world.Message
	HasMore  bool
	LastSeq  int64 // seq of the last event that changed the conversation
	// Runs holds the runs under way and the ended runs that were turns of the plan, in the order in which they started.
	// In a process it holds only runs of the current stage. Forget deletes runs that the plan no longer needs.
	Runs []world.Run
	// Forge is the public state of a forge. ForgeContext has the forge's collected answers as a blob, which is never
	// modified in place. Both are nil for other kinds.
	Forge        *world.Forge
	ForgeContext []byte
	// LastRun is the newest run. It is nil if there is no run or if the conversation is a process.
	LastRun *world.Run
	// Before is the status of the run before LastRun, "" for none.
	Before string
	// ActiveSeq is the seq at which the conversation last became active. A council ignores
	// failures before it.
	ActiveSeq int64
	// Said holds the finished messages for prompts and artifacts, oldest first, each cut to world.MaxArtifactText. In a
	// process these are the messages that members wrote in the current stage, and those of people without a role.
	// In other kinds they are all messages except those of the system. Said has at most world.MaxSaid rows and, outside
	// of a process, at most world.MaxSaidBytes bytes; the oldest rows are dropped.
	Said      []world.Message
	saidBytes int
	// requests holds the newest requestIds of runs, at most maxRequests. The tables have the older
	// ones.
	requests map[string]bool
	order    []string // the keys of requests, oldest first
	forgot   bool     // the tables have older requestIds that requests lacks
}

// Rules are a kind's rules for its conversations in memory.
type Rules struct {
	// Staged is set if rows and runs belong to stages. Runs and Said then have only those of the current stage, besides
	// what people without a role said.
	Staged bool
	// Uncounted is set if the plan does not count turns. Runs then has no ended runs, because their number has no
	// limit.
	Uncounted bool
	// Recent is set if only the wire.ViewChats conversations with the newest messages are loaded when a realm is
	// opened, of all that have not ended.
	Recent bool
	// Sessions is set if conversations are sessions of a team. When a realm is opened, only the session that
	// world.Party names is loaded.
	Sessions bool
	// Context is set if a conversation stores answers of a person in ForgeContext, in addition to its rows (S1-07).
	Context bool
}

// New returns an empty conversation.
func New(rules Rules) *State { return &State{Rules: rules} }

// maxRequests is the maximum number of requestIds in State.requests. While its disk fails, a realm cannot begin
// that many runs, so every requestId that is dropped from memory is in the tables.
const maxRequests = 12_000

// Restore returns the State of a conversation that was loaded from the tables.
func Restore(s world.SavedConversation, rules Rules) *State {
	c := &State{Rules: rules, Head: s.Conversation, HasMore: s.HasMore, Runs: slices.Clone(s.Runs), LastSeq: s.LastSeq,
		Forge: s.Forge, ForgeContext: s.ForgeContext}
	if s.LastRun != nil {
		last := *s.LastRun
		c.LastRun = &last
	}
	for _, id := range s.Requests {
		c.used(id)
	}
	c.forgot = len(s.Requests) >= world.MaxRequests
	for _, m := range s.Messages {
		c.Messages = append(c.Messages, m)
		switch {
		case c.Rules.Staged:
			if m.Role == world.RoleUser && m.MemberID == "" {
				c.say(m)
			}
		case m.Status != world.MessageOpen && s.Said == nil:
			c.say(m)
		}
	}
	for _, m := range s.Said {
		c.say(m)
	}
	for _, m := range s.StageRows {
		c.say(m)
	}
	sortRows(c.Said)
	return c
}

// sortRows sorts closed rows by time. If the clock was set back at a row, it sorts the rows before that row and the
// rows from there on separately. The clock was set back at a row if the row is more than setBack older than the newest
// row with a lower seq.
func sortRows(rows []world.Message) {
	slices.SortStableFunc(rows, func(a, b world.Message) int { return cmp.Compare(a.Seq, b.Seq) })
	from, newest := 0, world.Time(0)
	for i := range rows {
		if i > from && rows[i].At < newest-world.Time(setBack.Milliseconds()) {
			byTime(rows[from:i])
			from, newest = i, 0
		}
		newest = max(newest, rows[i].At)
	}
	byTime(rows[from:])
}

func byTime(rows []world.Message) {
	slices.SortStableFunc(rows, func(a, b world.Message) int { return cmp.Compare(a.At, b.At) })
}

// setBack is the difference between the times of two rows above which sortRows concludes that the clock was set back.
// No row stays open for that long.
const setBack = 24 * time.Hour

// Apply changes the state as the event ev of the conversation says.
func (c *State) Apply(ev world.Event) {
	c.LastSeq = ev.Seq
	if world.Touches(ev) {
		c.Head.UpdatedAt = ev.At
	}
	for _, change := range ev.Changes() {
		c.change(change, ev.Seq, ev.At)
	}
}

// change applies one change of the event with this seq and time.
func (c *State) change(change world.Change, seq int64, at world.Time) {
	switch b := change.(type) {
	case world.Began:
		c.Head = b.Head
		c.activated(seq)
	case world.StatusSet:
		c.Head.Status, c.Head.Reason = b.Status, b.Reason
		c.Head.EndedAt = 0
		if c.Head.Ended() {
			c.Head.EndedAt = at
		}
		c.activated(seq)
	case world.TitleSet:
		c.Head.Title = b.Title
	case world.TeamSet:
		c.Head.Team = b.Team
	case world.ForgeSet:
		c.Forge, c.ForgeContext = &b.Step.Forge, b.Step.Context
	case world.RunBegan:
		c.begin(b.Run)
	case world.RunActive:
		if r := c.Run(b.RequestID); r != nil {
			r.LastActivityAt = at
		}
	case world.RunEnded:
		c.end(b, at)
	case world.RowAdded:
		b.Row.Seq = c.addRow(b.Row, seq)
		if b.Said {
			c.say(b.Row)
		}
	case world.RowClosed:
		b.Row.Seq = c.addRow(b.Row, seq)
		if b.Row.Status == world.MessageDone || !c.Rules.Staged {
			c.say(b.Row)
		}
	case world.RowExtended:
		if m := c.Row(b.MessageID); m != nil && m.Status == world.MessageOpen {
			m.Content += b.Text
		}
	case world.ToolClosed:
		c.endTool(b.End)
	}
}

// begin records the requestId of a run and adds the run to Runs. It does not add the run if a person's message
// needs no answer, because such a run has already ended.
func (c *State) begin(run world.Run) {
	c.used(run.RequestID)
	if run.Status != world.RunRunning {
		return
	}
	c.Runs = append(c.Runs, run)
	if !c.Rules.Staged {
		if c.LastRun != nil {
			c.Before = c.LastRun.Status
		}
		c.LastRun = &run
	}
}

// endTool closes the row of a tool call. It does nothing if the row is not in memory or is closed already.
func (c *State) endTool(b *world.ToolEnd) {
	m := c.Row(b.MessageID)
	if m == nil || m.Status != world.MessageOpen || m.Tool == nil {
		return
	}
	tool := *m.Tool
	tool.Cut, tool.Refused, tool.Tests = b.Cut, b.Refused, b.Tests
	m.Content, m.Status, m.Tool = b.Output, b.Status(), &tool
	if !c.Rules.Staged {
		c.say(*m)
	}
}

// activated sets ActiveSeq to seq if the conversation is active now.
func (c *State) activated(seq int64) {
	if c.Head.Status == world.ConversationActive {
		c.ActiveSeq = seq
	}
}

// used records a requestId.
func (c *State) used(requestID string) {
	if c.requests == nil {
		c.requests = map[string]bool{}
	}
	if c.requests[requestID] {
		return
	}
	c.requests[requestID] = true
	if c.order = append(c.order, requestID); len(c.order) > maxRequests {
		delete(c.requests, c.order[0])
		c.order, c.forgot = c.order[1:], true
	}
}

// Used reports whether memory has the requestId. If it has not and Forgot reports true, the caller must also look
// in the tables.
func (c *State) Used(requestID string) bool { return c.requests[requestID] }

// Forgot reports whether the tables have requestIds that memory has dropped.
func (c *State) Forgot() bool { return c.forgot }

// Remember adds a requestId that was found in the tables to those in memory.
func (c *State) Remember(requestID string) { c.used(requestID) }

// Row returns a row of Messages, or nil.
func (c *State) Row(messageID string) *world.Message {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].MessageID == messageID {
			return &c.Messages[i]
		}
	}
	return nil
}

// addRow replaces the row with the same id, or appends the row with this seq and trims Messages. It returns the seq of
// the row.
func (c *State) addRow(m world.Message, seq int64) int64 {
	if old := c.Row(m.MessageID); old != nil {
		m.Seq = old.Seq
		*old = m
		return m.Seq
	}
	m.Seq = seq
	c.Messages = append(c.Messages, m)
	c.trim()
	return seq
}

// trim deletes all but the newest wire.ViewMessages rows. It keeps older open rows, because they
// still have to be closed.
func (c *State) trim() {
	old := max(0, len(c.Messages)-wire.ViewMessages)
	kept := slices.DeleteFunc(c.Messages[:old:old], func(m world.Message) bool { return m.Status != world.MessageOpen })
	if len(kept) < old {
		c.Messages = slices.Delete(c.Messages, len(kept), old)
		c.HasMore = true
	}
}

// say appends a closed row to Said, and drops the oldest rows while Said exceeds its limits.
func (c *State) say(m world.Message) {
	if m.Role == world.RoleSystem {
		return
	}
	m.Content, _ = world.Cut(m.Content, world.MaxArtifactText)
	c.Said = append(c.Said, m)
	c.saidBytes += len(m.Content)
	gone := 0
	for len(c.Said)-gone > world.MaxSaid || !c.Rules.Staged && c.saidBytes > world.MaxSaidBytes && len(c.Said)-gone > 1 {
		c.saidBytes -= len(c.Said[gone].Content)
		gone++
	}
	c.Said = slices.Delete(c.Said, 0, gone)
}

// Redact removes what an erasure covers from the head and the rows.
func (c *State) Redact(r *world.Redactor) {
	r.Head(&c.Head)
	for i := range c.Messages {
		r.Row(&c.Messages[i])
	}
	c.saidBytes = 0
	for i := range c.Said {
		r.Row(&c.Said[i])
		c.saidBytes += len(c.Said[i].Content)
	}
}

// Window returns the newest n rows of Said that precede the message with the id before. If Said lacks that message,
// Window returns the newest n rows of Said.
func (c *State) Window(n int, before string) []world.Message {
	rows := c.Said
	if i := slices.IndexFunc(rows, func(m world.Message) bool { return m.MessageID == before }); i >= 0 {
		rows = rows[:i]
	}
	return slices.Clone(rows[max(0, len(rows)-n):])
}

func (c *State) end(b world.RunEnded, at world.Time) {
	i := slices.IndexFunc(c.Runs, func(r world.Run) bool { return r.RequestID == b.RequestID })
	if i < 0 {
		return // begin did not add the run, because it had ended already
	}
	r := &c.Runs[i]
	r.Status, r.Code, r.Reason, r.EndedAt, r.LastActivityAt = b.Status, b.Code, b.Reason, at, at
	if c.LastRun != nil && c.LastRun.RequestID == b.RequestID {
		last := *r
		c.LastRun = &last
	}
	if r.Turn == nil || c.Rules.Uncounted {
		c.Runs = slices.Delete(c.Runs, i, i+1)
	}
}

// Forget deletes ended runs from Runs: those that were no turns, and those for whose turn keep returns false. It also
// deletes the rows of these runs from Said. keep returns false for turns of earlier stages and attempts.
func (c *State) Forget(keep func(world.Turn) bool) {
	c.Runs = slices.DeleteFunc(c.Runs, func(r world.Run) bool {
		return r.Status != world.RunRunning && (r.Turn == nil || !keep(*r.Turn))
	})
	kept := map[string]bool{}
	for _, r := range c.Runs {
		kept[r.RequestID] = true
	}
	c.Said = slices.DeleteFunc(c.Said, func(m world.Message) bool { return m.MemberID != "" && !kept[m.RequestID] })
}

// Run returns the run in Runs with that requestId, or nil.
func (c *State) Run(requestID string) *world.Run {
	for i := range c.Runs {
		if c.Runs[i].RequestID == requestID {
			return &c.Runs[i]
		}
	}
	return nil
}

// Active returns the runs under way.
func (c *State) Active() []world.Run {
	var out []world.Run
	for _, r := range c.Runs {
		if r.Status == world.RunRunning {
			out = append(out, r)
		}
	}
	return out
}

// View returns the conversation in the form in which clients get it. plan is the part that the conversation's kind
// computes.
func (c *State) View(plan world.Plan) world.View {
	v := world.View{
		Conversation: c.Head, Messages: world.NotNil(slices.Clone(c.Messages)), HasMore: c.HasMore,
		ActiveRuns: world.NotNil(c.Active()), LastSeq: c.LastSeq, Plan: plan, LastRun: c.LastRun,
	}
	v.Plan.Asked = world.NotNil(v.Plan.Asked)
	if len(v.ActiveRuns) > 0 {
		v.ActiveRun = &v.ActiveRuns[0]
	}
	return v
}
