package realm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// liveTool is a tool between its start and its end.
type liveTool struct {
	messageID string
	name      string
	reads     bool
	n         int             // the how many-eth of its run
	shown     strings.Builder // what tool.output has told; at most world.MaxToolShown
	pending   strings.Builder // what it is to tell at due
	due       time.Time       // zero: nothing waits
}

// Bounds of tools. outputEvery: what a tool gives is collected for that long, because
// each piece that is told is kept.
const (
	maxTools    = 32 // of a run at once
	outputEvery = 250 * time.Millisecond
)

// open are the tools that have not ended, in the order of their starts.
func (l *liveRun) open() []*liveTool {
	var out []*liveTool
	for _, t := range l.tools {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *liveTool) int { return a.n - b.n })
	return out
}

var errTools = errors.New("this tool was not taken: too many at once, or a callId that is in use")

// toolStart journals the intent and says when it is durable: words before it are closed
// (S4-06), and the tool acts after (S4-08).
func (a *actor) toolStart(l *liveRun, t driver.ToolStart, durable chan<- error) {
	if len(l.tools) >= maxTools || l.tools[t.CallID] != nil {
		durable <- errTools
		return
	}
	bodies := []world.Body{}
	if s := l.segment; s != nil {
		l.segment = nil
		l.spoke = l.spoke || !s.Blank()
		bodies = append(bodies, a.closeRow(l, s, world.ClosedByTool, world.MessageDone))
	}
	live := &liveTool{messageID: a.newID("m"), name: clip(t.Name, world.MaxTitle), reads: t.Reads, n: len(l.tools)}
	for _, other := range l.tools {
		live.n = max(live.n, other.n+1)
	}
	l.tools[t.CallID] = live
	a.emit("", append(bodies, &world.ToolStart{
		ConversationID: l.talk, RequestID: l.request, MessageID: live.messageID, MemberID: l.member, MemberName: a.nameIn(l.talk, l.member),
		Name: live.name, Input: clip(t.Input, world.MaxToolInput), CallID: clip(t.CallID, world.MaxTitle), Reads: t.Reads, StageID: l.stage,
	})...)
	a.out(entry{effect: func() { durable <- nil }}) // holds one
}

// toolOutput collects what a tool gives and tells it in pieces.
func (a *actor) toolOutput(l *liveRun, o driver.ToolOutput) {
	t := l.tools[o.CallID]
	if t == nil {
		return
	}
	room := world.MaxToolShown - t.shown.Len() - t.pending.Len()
	t.pending.WriteString(clip(o.Text, max(0, room)))
	if t.due.IsZero() && t.pending.Len() > 0 {
		t.due = a.now.Add(outputEvery)
	}
}

// tellOutput tells what a tool has given since it was last told.
func (a *actor) tellOutput(l *liveRun, t *liveTool) {
	t.due = time.Time{}
	text := t.pending.String()
	t.pending.Reset()
	if text == "" {
		return
	}
	t.shown.WriteString(text)
	a.emit("", &world.ToolOutput{ConversationID: l.talk, RequestID: l.request, MessageID: t.messageID, Text: text})
}

// toolEnd journals the result.
func (a *actor) toolEnd(l *liveRun, e driver.ToolEnd) {
	t := l.tools[e.CallID]
	if t == nil {
		a.log.Warn().Str("run", l.request).Str("call", clip(e.CallID, 64)).Msg("a driver ended a tool that has not started")
		return
	}
	delete(l.tools, e.CallID)
	full := e.Output
	if full == "" {
		full = t.shown.String() + t.pending.String()
	}
	full = clip(full, world.MaxMessageText)
	end := &world.ToolEnd{ConversationID: l.talk, RequestID: l.request, MessageID: t.messageID, OK: e.OK, Output: full}
	if shown, cut := world.Cut(full, world.MaxToolShown); cut {
		end.Output, end.Cut, end.Full = shown, true, full
	}
	a.emit("", end)
}

// cutOffTools closes the tools that the last life left open, and says what follows.
func (a *actor) cutOffTools(rows []world.Message, run world.Run) (ends, holds []world.Body) {
	for _, m := range rows {
		if m.Role != world.RoleTool || m.Status != world.MessageOpen || m.RequestID != run.RequestID || m.Tool == nil {
			continue
		}
		ends = append(ends, &world.ToolEnd{
			ConversationID: run.ConversationID, RequestID: run.RequestID, MessageID: m.MessageID, Output: m.Content, Unknown: true,
		})
		if !m.Tool.Reads && holds == nil {
			talk := a.talks[run.ConversationID]
			holds = a.kindOf(talk).Cut(a.sees, talk, kind.Cut{
				Run: run, Status: world.RunCancelled, Stage: m.StageID, Tool: m.Tool.Name,
			})
		}
	}
	if len(ends) > 1 {
		a.log.Warn().Str("run", run.RequestID).Msg(fmt.Sprintf("%d tools were cut off", len(ends)))
	}
	return ends, holds
}
