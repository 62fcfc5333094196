package process

import (
	"slices"
	"strconv"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Process implements kind.Kind for the staged processes of a realm. At most one of them is the current process.
type Process struct {
	name     string
	due      time.Time // when to call Next again, zero for never
	stageSeq int64     // seq of the event that began the stage; 0 if the stage began before the server started
}

// New returns the implementation of kind.Kind for staged processes; name is the kind's name on the wire.
func New(name string) kind.Kind { return &Process{name: name} }

// Traits returns the fixed properties of a process.
func (k *Process) Traits() kind.Traits {
	var t kind.Traits
	t.Staged = true
	return t
}

// Begin returns an error: player:start-process begins a process.
func (k *Process) Begin(*kind.Realm, kind.Start) (kind.Decision, *wire.Error) {
	return kind.Decision{}, wire.Errorf(wire.BadField, "player:start-process begins a process")
}

// Said handles a person's words. If the process waits for a turn of the person's role, the words are that turn.
// Otherwise they are a row that the prompts of later turns contain.
func (k *Process) Said(r *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	if t.Head.Ended() {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended; start another process to go on")
	}
	answer, e := runAnswered(r, in.From, in.MemberID)
	if e != nil {
		return kind.Decision{}, e
	}
	if answer == nil {
		return kind.Decision{Bodies: kind.TakenIn(in.Request, in.Message)}, nil
	}
	in.Message.MemberID, in.Message.StageID = answer.MemberID, answer.Turn.StageID
	in.Message.RequestID = answer.RequestID // the row is a part of the person's turn
	bodies := append(kind.TakenIn(in.Request, in.Message), doneOf(r, *answer))
	if p := &r.World.ProcessState; AnswerSeals(p, answer.Turn.RoleID) {
		sealed, e := Seal(p, answer.Turn.RoleID, "")
		if e != nil {
			return kind.Decision{}, e
		}
		bodies = append(bodies, sealed...)
	}
	return kind.Decision{Bodies: bodies}, nil
}

// Due returns the time at which the plan must be called again.
func (k *Process) Due() time.Time { return k.due }

// Next carries out what the function Next decides (Decision).
func (k *Process) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		p, t := &r.World.ProcessState, current(r)
		if k.due = (time.Time{}); t == nil {
			return
		}
		d := Next(p, r.World.Settings, factsOf(r), r.Clock.Now)
		k.due = d.WakeAt
		for _, c := range d.Cancel {
			if !yield(kind.Step{Bodies: []world.Body{
				&kind.Ending{ConversationID: p.ConversationID, RequestID: c.RequestID, Reason: c.Reason},
			}}) {
				return
			}
		}
		switch {
		case d.Pause:
			yield(pauseStep(p))
			return
		case d.Advance:
			yield(advanceStep(r))
			return
		}
		for _, turn := range d.Start {
			if !yield(kind.Step{Bodies: []world.Body{startTurn(r, t, turn)}}) {
				return
			}
		}
		if w := WaitingEvent(p, d.Waiting); w != nil {
			yield(kind.Step{Bodies: []world.Body{w}})
		}
	}
}

// advanceStep returns the step that ends the current stage. The step saves the stage's artifacts, makes members leave,
// begins the next stage and makes members join. All its events are committed as a whole (S3-22, B12).
func advanceStep(r *kind.Realm) kind.Step {
	bodies, e := Advance(r.World, factsOf(r), func() string { return r.NewID("a") }, r.Clock.Now)
	if e != nil {
		return kind.Step{Warn: "a complete stage does not advance: " + e.Error(), Talk: r.World.ProcessState.ConversationID}
	}
	bodies = r.KeepEngaged(bodies)
	p := &r.World.ProcessState
	for _, b := range bodies {
		if adv, ok := b.(*world.ProcessAdvanced); ok {
			text := "Stage " + strconv.Itoa(adv.StageIndex+1) + " of " + strconv.Itoa(adv.TotalStages) + ": " +
				p.Template.Stages[adv.StageIndex].Name
			bodies = append(bodies, r.SystemRow(p.ConversationID, text))
		}
	}
	return kind.Step{Bodies: bodies}
}

// startTurn returns the event that begins a turn.
func startTurn(r *kind.Realm, t *kind.Talk, turn world.Turn) world.Body {
	p := &r.World.ProcessState
	cast := p.Casting(turn.RoleID)
	b := &world.ChatStarted{
		ConversationID: p.ConversationID, RequestID: r.FreshID(t, "t"), MemberID: cast.MemberID, Status: world.RunRunning,
		Turn: &turn,
	}
	if role := p.Role(turn.RoleID); cast.Kind == world.KindAgent && role != nil {
		r.Names(b, r.Drivers.Driver(p.Template, *role))
	}
	return b
}

// Turn returns the driver and the request for a turn. The driver is nil if a person takes the turn.
func (k *Process) Turn(r *kind.Realm, _ *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	if b.Turn == nil {
		return nil, driver.Turn{}
	}
	p := &r.World.ProcessState
	cast, role := p.Casting(b.Turn.RoleID), p.Role(b.Turn.RoleID)
	if cast == nil || role == nil || cast.Kind == world.KindHuman {
		return nil, driver.Turn{}
	}
	plays := r.Drivers.Driver(p.Template, *role)
	if plays == nil {
		return nil, driver.Turn{} // nobody plays the role; an opening of the realm makes such roles open
	}
	facts := k.promptFacts(r, *b.Turn)
	req := r.Request(k.name, b, *role)
	req.StageID, req.N, req.Attempt, req.Completion = b.Turn.StageID, b.Turn.N, b.Turn.Attempt, p.Stage().Completion
	req.Prompt = Prompt(r.World, *b.Turn, facts)
	req.Earlier = EarlierFindings(r.World, facts.Since)
	req.Findings = KnownFindings(r.World, *b.Turn, facts.Since)
	req.Insights = slices.Clone(facts.Insights)
	return plays, req
}

// promptFacts returns the material of a member's prompt. Restored is set if the server was restarted during
// the stage (S3-20).
func (k *Process) promptFacts(r *kind.Realm, turn world.Turn) PromptFacts {
	facts := PromptFacts{Facts: factsOf(r), Restored: r.World.ProcessState.StageStartedAt > 0 && k.stageSeq == 0}
	if t := current(r); t != nil {
		facts.Since = t.Head.CreatedAt
	}
	facts.Insights = r.Vaults.Of(turn.RoleID)
	facts.Skills = r.SkillsOf(turn.RoleID)
	return facts
}

// Done returns chat.done for a run, with the counts of turns after it.
func (k *Process) Done(r *kind.Realm, _ *kind.Talk, e kind.Ended) []world.Body {
	return []world.Body{doneOf(r, e.Run)}
}

// codeUnknown is the code in the event process:error for a tool call that was interrupted and whose outcome is
// unknown.
const codeUnknown = "outcome_unknown"

// Cut returns events that pause the process if the outcome of a tool call is unknown. Otherwise it returns none,
// because Next decides from the status of the run.
func (k *Process) Cut(r *kind.Realm, t *kind.Talk, c kind.Cut) []world.Body {
	if c.Tool == "" || t != current(r) || requireRunning(&r.World.ProcessState) != nil {
		return nil
	}
	text := c.Unknown(r, t.Head.ConversationID)
	out := []world.Body{&world.ProcessError{StageID: c.Stage, RoleID: c.Run.MemberID, Code: codeUnknown, Message: text}}
	return append(out, pauseAfterStop(r, t, c.Run.MemberID, text)...)
}

// pauseStep returns the step that carries out a requested pause. It names the person who asked for it.
func pauseStep(p *world.ProcessState) kind.Step {
	s := kind.Step{Bodies: Paused(p, "")}
	if paused, ok := s.Bodies[0].(*world.ProcessPaused); ok && p.PausedBy != nil {
		paused.Author, s.By = *p.PausedBy, p.PausedBy.By
	}
	return s
}

// pauseAfterStop pauses the process after a member's turn was stopped: at once, or when the other turns under way
// have ended.
func pauseAfterStop(r *kind.Realm, t *kind.Talk, member, reason string) []world.Body {
	p := &r.World.ProcessState
	for _, run := range t.Active() {
		switch {
		case run.MemberID == member:
		case p.Pausing:
			return nil
		default:
			return []world.Body{&world.ProcessPausing{}}
		}
	}
	return Paused(p, reason)
}

// Control decides a person's request to stop a run of a process, or to pause, resume, abort or close a process.
func (k *Process) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	its := t == current(r)
	switch {
	case c.Verb == kind.Stop:
		return k.stop(r, t, c)
	case c.Verb == kind.Close:
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"a process is completed by its last stage; conversation.abort ends it before, /skip passes turns")
	case c.Verb == kind.Abort:
		return end(r, t, c), nil
	case c.Verb == kind.Pause && its:
		return pause(r)
	case c.Verb == kind.Pause:
		return kind.Decision{}, kind.NothingWaits
	case its:
		return resume(r)
	case t.Head.Ended():
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	}
	return kind.Decision{Text: "It goes on already."}, nil
}

// stop ends an agent's turn. The process then waits until a person resumes it.
func (k *Process) stop(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	if !c.Played {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "it is a person's turn: /skip passes it")
	}
	d, stage := c.Stops(r, t), ""
	if c.Run.Turn != nil {
		stage = c.Run.Turn.StageID
	}
	// If the stop interrupted a tool call, Cut returns events that pause the process and name the tool call as
	// the reason. Clients see only one reason, so the stop adds a pause of its own only if Cut returned nothing.
	after := k.Cut(r, t, kind.Cut{Run: *c.Run, Stage: stage, Tool: c.Tool})
	if len(after) == 0 && t == current(r) && r.World.ProcessState.Status == world.StatusRunning {
		reason := c.From.Called() + " stopped " + r.NameIn(t.Head.ConversationID, c.Run.MemberID) + "."
		after = pauseAfterStop(r, t, c.Run.MemberID, reason+" /resume takes the turn again, /skip passes it.")
	}
	d.Bodies = append(d.Bodies, after...)
	return d, nil
}

// end ends a process before its last stage has ended: its turns stop, and its artifacts and its words stay. The cast
// stays on the map as after the last stage.
func end(r *kind.Realm, t *kind.Talk, c kind.Control) kind.Decision {
	if t.Head.Ended() || t != current(r) {
		return kind.Decision{Text: "The process has already ended."}
	}
	bodies := []world.Body{
		&world.ProcessCompleted{Artifacts: collected(r.World), Early: true},
		&world.ConversationStatus{
			ConversationID: t.Head.ConversationID, Status: c.Verb.Status(), Reason: c.From.Called() + " ended it.",
		},
	}
	return kind.Decision{
		Bodies: append(bodies, kind.Stopping(t, world.CancelPerson)...),
		Text:   "The process has ended; its artifacts and what was said stay.",
	}
}

// View shows the current process, with the turns and approvals that it waits for. In View.Team, the type and the
// displayed name of each member follow the present cast.
func (k *Process) View(r *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team}
	p := &r.World.ProcessState
	if t.Head.ConversationID != p.ConversationID {
		return v
	}
	v.Plan = world.Plan{Waiting: p.Waiting, Asked: openAsks(r)}
	v.Standing = kind.Current
	v.Team.Members = make([]world.Member, len(t.Head.Team.Members))
	for i, m := range t.Head.Team.Members {
		if c := p.Casting(m.ID); c != nil {
			switch {
			case c.Kind == world.KindAgent:
				m.Type = world.KindAgent
			case c.Kind == world.KindHuman && c.Name != "":
				m.Type, m.DisplayName = world.KindHuman, c.Name
			}
		}
		v.Team.Members[i] = m
	}
	return v
}

// tired explains why a process waits after the server was restarted repeatedly.
const tired = "The server was started again three times within ten minutes and no turn came to its end. " +
	"/resume goes on."

// Counts returns the numbers of successful turns in the current stage according to the transcript; see kind.Counter.
func (*Process) Counts(w *world.World, talk world.SavedConversation) (stages, members map[string]int) {
	return Counts(&w.ProcessState, Facts{Runs: talk.Runs, Rows: talk.StageRows})
}

// Restore adapts the cast and the map to the drivers that the server has now.
func (k *Process) Restore(r *kind.Realm, o kind.Opening) kind.Steps {
	return func(yield func(kind.Step) bool) {
		p := &r.World.ProcessState
		if !yield(kind.Step{Bodies: Muster(r.World, r.Drives(p.Template))}) {
			return
		}
		switch p.Status {
		case world.StatusRunning:
			if o.Tired {
				yield(kind.Step{
					Warn: "the server was restarted repeatedly and the process completed no turn; it is paused",
					Talk: p.ConversationID, Bodies: Paused(p, tired),
				})
			}
		case world.StatusIdle, world.StatusCompleted:
			// Take the agents off the map (S3-12), except those that a kind keeps there.
			stay := r.Held()
			for _, ag := range slices.Clone(r.World.Agents) {
				if !stay[ag.ID] && !yield(kind.Step{Bodies: []world.Body{&world.AgentLeft{AgentID: ag.ID, Reason: "restart"}}}) {
					return
				}
			}
		}
	}
}

// Saw stores the seq of the event that began the current stage.
func (k *Process) Saw(_ *kind.Realm, ev world.Event) kind.Effects {
	switch ev.Body.(type) {
	case *world.ProcessStarted, *world.ProcessAdvanced, *world.ProcessStageRestarted:
		k.stageSeq = ev.Seq
		return kind.Effects{Sheds: true}
	}
	return kind.Effects{}
}

// Sheds tells the engine which turns to keep in memory: only those of the current attempt at the current stage. The
// turns of earlier attempts, stages and processes are then only in the tables.
func (k *Process) Sheds(r *kind.Realm) (t *kind.Talk, keep func(world.Turn) bool, drop []string) {
	p := &r.World.ProcessState
	for _, talk := range r.TalksOf(k.name) {
		if id := talk.Head.ConversationID; id != p.ConversationID {
			drop = append(drop, id)
		}
	}
	stage := p.Stage()
	return current(r), func(turn world.Turn) bool {
		return stage != nil && turn.StageID == stage.ID && turn.Attempt == p.StageAttempt
	}, drop
}

// Field handles words that name no conversation. It returns the conversation of the running or paused process, ""
// for none. The parameter to is the member to whom the words are addressed, "" for nobody. The result its is true
// if the words belong to that conversation: to is "", the words answer a run of that member, or that member is a
// role that no driver plays.
func (k *Process) Field(r *kind.Realm, from kind.Person, to string) (conversationID string, its bool) {
	p := &r.World.ProcessState
	if requireRunning(p) == nil {
		conversationID = p.ConversationID
	}
	if to == "" {
		return conversationID, true
	}
	if run, e := runAnswered(r, from, to); e == nil && run != nil {
		return conversationID, true
	}
	cast := p.Casting(to)
	return conversationID, cast != nil && cast.Kind != world.KindAgent
}

// Earlier returns the findings of the processes before the current one.
func (k *Process) Earlier(r *kind.Realm) []world.Finding {
	if t := current(r); t != nil {
		return EarlierFindings(r.World, t.Head.CreatedAt)
	}
	return nil
}

// Missing returns the members that the process needs and that no driver of this server plays. The history keeps their
// names.
func (k *Process) Missing(r *kind.Realm) []world.Member {
	out := []world.Member{}
	p := &r.World.ProcessState
	if requireRunning(p) != nil {
		return out
	}
	for _, c := range p.Cast {
		role := p.Role(c.RoleID)
		if c.Kind == world.KindAgent && role != nil && !r.Drives(p.Template)(*role) {
			out = append(out, world.Member{
				ID: c.MemberID, Name: role.Name, DisplayName: role.Name, Type: world.KindAgent, Role: role.ID, Color: role.Color,
			})
		}
	}
	return out
}

// Handed returns the events that save an artifact which a driver hands over.
func (k *Process) Handed(r *kind.Realm, member string, document driver.NamedText) ([]world.Body, *wire.Error) {
	return HandOver(r.World, member, document, func() string { return r.NewID("a") }, r.Clock.Now)
}

// Sealed returns the event that records a driver's signal that the stage is done.
func (k *Process) Sealed(r *kind.Realm, member, summary string) ([]world.Body, *wire.Error) {
	return Seal(&r.World.ProcessState, member, summary)
}

// Cooled returns the events by which a member leaves the map after its cooldown, if the current stage has no part
// for it. Such a member had stayed only because it was in a conversation with others.
func (k *Process) Cooled(r *kind.Realm, member string) []world.Body {
	p := &r.World.ProcessState
	st := p.Stage()
	if p.Status == world.StatusRunning && st != nil && p.Casting(member) != nil && !slices.Contains(st.Roles, member) {
		return []world.Body{&world.AgentLeft{AgentID: member, Reason: LeftStage}}
	}
	return nil
}

// Running reports whether a process runs or is paused.
func (*Process) Running(r *kind.Realm) bool { return requireRunning(&r.World.ProcessState) == nil }

// Continues reports whether a process was running when the server stopped.
func (*Process) Continues(s *world.Saved) bool {
	return s.World.ProcessState.Status == world.StatusRunning
}

// Erasable returns an error for the conversation of a running process, and nil for all others.
func (*Process) Erasable(r *kind.Realm, conversationID string) *wire.Error {
	p := &r.World.ProcessState
	if p.Status != world.StatusRunning || conversationID != p.ConversationID {
		return nil
	}
	return wire.Errorf(wire.Conflict, "the process runs: /pause it first; erasing its conversation ends it")
}

// Forget returns the events that follow from an erasure: of the conversation t or, if t is nil, of the person. If t
// is the conversation of the process, its cast leaves the map. If a person is erased, the roles that the person has
// in a running process become free.
func (k *Process) Forget(r *kind.Realm, person string, t *kind.Talk) []world.Body {
	var out []world.Body
	p := &r.World.ProcessState
	if t != nil {
		for _, c := range p.Cast {
			if t.Head.ConversationID == p.ConversationID && r.World.Agent(c.MemberID) != nil {
				out = append(out, &world.AgentLeft{AgentID: c.MemberID, Reason: LeftProcess})
			}
		}
		return out
	}
	if person == "" || requireRunning(p) != nil {
		return nil
	}
	for _, c := range p.Cast {
		if c.SpectatorID != person {
			continue
		}
		if r.World.Agent(c.RoleID) != nil {
			out = append(out, &world.AgentLeft{AgentID: c.RoleID, Reason: "dismissed"})
		}
		out = append(out, freed(c))
		out = append(out, r.Dismissing(c.RoleID)...)
	}
	return out
}
