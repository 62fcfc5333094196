// Package conversation owns what every kind of conversation shares: runs, segments and the rules
// of the transcript.
//
// A State is one conversation in the actor's memory: the newest rows, the current runs and the
// text of open segments. Durable facts change only through Apply. The text of an open segment is
// provisional and is kept in Segment until the durable close replaces it (P9.3, S4-04 to S4-06).
// The package never decides who acts next (plans do), never numbers and never writes. Only the
// realm actor calls it.
package conversation

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State is one conversation in memory. Messages holds the newest rows: at most wire.ViewMessages, and every
// older one that is open (a run has at most one open row). The journal's tables have the rest.
type State struct {
	Rules    Rules
	Head     world.Conversation
	Messages []world.Message
	HasMore  bool
	LastSeq  int64 // of the last event that changed the conversation
	// Runs are the runs under way and the turn runs of the plan (in a process: of the current
	// stage), in the order of their beginning. Forget drops those that the plan no longer needs.
	Runs []world.Run
	// Forge is the public state of a forge and ForgeContext what it has gathered, which is never
	// modified in place; nil for other kinds.
	Forge        *world.Forge
	ForgeContext []byte
	// LastRun is the newest run, nil for none; always nil for a process.
	LastRun *world.Run
	// Before is the status of the run before LastRun, "" for none.
	Before string
	// ActiveSeq is the seq at which the conversation last became active; earlier failures do not
	// stop a council.
	ActiveSeq int64
	// Said are the closed rows from which artifacts and prompts are made, oldest first, each cut
	// to world.MaxArtifactText. In a process they are the rows of members in the current stage
	// and of people without a role, otherwise all but system rows. At most world.MaxSaid and,
	// outside a process, world.MaxSaidBytes; the oldest are dropped.
	Said      []world.Message
	saidBytes int
	// requests holds the newest requestIds, at most maxRequests: no two runs share one. The tables have
	// older ones, and the caller looks there too.
	requests map[string]bool
	order    []string // of requests, oldest first
	forgot   bool     // older ones exist in the tables
}

// Rules are a kind's rules for its transcript in memory.
type Rules struct {
	// Staged is set if rows and runs belong to stages. Then only those of the current stage count.
	Staged bool
	// Uncounted is set if the plan does not count turns. Their number has no limit, so ended runs are not
	// kept.
	Uncounted bool
	// Recent is set if an opening loads only the wire.ViewChats conversations of the kind with the newest
	// words, of those that have not ended.
	Recent bool
	// Sessions is set if conversations are sessions of a team. An opening then loads only the current one
	// of the world.
	Sessions bool
	// Context is set if what a conversation has gathered is stored beside its rows (S1-07).
	Context bool
}

// New returns an empty conversation.
func New(rules Rules) *State { return &State{Rules: rules} }

const maxRequests = 12_000 // more than can wait for a disk that does not answer

// Restore returns the State of a conversation from the tables.
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
	inOrder(c.Said)
	return c
}

// inOrder sorts closed rows by their times, except across a moment at which the clock was set
// back by more than setBack.
func inOrder(rows []world.Message) {
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

// setBack is longer than a row can stay open.
const setBack = 24 * time.Hour

// Apply folds an event of this conversation.
func (c *State) Apply(ev world.Event) {
	c.LastSeq = ev.Seq
	if world.Touches(ev) {
		c.Head.UpdatedAt = ev.At
	}
	for _, change := range ev.Changes() {
		c.change(change, ev.Seq, ev.At)
	}
}

// change folds one change of an event at seq.
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
		c.addRow(b.Row, seq)
		if b.Said {
			c.say(b.Row)
		}
	case world.RowClosed:
		c.addRow(b.Row, seq)
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

// begin records a run. Words that need no answer have a run that has ended; of that it records only the
// requestId.
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

// endTool closes a tool's row if the window has it open.
func (c *State) endTool(b *world.ToolEnd) {
	m := c.Row(b.MessageID)
	if m == nil || m.Status != world.MessageOpen || m.Tool == nil {
		return
	}
	tool := *m.Tool
	tool.Cut = b.Cut
	m.Content, m.Status, m.Tool = b.Output, b.Status(), &tool
	if !c.Rules.Staged {
		c.say(*m)
	}
}

// activated records when the conversation became active.
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

// Used reports whether a run in memory has the requestId. If it does not and Forgot returns true,
// the tables must be asked too: they have older runs.
func (c *State) Used(requestID string) bool { return c.requests[requestID] }

// Forgot reports whether older requestIds exist that are not in memory.
func (c *State) Forgot() bool { return c.forgot }

// Remember adds a requestId that was found in the tables.
func (c *State) Remember(requestID string) { c.used(requestID) }

// Row returns a row of the window, or nil.
func (c *State) Row(messageID string) *world.Message {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].MessageID == messageID {
			return &c.Messages[i]
		}
	}
	return nil
}

// addRow replaces the row with the same id in its place, or appends it at seq and trims the
// window.
func (c *State) addRow(m world.Message, seq int64) {
	if old := c.Row(m.MessageID); old != nil {
		m.Seq = old.Seq
		*old = m
		return
	}
	m.Seq = seq
	c.Messages = append(c.Messages, m)
	c.trim()
}

// trim drops closed rows before the newest wire.ViewMessages. Open rows stay, because they still
// have to be shown and closed.
func (c *State) trim() {
	old := max(0, len(c.Messages)-wire.ViewMessages)
	kept := slices.DeleteFunc(c.Messages[:old:old], func(m world.Message) bool { return m.Status != world.MessageOpen })
	if len(kept) < old {
		c.Messages = slices.Delete(c.Messages, len(kept), old)
		c.HasMore = true
	}
}

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

// Redact removes what an erasure covers.
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

// Window returns the newest n rows of Said before a message, or of all if there is no such
// message.
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
		return // words without an answer: their run began and ended at once
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

// Forget drops ended turn runs and members' rows for which keep returns false: those of an
// earlier stage or attempt.
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

// Run returns the run with that requestId among Runs, or nil.
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

// View returns the conversation as a client draws it; the caller fills in plan.
func (c *State) View(plan world.Plan) world.View {
	v := world.View{
		Conversation: c.Head, Messages: slices.Clone(c.Messages), HasMore: c.HasMore,
		ActiveRuns: c.Active(), LastSeq: c.LastSeq, Plan: plan, LastRun: c.LastRun,
	}
	if v.Messages == nil {
		v.Messages = []world.Message{}
	}
	if v.ActiveRuns == nil {
		v.ActiveRuns = []world.Run{}
	}
	if len(v.ActiveRuns) > 0 {
		v.ActiveRun = &v.ActiveRuns[0]
	}
	if v.Plan.Asked == nil {
		v.Plan.Asked = []world.Ask{}
	}
	return v
}
