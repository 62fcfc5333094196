package realm

import (
	"fmt"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/party"
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
	a.emit("", append(bodies, a.after(k, a.live[k], run.MemberID, cutStatus(code), "")...)...)
}

// cutOffRun is ending for what nobody asked for: where a tool was cut off that does more
// than look, its plan waits.
func (a *actor) cutOffRun(k runKey, reason string) []world.Body {
	l, run := a.live[k], a.running(k)
	if run == nil {
		return nil
	}
	return append(a.ending(k, reason), a.after(k, l, run.MemberID, world.RunCancelled, "")...)
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

// closeRow is the whole text of a row. In a party the markers that only route are taken
// out of it (S2-B8); they count once the turn has ended well.
func (a *actor) closeRow(l *liveRun, s *conversation.Segment, reason, status string) *world.SegmentClosed {
	b := s.Close(reason, status, a.at())
	if talk := a.talks[l.talk]; talk != nil && talk.Head.Kind == world.KindParty {
		marks, text := party.Read(b.Message.Content)
		b.Message.Content = text
		l.marks, l.last = l.marks.And(marks), b.Message.MessageID
	}
	return b
}

// unknown is what follows from tools that were cut off: one that does more than look is
// never called again in silence, so the plan waits for a person.
func (a *actor) unknown(l *liveRun) []world.Body {
	if l == nil {
		return nil
	}
	for _, t := range l.open() {
		if !t.reads {
			return a.held(l.talk, l.stage, l.member, t.name)
		}
	}
	return nil
}

// after is what follows from a run that did not end well, in whatever plan it was: its
// status is that of the run, by the person who stopped it, "" for nobody.
func (a *actor) after(k runKey, l *liveRun, member, status, by string) []world.Body {
	if out := a.unknown(l); len(out) > 0 {
		return out
	}
	if a.inParty(k.talk) {
		return a.partyCut(member, status, by, "")
	}
	return nil
}

// held makes a plan wait because nobody knows what a tool did.
func (a *actor) held(talkID, stage, member, tool string) []world.Body {
	text := fmt.Sprintf("%s was cut off while it used %s; nobody knows what came of that. Look first: to go on takes the turn again.",
		a.nameIn(talkID, member), tool)
	talk := a.talks[talkID]
	switch {
	case talk == nil:
	case a.inParty(talkID):
		return a.partyCut(member, world.RunCancelled, "", text)
	default:
		run := world.Run{ConversationID: talkID, MemberID: member}
		return a.kindOf(talk).Cut(a.sees, talk, kind.Cut{Run: run, Status: world.RunCancelled, Stage: stage, Tool: tool})
	}
	return nil
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
