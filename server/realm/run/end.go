package run

import (
	"fmt"
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// This file ends runs. Each run ends with exactly one of chat.done, chat.error and chat.cancelled. Before that
// its open row and its open tools are closed.

func (s *Runs) timeout(r *kind.Realm, l *live) Steps {
	s.log.Warn().Str("run", l.Request).Str("conversation", l.Talk).
		Msg("a turn was ended because it exceeded its time limit")
	text := fmt.Sprintf("No answer within %d seconds.", r.World.Settings.TurnTimeoutSeconds)
	if l.answer != nil {
		return one(Step{Heard: &Heard{Key: l.Key, N: l.answer.n, Code: world.ChatTimeout, Why: text}})
	}
	return s.Fail(r, l.Key, world.ChatTimeout, text)
}

// Fail ends a run with chat.error. It keeps the words of the run and closes their row with the status error. Outside a
// process it adds a row that says what has failed (S4-B2). A process gets no such row: its plan tries the turn again or
// reports why the process waits.
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

// CutOff returns the events that cancel a run although no person has stopped it, and those that the conversation's
// plan decides in answer.
func (s *Runs) CutOff(r *kind.Realm, k Key, reason string) []world.Body {
	run := r.Running(k.Talk, k.Request)
	if run == nil {
		return nil
	}
	return append(s.End(r, k, reason), s.follows(r, *run, world.RunCancelled)...)
}

// End returns the events that cancel a run, without those that the conversation's plan decides in answer. The row
// keeps the words that the run has said so far (B23, S4-06).
func (s *Runs) End(r *kind.Realm, k Key, reason string) []world.Body {
	run := r.Running(k.Talk, k.Request)
	if run == nil {
		return nil
	}
	var rests []world.Body
	talk := r.Talks[k.Talk]
	if m, ok := r.Kinds.Of(talk.Head.Kind).(kind.Mender); ok {
		rests = m.Rests(r, talk)
	}
	closed, status := world.ClosedByCancel, world.MessageCancelled
	if reason == world.CancelInterrupted {
		closed, status = world.ClosedByInterrupt, world.MessageInterrupted
	}
	return append(append(s.closing(r, k, closed, status), rests...), &world.ChatCancelled{
		ConversationID: k.Talk, RequestID: k.Request, MemberID: run.MemberID, Reason: reason,
	})
}

// closing returns the events that close the open row and end the open tool calls of a run. The events say that the
// outcome of the tool calls is unknown.
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

// closeRow returns the event that closes a row. The event has the whole text of the row; the kind of the conversation
// may have edited the text.
func closeRow(r *kind.Realm, row *conversation.Segment, reason, status string) *world.SegmentClosed {
	b := row.Close(reason, status, r.At())
	if talk := r.Talks[row.ConversationID]; talk != nil {
		if e, ok := r.Kinds.Of(talk.Head.Kind).(kind.Editor); ok {
			b.Message.Content = e.Row(b.Message)
		}
	}
	return b
}

// follows returns the events that the plan of the run's conversation decides after the run has ended without success,
// with the given status.
func (s *Runs) follows(r *kind.Realm, run world.Run, status string) []world.Body {
	talk := r.Talks[run.ConversationID]
	return r.Kinds.Of(talk.Head.Kind).Cut(r, talk, s.Cut(run, status))
}

// Cut returns a description of a run that did not end well, for the kind of its conversation. Cut.Tool is an open
// tool call that does more than read. Its outcome is unknown, so the plan asks a person before the tool is called
// again.
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

// Expand returns the events in bodies. In place of a kind.Ending, with which a kind of conversation asks for the end
// of a run, it returns the events that end the run.
func (s *Runs) Expand(r *kind.Realm, bodies []world.Body) []world.Body {
	if !slices.ContainsFunc(bodies, func(b world.Body) bool { _, ok := b.(*kind.Ending); return ok }) {
		return bodies
	}
	var out []world.Body
	for _, b := range bodies {
		if e, ok := b.(*kind.Ending); ok {
			out = append(out, s.End(r, Key{e.ConversationID, e.RequestID}, e.Reason)...)
		} else {
			out = append(out, b)
		}
	}
	return out
}

// Interrupted returns the events that end a run that was under way when the server ended. They close its open row
// without the streamed text, which is lost (P9.4), and say that the outcome of its open tool calls is unknown. If
// one of these tools does more than read, the plan waits for a person.
func (s *Runs) Interrupted(r *kind.Realm, talk *kind.Talk, run world.Run) []world.Body {
	var rows, tools, follow []world.Body
	for _, m := range talk.Messages {
		switch {
		case m.Status != world.MessageOpen || m.RequestID != run.RequestID:
		case m.Role == world.RoleAssistant:
			m.Status = world.MessageInterrupted
			rows = append(rows, &world.SegmentClosed{
				ConversationID: run.ConversationID, RequestID: run.RequestID, Message: m, Reason: world.ClosedByInterrupt,
			})
		case m.Role == world.RoleTool && m.Tool != nil:
			tools = append(tools, &world.ToolEnd{
				ConversationID: run.ConversationID, RequestID: run.RequestID, MessageID: m.MessageID,
				Output: m.Content, Unknown: true,
			})
			if !m.Tool.Reads && follow == nil {
				follow = r.Kinds.Of(talk.Head.Kind).Cut(r, talk, kind.Cut{
					Run: run, Status: world.RunCancelled, Stage: m.StageID, Tool: m.Tool.Name,
				})
			}
		}
	}
	if len(tools) > 1 {
		s.log.Warn().Str("run", run.RequestID).Int("tools", len(tools)).
			Msg("several tool calls of a run were under way when the server ended")
	}
	out := append(append(rows, tools...), &world.ChatCancelled{
		ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID, Reason: world.CancelInterrupted,
	})
	return append(out, follow...)
}
