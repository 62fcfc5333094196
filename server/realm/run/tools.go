package run

import (
	"errors"
	"strings"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// tool is a tool call that has started and not ended.
type tool struct {
	messageID string
	name      string
	reads     bool
	n         int             // counts the tool calls of the run; sorts them by their start
	shown     strings.Builder // the output that events have reported so far; at most world.MaxToolShown
	pending   strings.Builder // the output that the next event will report
	due       time.Time       // when the next event is due; zero if no output waits
}

const (
	maxTools = 32 // maximum number of tool calls of a run that are under way at a time
	// outputEvery is the minimum time between two events with output of a tool. It is needed because the
	// journal stores each event.
	outputEvery = 250 * time.Millisecond
)

var errTools = errors.New("the tool call was refused: too many tool calls are under way, or its callId is in use")

// toolStart closes the open row (S4-06), emits tool.start, and then makes the actor send nil to durable once that event
// is durable. The tool must not act before durable has received nil (S4-08). If toolStart refuses the tool, it sends an
// error to durable.
func (s *Runs) toolStart(r *kind.Realm, l *live, t driver.ToolStart, durable chan<- error) Steps {
	if len(l.tools) >= maxTools || l.tools[t.CallID] != nil {
		durable <- errTools
		return none
	}
	bodies := []world.Body{}
	if row := l.segment; row != nil {
		l.segment = nil
		l.spoke = l.spoke || !row.Blank()
		bodies = append(bodies, closeRow(r, row, world.ClosedByTool, world.MessageDone))
	}
	begun := &tool{messageID: r.NewID("m"), name: kind.Clip(t.Name, world.MaxTitle), reads: t.Reads, n: len(l.tools)}
	for _, other := range l.tools {
		begun.n = max(begun.n, other.n+1)
	}
	l.tools[t.CallID] = begun
	bodies = append(bodies, &world.ToolStart{
		ConversationID: l.Talk, RequestID: l.Request, MessageID: begun.messageID,
		MemberID: l.member, MemberName: r.NameIn(l.Talk, l.member), StageID: l.stage,
		Name: begun.name, Input: kind.Clip(t.Input, world.MaxToolInput), CallID: kind.Clip(t.CallID, world.MaxTitle),
		Reads: t.Reads,
	})
	return func(yield func(Step) bool) { _ = yield(Step{Bodies: bodies}) && yield(Step{Durable: durable}) }
}

// toolOutput collects a tool's output.
func (l *live) toolOutput(o driver.ToolOutput, now time.Time) {
	t := l.tools[o.CallID]
	if t == nil {
		return
	}
	room := world.MaxToolShown - t.shown.Len() - t.pending.Len()
	t.pending.WriteString(kind.Clip(o.Text, max(0, room)))
	if t.due.IsZero() && t.pending.Len() > 0 {
		t.due = now.Add(outputEvery)
	}
}

// tell yields an event with the output of the tool call t that no event has reported yet. It yields nothing if there is
// no such output.
func (l *live) tell(t *tool) Steps {
	return func(yield func(Step) bool) {
		t.due = time.Time{}
		text := t.pending.String()
		t.pending.Reset()
		if text == "" {
			return
		}
		t.shown.WriteString(text)
		yield(Step{Bodies: []world.Body{
			&world.ToolOutput{ConversationID: l.Talk, RequestID: l.Request, MessageID: t.messageID, Text: text},
		}})
	}
}

// toolEnd yields the event with the result of a tool call.
func (s *Runs) toolEnd(l *live, e driver.ToolEnd) Steps {
	t := l.tools[e.CallID]
	if t == nil {
		s.log.Warn().Str("run", l.Request).Str("call", kind.Clip(e.CallID, 64)).
			Msg("a driver has reported the end of a tool call that has not started")
		return none
	}
	delete(l.tools, e.CallID)
	full := e.Output
	if full == "" {
		full = t.shown.String() + t.pending.String()
	}
	full = kind.Clip(full, world.MaxMessageText)
	end := &world.ToolEnd{
		ConversationID: l.Talk, RequestID: l.Request, MessageID: t.messageID, OK: e.OK, Output: full,
	}
	if shown, cut := world.Cut(full, world.MaxToolShown); cut {
		end.Output, end.Cut, end.Full = shown, true, full
	}
	return decide(end)
}
