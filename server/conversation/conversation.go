// Package conversation owns what every kind of talk shares: runs, segments and
// the rules of the transcript.
//
// A State is one conversation in the actor's memory: the newest rows, the runs
// that matter and the text of open segments. Durable facts change only through
// Apply; the text of an open segment is provisional and lives in Segment until
// the durable close replaces it (design 3.8, S4-04 to S4-06). It never decides
// who acts next (plans do), never numbers and never writes. Only the realm actor
// calls it.
package conversation

import (
	"cmp"
	"slices"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State of one conversation. Messages holds the newest rows, at most
// wire.ViewMessages of them and the open ones that are older (a run has one open
// row at the most); the rest is in the journal's tables.
type State struct {
	Head     world.Conversation
	Messages []world.Message
	HasMore  bool
	LastSeq  int64 // of the last event that changed it
	// Runs are those under way and the turn runs of the plan's current stage, in
	// the order in which they began. Forget drops what the plan no longer needs.
	Runs []world.Run
	// Said are closed rows of members in the current stage and of people without a
	// role, oldest first, each cut to world.MaxArtifactText: what artifacts and
	// prompts are made of. At most MaxSaid; the oldest go.
	Said []world.Message
}

// MaxSaid bounds State.Said.
const MaxSaid = 512

// Restore is a State as the tables gave it back.
func Restore(s world.SavedConversation) *State {
	c := &State{Head: s.Conversation, HasMore: s.HasMore, Runs: slices.Clone(s.Runs)}
	for _, m := range s.Messages {
		c.Messages = append(c.Messages, m)
		if m.Role == world.RoleUser && m.MemberID == "" {
			c.say(m)
		}
	}
	for _, m := range s.StageRows {
		c.say(m)
	}
	slices.SortStableFunc(c.Said, func(a, b world.Message) int { return cmp.Compare(a.At, b.At) })
	return c
}

// Of says which conversation a durable event belongs to, "" for none.
func Of(b world.Body) string {
	switch b := b.(type) {
	case *world.ConversationStarted:
		return b.Conversation.ConversationID
	case *world.ConversationStatus:
		return b.ConversationID
	case *world.ChatStarted:
		return b.ConversationID
	case *world.SegmentStarted:
		return b.ConversationID
	case *world.SegmentClosed:
		return b.ConversationID
	case *world.MessageAdded:
		return b.ConversationID
	case *world.ChatDone:
		return b.ConversationID
	case *world.ChatError:
		return b.ConversationID
	case *world.ChatCancelled:
		return b.ConversationID
	}
	return ""
}

// Apply folds an event of this conversation.
func (c *State) Apply(ev world.Event) {
	c.LastSeq = ev.Seq
	c.Head.UpdatedAt = ev.At
	switch b := ev.Body.(type) {
	case *world.ConversationStarted:
		c.Head = b.Conversation
	case *world.ConversationStatus:
		c.Head.Status = b.Status
		c.Head.EndedAt = 0
		if b.Status == world.ConversationCompleted || b.Status == world.ConversationAbandoned || b.Status == world.ConversationFailed {
			c.Head.EndedAt = ev.At
		}
	case *world.ChatStarted:
		if b.Message != nil {
			c.addRow(*b.Message)
			c.say(*b.Message)
		}
		if b.Status == world.RunRunning {
			c.Runs = append(c.Runs, world.Run{
				ConversationID: b.ConversationID, RequestID: b.RequestID, MemberID: b.MemberID, Instance: b.Instance,
				Status: b.Status, StartedAt: ev.At, LastActivityAt: ev.At, StartSeq: ev.Seq, Turn: b.Turn,
			})
		}
	case *world.SegmentStarted:
		c.touch(b.RequestID, ev.At)
		c.addRow(world.Message{
			MessageID: b.MessageID, ConversationID: b.ConversationID, RequestID: b.RequestID, Role: world.RoleAssistant,
			MemberID: b.MemberID, Name: b.Name, StageID: b.StageID, Status: world.MessageOpen, At: ev.At,
		})
	case *world.SegmentClosed:
		c.touch(b.RequestID, ev.At)
		c.addRow(b.Message)
		if b.Message.Status == world.MessageDone {
			c.say(b.Message)
		}
	case *world.MessageAdded:
		c.addRow(b.Message)
	case *world.ChatDone:
		c.end(b.RequestID, world.RunDone, "", "", ev.At)
	case *world.ChatError:
		status := world.RunError
		if b.Code == world.ChatTimeout {
			status = world.RunTimeout
		}
		c.end(b.RequestID, status, b.Code, "", ev.At)
	case *world.ChatCancelled:
		status := world.RunCancelled
		if b.Reason == world.CancelInterrupted {
			status = world.RunInterrupted
		}
		c.end(b.RequestID, status, "", b.Reason, ev.At)
	}
}

// addRow replaces the row of the same id or appends it and keeps the window.
func (c *State) addRow(m world.Message) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].MessageID == m.MessageID {
			c.Messages[i] = m
			return
		}
	}
	c.Messages = append(c.Messages, m)
	c.trim()
}

// trim lets go of rows before the newest wire.ViewMessages that are closed: an open
// one is still to be shown and closed, however much was said since it opened.
func (c *State) trim() {
	old := max(0, len(c.Messages)-wire.ViewMessages)
	kept := slices.DeleteFunc(c.Messages[:old:old], func(m world.Message) bool { return m.Status != world.MessageOpen })
	if len(kept) < old {
		c.Messages = slices.Delete(c.Messages, len(kept), old)
		c.HasMore = true
	}
}

func (c *State) say(m world.Message) {
	m.Content, _ = world.Cut(m.Content, world.MaxArtifactText)
	c.Said = append(c.Said, m)
	if over := len(c.Said) - MaxSaid; over > 0 {
		c.Said = slices.Delete(c.Said, 0, over)
	}
}

func (c *State) touch(requestID string, at world.Time) {
	if r := c.Run(requestID); r != nil {
		r.LastActivityAt = at
	}
}

func (c *State) end(requestID, status, code, reason string, at world.Time) {
	i := slices.IndexFunc(c.Runs, func(r world.Run) bool { return r.RequestID == requestID })
	if i < 0 {
		return // words that asked for no answer: their run began and ended at once
	}
	r := &c.Runs[i]
	r.Status, r.Code, r.Reason, r.EndedAt, r.LastActivityAt = status, code, reason, at, at
	if r.Turn == nil {
		c.Runs = slices.Delete(c.Runs, i, i+1)
	}
}

// Forget drops ended turn runs and members' words that keep says no to: what
// belonged to an earlier stage or attempt.
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

// Run finds a run by its request id among Runs, or nil.
func (c *State) Run(requestID string) *world.Run {
	for i := range c.Runs {
		if c.Runs[i].RequestID == requestID {
			return &c.Runs[i]
		}
	}
	return nil
}

// Active are the runs under way.
func (c *State) Active() []world.Run {
	var out []world.Run
	for _, r := range c.Runs {
		if r.Status == world.RunRunning {
			out = append(out, r)
		}
	}
	return out
}

// View is the conversation ready to draw; plan is filled in by the caller.
func (c *State) View(plan world.Plan) world.View {
	v := world.View{
		Conversation: c.Head, Messages: slices.Clone(c.Messages), HasMore: c.HasMore,
		ActiveRuns: c.Active(), LastSeq: c.LastSeq, Plan: plan,
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
