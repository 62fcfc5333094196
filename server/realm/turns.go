package realm

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// liveRun is a turn under way in this life: what a driver plays. A person's turn
// has none: it waits for chat.send.
type liveRun struct {
	talk     string
	request  string
	member   string
	stage    string
	segment  *conversation.Segment // open one, or nil
	limit    bool                  // it has said too much
	question bool                  // an answer beside the plan
	deadline time.Time             // zero: no time limit
	cancel   context.CancelFunc
}

// turnMsg is what a driver makes, or that it has ended.
type turnMsg struct {
	request string
	chunk   Chunk
	end     bool
	err     error
}

// react does what an event asks for outside the fold. It decides nothing.
func (a *actor) react(ev world.Event) {
	a.move.watch(a.world, ev.Body)
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		if b.Status == world.RunRunning && b.Turn != nil {
			a.beginTurn(b)
		}
	case *world.ChatDone:
		a.drop(b.RequestID)
	case *world.ChatError:
		a.drop(b.RequestID)
	case *world.ChatCancelled:
		a.drop(b.RequestID)
	case *world.AgentLeft:
		a.saveVault(b.AgentID)
	case *world.ProcessStarted, *world.ProcessAdvanced, *world.ProcessStageRestarted:
		a.forget()
	}
}

// drop ends a run's driver; what it still makes is not heard.
func (a *actor) drop(request string) {
	if l := a.live[request]; l != nil {
		l.cancel()
		delete(a.live, request)
	}
}

// forget lets go of what earlier stages needed.
func (a *actor) forget() {
	p := &a.world.ProcessState
	for id, talk := range a.talks {
		if id == p.ConversationID {
			stage := p.Stage()
			talk.Forget(func(t world.Turn) bool { return stage != nil && t.StageID == stage.ID && t.Attempt == p.StageAttempt })
		} else if talk.Head.Kind == world.KindProcess {
			delete(a.talks, id) // an earlier process: its rows are in the journal's tables
		}
	}
}

// beginTurn has the turn played once its start is durable: by a driver, or by the
// person who is told so.
func (a *actor) beginTurn(b *world.ChatStarted) {
	cast := a.world.ProcessState.Casting(b.Turn.RoleID)
	role := a.world.ProcessState.Role(b.Turn.RoleID)
	if cast == nil || role == nil {
		return
	}
	if cast.Kind == world.KindHuman {
		for _, ask := range a.asked() {
			if ask.RequestID == b.RequestID {
				a.out(entry{frame: a.encode(turnFrame(ask))})
			}
		}
		return
	}
	driver := a.drivers.Driver(a.world.ProcessState.Template, *role)
	if driver == nil {
		return // opening has freed the roles that nobody plays
	}
	p := &a.world.ProcessState
	ctx, cancel := context.WithCancel(context.Background())
	l := &liveRun{talk: b.ConversationID, request: b.RequestID, member: b.MemberID, stage: b.Turn.StageID, cancel: cancel}
	a.live[b.RequestID] = l
	facts := a.promptFacts(*b.Turn)
	req := TurnRequest{
		RealmID: a.r.id, ConversationID: b.ConversationID, RequestID: b.RequestID, Instance: b.Instance,
		MemberID: b.MemberID, Role: *role, StageID: b.Turn.StageID, StageIndex: p.CurrentStageIndex,
		N: b.Turn.N, Attempt: b.Turn.Attempt, Completion: p.Stage().Completion, Pace: a.pace(),
		Problem: p.ProblemStatement, Prompt: process.Prompt(a.world, *b.Turn, facts), RepoName: a.world.Realm.Name, RepoPath: a.world.Realm.Path,
		Earlier:  process.EarlierFindings(a.world, facts.Since),
		Findings: process.KnownFindings(a.world, *b.Turn, facts.Since), Quests: slices.Clone(a.world.Quests), Insights: slices.Clone(facts.Insights),
	}
	limit := time.Duration(a.world.Settings.TurnTimeoutSeconds) * time.Second
	// Nothing acts outside before what led to it is durable; the time limit runs
	// from then too.
	a.out(entry{effect: func() {
		if ctx.Err() != nil {
			return
		}
		l.deadline = a.now.Add(limit)
		a.work.Go(func() { a.r.play(ctx, driver, req) })
	}})
}

// play is a driver's goroutine: one turn.
func (r *Realm) play(ctx context.Context, driver Driver, req TurnRequest) {
	emit := func(c Chunk) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		select {
		case r.turns <- turnMsg{request: req.RequestID, chunk: c}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := run(ctx, driver, req, emit)
	select {
	case r.turns <- turnMsg{request: req.RequestID, end: true, err: err}:
	case <-ctx.Done():
	}
}

// run turns a driver's panic into a failed turn: it harms nobody else.
func run(ctx context.Context, driver Driver, req TurnRequest, emit func(Chunk) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &TurnError{Code: world.ChatModel, Message: fmt.Sprintf("the driver failed: %v\n%s", p, debug.Stack())}
		}
	}()
	return driver.Run(ctx, req, emit)
}

// onTurn hears a driver. What comes from a run that has ended is not heard.
func (a *actor) onTurn(m turnMsg) {
	l := a.live[m.request]
	if l == nil {
		return
	}
	if m.end {
		a.endTurn(l, m.err)
		return
	}
	c := m.chunk
	switch {
	case c.Text != "":
		a.say(l, c.Text)
	case c.Thought != "":
		text, _ := world.Cut(strings.ToValidUTF8(c.Thought, "\uFFFD"), world.MaxFindingText)
		a.out(entry{frame: a.encode(&wire.AgentThought{AgentID: l.member, Text: text})})
	case c.Activity != nil:
		a.emit("", &world.AgentActivity{
			AgentID: l.member, Activity: clip(c.Activity.Activity, 64), Tool: clip(c.Activity.Tool, 64), ConversationID: l.talk,
		})
	case c.Read != nil:
		a.read(l, c.Read.Path)
	case c.Finding != nil:
		a.finding(l, *c.Finding)
	case c.Withdraw != nil:
		a.withdraw(l, *c.Withdraw)
	case c.Quest != nil:
		a.offer(l, *c.Quest)
	case c.Artifact != nil:
		a.artifact(l, *c.Artifact)
	case c.Insight != nil:
		in := world.Insight{Area: clip(c.Insight.Area, world.MaxTitle), Text: clip(c.Insight.Text, world.MaxFindingText), At: world.TimeOf(a.now)}
		a.learn(l.member, in)
		a.emit("", &world.KnowledgeUpdated{AgentID: l.member, Area: in.Area, Text: in.Text})
	case c.Seal != nil:
		a.seal(l, c.Seal.Summary)
	}
}

// say streams words into the run's open segment; the first ones open it (S4-04,
// S4-05).
func (a *actor) say(l *liveRun, words string) {
	if l.limit {
		return
	}
	if l.segment == nil {
		l.segment = &conversation.Segment{
			ConversationID: l.talk, RequestID: l.request, MessageID: a.newID("m"), MemberID: l.member,
			Name: a.memberName(l.member), StageID: l.stage,
		}
		a.segments[l.segment.MessageID] = l.segment
		a.emit("", l.segment.Open())
	}
	delta, full := l.segment.Add(words)
	if delta != nil {
		a.out(entry{frame: a.encode(delta), delta: delta, segment: l.segment})
	}
	if full {
		l.limit = true
		a.fail(l.request, world.ChatLimit, "The answer was longer than a message may be; what fits is kept.")
	}
}

// endTurn is a driver that has returned: with words the turn is done, else it has
// failed (B5).
func (a *actor) endTurn(l *liveRun, err error) {
	var te *TurnError
	switch {
	case errors.As(err, &te):
		a.log.Warn().Str("run", l.request).Str("member", l.member).Str("code", te.Code).Msg("a turn failed")
		a.fail(l.request, clip(te.Code, 64), clip(te.Message, 500))
	case err != nil:
		a.log.Warn().Err(err).Str("run", l.request).Str("member", l.member).Msg("a turn failed")
		a.fail(l.request, world.ChatModel, "The driver failed; see the server's log.")
	case l.segment == nil || l.segment.Blank():
		a.fail(l.request, world.ChatEmpty, "The turn ended without a word.")
	default:
		a.emit("", append(a.closing(l, world.ClosedByDone, world.MessageDone), a.done(l.request))...)
	}
}

// pace of drivers: the operator's for this life, else the realm's.
func (a *actor) pace() string {
	if a.paceOverride != "" {
		return a.paceOverride
	}
	return a.world.Settings.Pace
}

func (a *actor) timeout(request string) {
	a.log.Warn().Str("run", request).Msg("a turn took too long")
	a.fail(request, world.ChatTimeout, fmt.Sprintf("No answer within %d seconds.", a.world.Settings.TurnTimeoutSeconds))
}

// fail ends a run with an error; what it had said is kept and marked.
func (a *actor) fail(request, code, message string) {
	run := a.running(request)
	if run == nil {
		return
	}
	bodies := a.closing(a.live[request], world.ClosedByError, world.MessageError)
	a.emit("", append(bodies, &world.ChatError{
		ConversationID: run.ConversationID, RequestID: request, MemberID: run.MemberID, Code: code, Message: message,
	})...)
}

// ending are the events that stop a run: its words so far are kept (B23, S4-06).
func (a *actor) ending(request, reason string) []world.Body {
	run := a.running(request)
	if run == nil {
		return nil
	}
	closed, status := world.ClosedByCancel, world.MessageCancelled
	if reason == world.CancelInterrupted {
		closed, status = world.ClosedByInterrupt, world.MessageInterrupted
	}
	return append(a.closing(a.live[request], closed, status), &world.ChatCancelled{
		ConversationID: run.ConversationID, RequestID: request, MemberID: run.MemberID, Reason: reason,
	})
}

// closing is the event that closes the run's open segment, if it has one.
func (a *actor) closing(l *liveRun, reason, status string) []world.Body {
	if l == nil || l.segment == nil {
		return nil
	}
	s := l.segment
	l.segment = nil
	return []world.Body{s.Close(reason, status, max(world.TimeOf(a.now), a.lastAt))}
}

// done is the end of a turn that fills its slot, with the counts after it.
func (a *actor) done(request string) world.Body {
	run := a.running(request)
	body := &world.ChatDone{ConversationID: run.ConversationID, RequestID: request, MemberID: run.MemberID}
	if run.Turn != nil {
		body.Turn = process.Counted(&a.world.ProcessState, a.facts(), *run.Turn)
	}
	return body
}

func (a *actor) running(request string) *world.Run {
	for _, talk := range a.talks {
		if r := talk.Run(request); r != nil && r.Status == world.RunRunning {
			return r
		}
	}
	return nil
}

func (a *actor) memberName(id string) string {
	if ag := a.world.Agent(id); ag != nil && ag.DisplayName != "" {
		return ag.DisplayName
	}
	if r := a.world.ProcessState.Role(id); r != nil {
		return r.Name
	}
	return id
}

// clip makes a driver's or a person's text fit: valid UTF-8, at most limit bytes.
func clip(s string, limit int) string {
	s, _ = world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
	return s
}
