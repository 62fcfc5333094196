package run

import (
	"fmt"
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// How runs end: exactly one of chat.done, chat.error and chat.cancelled for each, after whatever
// was open in it has been closed.

func (s *Runs) timeout(r *kind.Realm, l *live) Steps {
	s.log.Warn().Str("run", l.Request).Str("conversation", l.Talk).Msg("a turn took too long")
	text := fmt.Sprintf("No answer within %d seconds.", r.World.Settings.TurnTimeoutSeconds)
	if l.answer != nil {
		h := &Heard{Key: l.Key, N: l.answer.n, Code: world.ChatTimeout, Why: text}
		return func(yield func(Step) bool) { yield(Step{Heard: h}) }
	}
	return s.Fail(r, l.Key, world.ChatTimeout, text)
}

// Fail ends a run with an error; what it had said is kept and marked. Outside a process the
// transcript says so too (S4-B2); there the plan does.
func (s *Runs) Fail(r *kind.Realm, k Key, code, message string) Steps {
	return func(yield func(Step) bool) {
		run := r.Running(k.Talk, k.Request)
		if run == nil {
			return
		}
		bodies := s.closing(r, k, world.ClosedByError, world.MessageError)
		if !r.Talks[k.Talk].Rules.Staged {
			bodies = append(bodies, r.SystemRow(k.Talk, "Chat error: "+message))
		}
		bodies = append(bodies, &world.ChatError{
			ConversationID: k.Talk, RequestID: k.Request, MemberID: run.MemberID, Code: code, Message: message,
		})
		status := world.RunError
		if code == world.ChatTimeout {
			status = world.RunTimeout
		}
		yield(Step{Bodies: append(bodies, s.follows(r, *run, status)...)})
	}
}

// CutOff are the events that end a run which nobody asked to end: where a tool was cut off that
// does more than look, its plan waits.
func (s *Runs) CutOff(r *kind.Realm, k Key, reason string, rests ...world.Body) []world.Body {
	run := r.Running(k.Talk, k.Request)
	if run == nil {
		return nil
	}
	return append(s.End(r, k, reason, rests...), s.follows(r, *run, world.RunCancelled)...)
}

// End are the events that stop a run: its words so far are kept (B23, S4-06). What its plan does
// about it is the caller's to say; rests are its events that stand before chat.cancelled.
func (s *Runs) End(r *kind.Realm, k Key, reason string, rests ...world.Body) []world.Body {
	run := r.Running(k.Talk, k.Request)
	if run == nil {
		return nil
	}
	closed, status := world.ClosedByCancel, world.MessageCancelled
	if reason == world.CancelInterrupted {
		closed, status = world.ClosedByInterrupt, world.MessageInterrupted
	}
	return append(append(s.closing(r, k, closed, status), rests...), &world.ChatCancelled{
		ConversationID: k.Talk, RequestID: k.Request, MemberID: run.MemberID, Reason: reason,
	})
}

// closing closes what is open in a run: its row, and tools that have not ended, whose outcome
// nobody knows.
func (s *Runs) closing(r *kind.Realm, k Key, reason, status string) []world.Body {
	l := s.live[k]
	if l == nil {
		return nil
	}
	var out []world.Body
	if row := l.segment; row != nil {
		l.segment = nil
		out = append(out, closeRow(r, row, reason, status))
	}
	for _, t := range l.open() {
		out = append(out, &world.ToolEnd{
			ConversationID: l.Talk, RequestID: l.Request, MessageID: t.messageID, Output: t.shown.String(), Unknown: true,
		})
	}
	return out
}

// closeRow is the whole text of a row, as its kind keeps it.
func closeRow(r *kind.Realm, row *conversation.Segment, reason, status string) *world.SegmentClosed {
	b := row.Close(reason, status, r.At())
	if talk := r.Talks[row.ConversationID]; talk != nil {
		if e, ok := r.Kinds.Of(talk.Head.Kind).(kind.Editor); ok {
			b.Message.Content = e.Row(b.Message)
		}
	}
	return b
}

// follows are the events that follow from a run that did not end well. A tool that was cut off
// and does more than look is never called again in silence.
func (s *Runs) follows(r *kind.Realm, run world.Run, status string) []world.Body {
	talk := r.Talks[run.ConversationID]
	return r.Kinds.Of(talk.Head.Kind).Cut(r, talk, s.Cut(run, status))
}

// Cut is a run that did not end well, as its kind is told of it.
func (s *Runs) Cut(run world.Run, status string) kind.Cut {
	c := kind.Cut{Run: run, Status: status}
	l := s.live[Key{run.ConversationID, run.RequestID}]
	if l == nil {
		return c
	}
	c.Stage = l.stage
	for _, t := range l.open() {
		if !t.reads {
			c.Tool = t.name
			break
		}
	}
	return c
}

// Expand puts the events of a run's end where a kind says that it ends.
func (s *Runs) Expand(r *kind.Realm, bodies []world.Body) []world.Body {
	if !slices.ContainsFunc(bodies, func(b world.Body) bool { _, ok := b.(*kind.Ending); return ok }) {
		return bodies
	}
	var out []world.Body
	for _, b := range bodies {
		if e, ok := b.(*kind.Ending); ok {
			k := Key{e.ConversationID, e.RequestID}
			out = append(out, s.End(r, k, e.Reason, Rests(r, k.Talk)...)...)
		} else {
			out = append(out, b)
		}
	}
	return out
}

// Rests are the events that say, before a run of a conversation ends, that what it did is cut off.
func Rests(r *kind.Realm, conversationID string) []world.Body {
	talk := r.Talks[conversationID]
	if talk == nil {
		return nil
	}
	if m, ok := r.Kinds.Of(talk.Head.Kind).(kind.Mender); ok {
		return m.Rests(r, talk)
	}
	return nil
}
