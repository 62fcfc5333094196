package realm

import (
	"fmt"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// How runs end: exactly one of chat.done, chat.error and chat.cancelled for each, after
// whatever was open in it has been closed.

func (a *actor) timeout(l *liveRun) {
	a.log.Warn().Str("run", l.request).Str("conversation", l.talk).Msg("a turn took too long")
	text := fmt.Sprintf("No answer within %d seconds.", a.world.Settings.TurnTimeoutSeconds)
	if l.asked != nil {
		a.smithFailed(l, world.ChatTimeout, text)
		return
	}
	a.fail(l.runKey, world.ChatTimeout, text)
}

// fail ends a run with an error; what it had said is kept and marked. Outside a process
// the transcript says so too (S4-B2); there the plan does.
func (a *actor) fail(k runKey, code, message string) {
	run := a.running(k)
	if run == nil {
		return
	}
	bodies := a.closing(a.live[k], world.ClosedByError, world.MessageError)
	if talk := a.talks[k.talk]; !talk.Rules.Staged {
		bodies = append(bodies, a.systemRow(k.talk, "Chat error: "+message))
	}
	bodies = append(bodies, &world.ChatError{
		ConversationID: k.talk, RequestID: k.request, MemberID: run.MemberID, Code: code, Message: message,
	})
	status := world.RunError
	if code == world.ChatTimeout {
		status = world.RunTimeout
	}
	a.emit("", append(bodies, a.cut(a.live[k], *run, status)...)...)
}

// cutOffRun is ending for what nobody asked for: where a tool was cut off that does more
// than look, its plan waits.
func (a *actor) cutOffRun(k runKey, reason string) []world.Body {
	l, run := a.live[k], a.running(k)
	if run == nil {
		return nil
	}
	return append(a.ending(k, reason), a.cut(l, *run, world.RunCancelled)...)
}

// ending are the events that stop a run: its words so far are kept (B23, S4-06). What
// its plan does about it is the caller's to say.
func (a *actor) ending(k runKey, reason string) []world.Body {
	run := a.running(k)
	if run == nil {
		return nil
	}
	closed, status := world.ClosedByCancel, world.MessageCancelled
	if reason == world.CancelInterrupted {
		closed, status = world.ClosedByInterrupt, world.MessageInterrupted
	}
	bodies := append(a.closing(a.live[k], closed, status), a.forgeRests(a.talks[k.talk])...)
	return append(bodies, &world.ChatCancelled{
		ConversationID: k.talk, RequestID: k.request, MemberID: run.MemberID, Reason: reason,
	})
}

// closing closes what is open in a run: its segment, and tools that have not ended,
// whose outcome nobody knows.
func (a *actor) closing(l *liveRun, reason, status string) []world.Body {
	if l == nil {
		return nil
	}
	var out []world.Body
	if s := l.segment; s != nil {
		l.segment = nil
		out = append(out, a.closeRow(l, s, reason, status))
	}
	for _, t := range l.open() {
		out = append(out, &world.ToolEnd{
			ConversationID: l.talk, RequestID: l.request, MessageID: t.messageID, Output: t.shown.String(), Unknown: true,
		})
	}
	return out
}

// closeRow is the whole text of a row, as its kind keeps it.
func (a *actor) closeRow(l *liveRun, s *conversation.Segment, reason, status string) *world.SegmentClosed {
	b := s.Close(reason, status, a.at())
	if talk := a.talks[l.talk]; talk != nil {
		if e, ok := a.kindOf(talk).(kind.Editor); ok {
			b.Message.Content = e.Row(b.Message)
		}
	}
	return b
}

// cut is what follows from a run that did not end well, in whatever plan it was. A tool of
// l that was cut off and does more than look is never called again in silence.
func (a *actor) cut(l *liveRun, run world.Run, status string) []world.Body {
	talk := a.talks[run.ConversationID]
	return a.kindOf(talk).Cut(a.sees, talk, a.cutOf(l, run, status))
}

func (a *actor) running(k runKey) *world.Run {
	if talk := a.talks[k.talk]; talk != nil {
		if r := talk.Run(k.request); r != nil && r.Status == world.RunRunning {
			return r
		}
	}
	return nil
}

// nameIn is what a member is called in a conversation.
func (a *actor) nameIn(talkID, member string) string { return a.sees.NameIn(talkID, member) }

// clip makes a driver's or a person's text fit: valid UTF-8, at most limit bytes.
func clip(s string, limit int) string { return kind.Clip(s, limit) }
