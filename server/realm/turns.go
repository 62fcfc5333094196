package realm

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// runKey names a run: requestIds are unique within their conversation only.
type runKey struct{ talk, request string }

// liveRun is a run under way in this life: what a driver plays. A person's turn has
// none: it waits for chat.send.
type liveRun struct {
	runKey
	member   string
	stage    string
	segment  *conversation.Segment // open one, or nil
	shownAt  time.Time             // when words of it were last shown
	showDue  time.Time             // when the words that wait are to be shown; zero: none wait
	tools    map[string]*liveTool  // that have started and not ended, by callId; at most maxTools
	limit    bool                  // it has said too much
	spoke    bool                  // it has words in a row before a tool
	deadline time.Time             // zero: no time limit
	asked    *asked                // the request of a forge that it answers, else nil
	erased   erasure.Filter        // what was erased since it began
	cancel   context.CancelFunc
}

// forget has the run make nothing any more of what an erasure removes, which stays in memory until
// the run has ended.
func (l *liveRun) forget(red *world.Redactor) {
	l.erased = append(l.erased, red)
	if l.segment != nil {
		l.segment.Forget(red.Said)
	}
	for _, t := range l.tools {
		for _, text := range []*strings.Builder{&t.shown, &t.pending} {
			left := red.Said(text.String())
			text.Reset()
			text.WriteString(left)
		}
	}
}

// deltaEvery is the least time between two deltas of a row: 30 a second. What comes
// between is joined.
const deltaEvery = time.Second / 30

// turnMsg is what a driver makes, or that it has ended.
type turnMsg struct {
	run   runKey
	chunk driver.Chunk
	// durable is closed once a tool's start is; a refused one is told. It holds one.
	durable chan error
	end     bool
	err     error
}

// react does what an event asks for outside the fold. It decides nothing.
func (a *actor) react(ev world.Event) {
	a.walks.Watch(a.world, ev.Body)
	switch b := ev.Body.(type) {
	case *world.ChatStarted:
		if b.Status == world.RunRunning {
			a.begin(b)
		}
	case *world.ChatDone:
		a.drop(runKey{b.ConversationID, b.RequestID})
	case *world.ChatError:
		a.drop(runKey{b.ConversationID, b.RequestID})
	case *world.ChatCancelled:
		a.drop(runKey{b.ConversationID, b.RequestID})
	case *world.AgentActivity:
		if b.Activity == world.ActivityCooldown {
			a.cooling[b.AgentID] = a.now.Add(coolFor)
		}
	case *world.KnowledgeUpdated:
		a.vaults.Learn(b, ev.At, a.now)
	case *world.AgentLeft:
		delete(a.cooling, b.AgentID)
		a.saveVault(b.AgentID)
	}
	for _, k := range a.sees.Kinds.All {
		w, ok := k.(kind.Watcher)
		if !ok {
			continue
		}
		asks := w.Saw(a.sees, ev)
		if asks.Sheds {
			a.shed(k)
		}
		if asks.SavePoint != "" {
			a.savePoint(asks.SavePoint)
		}
	}
	if _, ok := ev.Body.(*world.PartyUpdated); ok {
		a.warnOfMissing()
	}
}

// drop ends a run's driver; what it still makes is not heard.
func (a *actor) drop(k runKey) {
	if l := a.live[k]; l != nil {
		l.cancel()
		delete(a.live, k)
	}
}

// begin has a run played once its start is durable: by a driver, or by the person who
// is told so.
func (a *actor) begin(b *world.ChatStarted) {
	talk := a.talks[b.ConversationID]
	if talk == nil {
		return
	}
	if talk.Head.Kind == world.KindForge {
		return // its plan has answered already, or says what is asked of whom: forgeGoesOn
	}
	l := &liveRun{runKey: runKey{b.ConversationID, b.RequestID}, member: b.MemberID, tools: map[string]*liveTool{}}
	player, req := a.kindOf(talk).Turn(a.sees, talk, b)
	if talk.Rules.Staged {
		l.stage = req.StageID
	}
	if player == nil {
		for _, ask := range a.asked() {
			if ask.ConversationID == b.ConversationID && ask.RequestID == b.RequestID {
				a.out(entry{frame: a.encode(turnFrame(ask))})
			}
		}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	a.live[l.runKey] = l
	limit := time.Duration(a.world.Settings.TurnTimeoutSeconds) * time.Second
	// Nothing acts outside before what led to it is durable; the time limit runs
	// from then too.
	a.out(entry{effect: func() {
		if ctx.Err() != nil {
			return
		}
		l.deadline = a.now.Add(limit)
		a.work.Go(func() { a.r.play(ctx, player, req) })
	}})
}

// play is a driver's goroutine: one turn.
func (r *Realm) play(ctx context.Context, player driver.Driver, req driver.Turn) {
	key := runKey{req.ConversationID, req.RequestID}
	emit := func(c driver.Chunk) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		msg := turnMsg{run: key, chunk: c}
		if c.Tool != nil {
			msg.durable = make(chan error, 1)
		}
		select {
		case r.turns <- msg:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if c.Tool == nil {
			return nil
		}
		select { // a tool acts once its intent is durable
		case err := <-msg.durable:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := run(ctx, player, req, emit)
	select {
	case r.turns <- turnMsg{run: key, end: true, err: err}:
	case <-ctx.Done():
	}
}

// run turns a driver's panic into a failed turn: it harms nobody else.
func run(ctx context.Context, player driver.Driver, req driver.Turn, emit func(driver.Chunk) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &driver.TurnError{Code: world.ChatModel, Message: fmt.Sprintf("the driver failed: %v\n%s", p, debug.Stack())}
		}
	}()
	return player.Run(ctx, req, emit)
}

// onTurn hears a driver. What comes from a run that has ended is not heard.
func (a *actor) onTurn(m turnMsg) {
	l := a.live[m.run]
	if l == nil {
		return
	}
	if l.asked != nil {
		a.hearSmith(l, m)
		return
	}
	if m.end {
		a.endTurn(l, m.err)
		return
	}
	c, left := l.erased.Chunk(l.member, m.chunk)
	switch {
	case !left:
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
		a.walks.Visit(l.member, c.Read.Path)
	case c.Finding != nil:
		a.finding(l, *c.Finding)
	case c.Withdraw != nil:
		a.withdraw(l, *c.Withdraw)
	case c.Quest != nil:
		a.offer(l, *c.Quest)
	case c.Artifact != nil:
		a.artifact(l, *c.Artifact)
	case c.Insight != nil:
		a.emit("", &world.KnowledgeUpdated{
			AgentID: l.member, Area: clip(c.Insight.Area, world.MaxTitle), Text: clip(c.Insight.Text, world.MaxFindingText),
			Review: c.Insight.Review,
		})
	case c.Seal != nil:
		a.seal(l, c.Seal.Summary)
	case c.Tool != nil:
		a.toolStart(l, *c.Tool, m.durable)
	case c.ToolOutput != nil:
		a.toolOutput(l, *c.ToolOutput)
	case c.ToolEnd != nil:
		a.toolEnd(l, *c.ToolEnd)
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
			Name: a.nameIn(l.talk, l.member), StageID: l.stage,
		}
		for _, red := range l.erased {
			l.segment.Forget(red.Said)
		}
		a.segments[l.segment.MessageID] = l.segment
		a.emit("", l.segment.Open())
	}
	full := l.segment.Add(words)
	if next := l.shownAt.Add(deltaEvery); !a.now.Before(next) {
		a.show(l)
	} else if l.showDue.IsZero() {
		l.showDue = next
	}
	if full {
		l.limit = true
		a.fail(l.runKey, world.ChatLimit, "The answer was longer than a message may be; what fits is kept.")
	}
}

// show streams the words that no delta has had yet.
func (a *actor) show(l *liveRun) {
	l.showDue = time.Time{}
	if l.segment == nil {
		return
	}
	if delta := l.segment.Delta(); delta != nil {
		l.shownAt = a.now
		a.out(entry{frame: a.encode(delta), delta: delta, segment: l.segment})
	}
}

// endTurn is a driver that has returned: with words the turn is done, else it has
// failed (B5).
func (a *actor) endTurn(l *liveRun, err error) {
	var te *driver.TurnError
	switch {
	case errors.As(err, &te):
		a.log.Warn().Str("run", l.request).Str("member", l.member).Str("code", te.Code).Msg("a turn failed")
		a.fail(l.runKey, clip(te.Code, 64), clip(te.Message, 500))
	case err != nil:
		a.log.Warn().Err(err).Str("run", l.request).Str("member", l.member).Msg("a turn failed")
		a.fail(l.runKey, world.ChatModel, "The driver failed; see the server's log.")
	case (l.segment == nil || l.segment.Blank()) && !l.spoke:
		a.fail(l.runKey, world.ChatEmpty, "The turn ended without a word.")
	default:
		bodies := a.closing(l, world.ClosedByDone, world.MessageDone)
		talk, run := a.talks[l.talk], a.running(l.runKey)
		a.emit("", append(bodies, a.kindOf(talk).Done(a.sees, talk, kind.Ended{Run: *run})...)...)
	}
}

// pace of drivers: the operator's for this life, else the realm's.
func (a *actor) pace() string {
	if a.paceOverride != "" {
		return a.paceOverride
	}
	return a.world.Settings.Pace
}
