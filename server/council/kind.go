package council

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/brief"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Council implements kind.Kind for all councils of a realm.
type Council struct{ name string }

// New returns the implementation of kind.Kind for councils; name is the kind's name on the wire.
func New(name string) kind.Kind { return Council{name} }

// Traits returns the fixed properties of a council.
func (Council) Traits() kind.Traits { return kind.Traits{Gathers: true} }

// maxCouncils limits the councils that have not ended, including those that wait: all of them are in memory
// and in world:state.
const maxCouncils = 64

const waitsForPlace = "The council waits: as many are under way as this realm allows (maxConcurrentConversations)."

// Begin opens a council of the agents in memberIds. The sender is also a member if memberIds has their spectatorId.
func (k Council) Begin(r *kind.Realm, in kind.Start) (kind.Decision, *wire.Error) {
	c, settings := in.ConversationStart, r.World.Settings
	var agents []string
	for _, id := range c.MemberIDs {
		if id != in.From.SpectatorID {
			agents = append(agents, id)
		}
	}
	if len(agents) == 0 {
		return kind.Decision{}, wire.Errorf(wire.BadField, "a council needs at least one agent")
	}
	if len(agents) > 1 && settings.AgentChats == world.Off { // S0-B12
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"agents may not begin to talk with each other here (setting agentChats is off); a task for one of them is possible")
	}
	t, e := r.TemplateFor(c.TemplateID, agents)
	if e != nil {
		return kind.Decision{}, e
	}
	team := world.Team{ID: t.ID, Name: t.Name, Members: []world.Member{}}
	head := r.New(k.name, strings.TrimSpace(c.Title), world.ConversationActive, team)
	for i, id := range c.MemberIDs {
		m := in.From.Member(i)
		if id != in.From.SpectatorID {
			if m, e = r.AgentMember(t, id, i); e != nil {
				return kind.Decision{}, e
			}
		}
		head.Team.Members = append(head.Team.Members, m)
	}
	// Record the task and the number of turns in the head before the first reply (S0-02, S0-03).
	head.TaskPrompt, head.MaxTurns = strings.TrimSpace(c.TaskPrompt), c.MaxTurns
	if head.MaxTurns == 0 {
		head.MaxTurns = settings.TaskMaxTurns
		if len(c.MemberIDs) == 1 {
			head.MaxTurns = 1 // a task is done in one turn
		}
	}
	if head.Title == "" {
		head.Title = titleOf(head.TaskPrompt)
	}
	open := 0
	for _, t := range r.TalksOf(k.name) {
		if !t.Head.Ended() {
			open++
		}
	}
	if open >= maxCouncils {
		return kind.Decision{}, wire.Errorf(wire.RateLimited, "%d councils have not ended; end some of them first", open)
	}
	if k.full(r) {
		head.Status = world.ConversationQueued
		return kind.Decision{Bodies: []world.Body{&world.ConversationStarted{Conversation: head}}, Text: waitsForPlace}, nil
	}
	bodies := append([]world.Body{&world.ConversationStarted{Conversation: head}}, r.Gather(&head)...)
	return kind.Decision{Bodies: bodies, Text: "The council begins."}, nil
}

// full reports whether as many councils are active as the realm allows.
func (k Council) full(r *kind.Realm) bool {
	active := 0
	for _, t := range r.TalksOf(k.name) {
		if t.Head.Status == world.ConversationActive {
			active++
		}
	}
	return active >= r.World.Settings.MaxConcurrentConversations
}

// titleOf returns the first line of a task, cut to the length of a title.
func titleOf(task string) string {
	line, _, _ := strings.Cut(task, "\n")
	if short, cut := world.Cut(line, wire.MaxTitle-4); cut {
		return short + "..."
	}
	return line
}

// Said handles a person's words. If the council waits for the person's turn, the words are that turn. Otherwise it
// only adds the row of the words, so that the prompts of later turns contain them.
func (k Council) Said(_ *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	if e := kind.HasEnded(t); e != nil {
		return kind.Decision{}, e
	}
	for _, run := range asked(t) {
		if run.MemberID != in.From.SpectatorID {
			continue
		}
		in.Message.MemberID, in.Message.RequestID = run.MemberID, run.RequestID // the row is a part of the person's turn
		return kind.Decision{Bodies: append(kind.TakenIn(in.Request, in.Message), done(t, run))}, nil
	}
	return kind.Decision{Bodies: kind.TakenIn(in.Request, in.Message)}, nil
}

// asked returns the runs that wait for a person.
func asked(t *kind.Talk) []world.Run {
	return slices.DeleteFunc(t.Active(), func(run world.Run) bool {
		m := t.Head.Member(run.MemberID)
		return run.Turn == nil || m == nil || m.Type != world.KindHuman
	})
}

// done returns chat.done for a run. If the run was a turn, the event has the numbers of turns that the council and the
// member have taken, including this one.
func done(t *kind.Talk, run world.Run) world.Body {
	if run.Turn == nil {
		return kind.Done(run, nil)
	}
	return kind.Done(run, &world.TurnDone{
		Turn: *run.Turn, StageTurns: Taken(t.Runs) + 1, MemberTurns: takenBy(t, run.MemberID) + 1,
	})
}

// takenBy counts the turns that a member has taken.
func takenBy(t *kind.Talk, member string) int {
	return Taken(slices.DeleteFunc(slices.Clone(t.Runs), func(r world.Run) bool { return r.MemberID != member }))
}

// Next begins queued councils while fewer than Settings.MaxConcurrentConversations are active, and begins the next
// turns of active ones.
func (k Council) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		var heads []world.Conversation
		for _, t := range r.TalksOf(k.name) {
			heads = append(heads, t.Head)
		}
		for _, id := range Admit(k.name, heads, r.World.Settings.MaxConcurrentConversations) {
			if !yield(kind.Step{Bodies: r.To(&r.Talks[id].Head, world.ConversationActive, "")}) {
				return
			}
		}
		for _, t := range r.TalksOf(k.name) {
			var bodies []world.Body
			switch d := Next(state(r, t), r.World.Settings); {
			case d.Status != "":
				bodies = r.To(&t.Head, d.Status, d.Reason)
			case d.Turn != nil:
				bodies = append(quiet(r, t, *d.Turn), starts(r, t, *d.Turn))
			}
			if len(bodies) > 0 && !yield(kind.Step{Bodies: bodies}) {
				return
			}
		}
	}
}

// quiet returns the row that tells people which agents have nothing to add, before a turn of a person and before the
// turn that sums up; nothing before other turns, in a council without people, or if the row is there already.
func quiet(r *kind.Realm, t *kind.Talk, turn world.Turn) []world.Body {
	s := state(r, t)
	isPerson := func(m world.Member) bool { return m.Type == world.KindHuman }
	m, names := t.Head.Member(turn.RoleID), s.silent()
	attended := slices.ContainsFunc(t.Head.Team.Members, isPerson) ||
		slices.ContainsFunc(t.Said, func(row world.Message) bool { return row.SpectatorID != "" })
	closing, _ := s.passes()
	if len(names) == 0 || !attended || !closing && (m == nil || !isPerson(*m)) {
		return nil
	}
	text := names[0] + " has nothing to add."
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + names[last] + " have nothing to add."
	}
	if n := len(t.Messages); n > 0 && t.Messages[n-1].Content == text {
		return nil
	}
	return []world.Body{r.SystemRow(t.Head.ConversationID, text)}
}

// state returns the State from which the function Next decides.
func state(r *kind.Realm, t *kind.Talk) State {
	return State{
		Head: t.Head, Runs: t.Runs, Said: t.Said, ActiveSeq: t.ActiveSeq,
		Stands: func(m world.Member) bool {
			plays, _ := r.Player(&t.Head, m.ID)
			return m.Type == world.KindHuman || plays != nil
		},
	}
}

// starts returns the event that begins a turn.
func starts(r *kind.Realm, t *kind.Talk, turn world.Turn) world.Body {
	b := &world.ChatStarted{
		ConversationID: t.Head.ConversationID, RequestID: r.FreshID(t,
			"t"), MemberID: turn.RoleID, Status: world.RunRunning, Turn: &turn,
	}
	if m := t.Head.Member(turn.RoleID); m != nil && m.Type == world.KindAgent {
		plays, _ := r.Player(&t.Head, b.MemberID)
		r.Names(b, plays)
	}
	return b
}

// Turn returns an agent's driver and its request, with the task and the newest rows. The driver is nil if a person
// takes the turn.
func (k Council) Turn(r *kind.Realm, t *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	c := &t.Head
	m := c.Member(b.MemberID)
	if m == nil || m.Type == world.KindHuman {
		return nil, driver.Turn{}
	}
	plays, role := r.Player(c, b.MemberID)
	if plays == nil {
		plays, role = kind.Absent(*m)
	}
	req, prompt := r.TurnFor(t, b, *m, role)
	req.Words, req.StageID, req.N, req.Attempt = c.TaskPrompt, world.StageRounds, b.Turn.N, b.Turn.Attempt
	req.Turns = MaxTurns(*c, r.World.Settings)
	s := state(r, t)
	if closing, _ := s.passes(); closing {
		req.Turns = req.N // the turn sums up, like the last one
	} else if req.N > req.Turns {
		req.Turns = req.N + 1 // the turn answers a person; an agent has summed up
		if before := c.Member(s.lastSpeaker()); before != nil && before.Type == world.KindHuman {
			req.Turns = req.N
		}
	}
	req.Own = takenBy(t, b.MemberID)
	prompt.Kind, prompt.Task, prompt.Turn, prompt.Turns = brief.FormCouncil, c.TaskPrompt, req.N, req.Turns
	prompt.Said = t.Window(r.World.Settings.ContextWindowMessages, "")
	req.Asked, req.Window = askedOf(prompt.Said, *m, c.Team.Members)
	for _, run := range t.Runs {
		if run.Turn != nil && run.Turn.N == req.N && run.RequestID != b.RequestID {
			if prompt.Retry = run.Status; run.Status == world.RunError {
				prompt.Retry = run.Code
			}
		}
	}
	req.Prompt = brief.Prompt(prompt)
	return plays, req
}

// Done returns chat.done for a run that ended well; see done. An agent that has nothing to say passes its turn, as a
// person does who skips it.
func (Council) Done(_ *kind.Realm, t *kind.Talk, e kind.Ended) []world.Body {
	if e.Passed && e.Run.Turn != nil {
		return []world.Body{&world.ChatCancelled{
			ConversationID: e.Run.ConversationID, RequestID: e.Run.RequestID, MemberID: e.Run.MemberID,
			Reason: world.CancelSkipped,
		}}
	}
	return []world.Body{done(t, e.Run)}
}

// Cut makes the council wait for a person if the outcome of a tool call is unknown. Otherwise it returns no event, so
// that the turn is tried again.
func (Council) Cut(r *kind.Realm, t *kind.Talk, c kind.Cut) []world.Body { return cut(r, t, c) }

func cut(r *kind.Realm, t *kind.Talk, c kind.Cut) []world.Body {
	if c.Tool == "" || t.Head.Ended() {
		return nil
	}
	return r.To(&t.Head, world.ConversationPaused, c.Unknown(r, t.Head.ConversationID))
}

// Control decides what a person does with a council.
func (k Council) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	head := &t.Head
	switch c.Verb {
	case kind.Stop:
		return stops(r, t, c), nil
	case kind.Pause:
		text := "The council waits."
		if len(t.Active()) > 0 {
			text = "The council waits when the turn under way has ended."
		}
		switch head.Status {
		case world.ConversationPaused: // somebody else was faster
			return kind.Decision{Text: text}, nil
		case world.ConversationActive:
		default:
			return kind.Decision{}, kind.NothingWaits
		}
		return kind.Decision{Bodies: r.To(head, world.ConversationPaused, c.From.Called()+" paused it."), Text: text}, nil
	case kind.Resume:
		return k.resumes(r, t)
	}
	if c.Verb == kind.Close && !head.Ended() {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "a council ends when its turns are taken; abort ends it now")
	}
	return c.Ends(r, t), nil
}

func (k Council) resumes(r *kind.Realm, t *kind.Talk) (kind.Decision, *wire.Error) {
	switch c := &t.Head; {
	case c.Ended():
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	case c.Status == world.ConversationQueued:
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"it begins by itself as soon as another council ends (maxConcurrentConversations)")
	case c.Status != world.ConversationPaused && c.Status != world.ConversationInterrupted:
		return kind.Decision{Text: "It goes on already."}, nil
	case k.full(r):
		return kind.Decision{Bodies: r.To(c, world.ConversationQueued, ""), Text: waitsForPlace}, nil
	default:
		return kind.Decision{Bodies: r.To(c, world.ConversationActive, ""), Text: "The council goes on."}, nil
	}
}

// stops ends a run at a person's request. If a person had the turn, the council skips the turn. If an agent had it, the
// council waits until somebody resumes it.
func stops(r *kind.Realm, t *kind.Talk, c kind.Control) kind.Decision {
	id := t.Head.ConversationID
	if m := t.Head.Member(c.Run.MemberID); c.Run.Turn != nil && m != nil && m.Type == world.KindHuman {
		text := r.NameIn(id, c.Run.MemberID) + " passes this turn."
		passes := &kind.Ending{ConversationID: id, RequestID: c.Run.RequestID, Reason: world.CancelSkipped}
		return kind.Decision{Bodies: []world.Body{passes, r.SystemRow(id, text)}, Text: text}
	}
	d := c.Stops(r, t)
	// If the tool call and the stop both have a reason, use that of the tool call.
	after := cut(r, t, kind.Cut{Run: *c.Run, Tool: c.Tool})
	if len(after) == 0 && t.Head.Status == world.ConversationActive {
		reason := c.From.Called() + " stopped " + r.NameIn(id, c.Run.MemberID) + ". Resume takes the turn again."
		after = r.To(&t.Head, world.ConversationPaused, reason)
	}
	d.Bodies = append(d.Bodies, after...)
	return d
}

// View shows the councils that have not ended, each with the people whose turn it is.
func (Council) View(r *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Plan: Plan(state(r, t), r.World.Settings), Team: t.Head.Team}
	for _, run := range asked(t) {
		task, _ := world.Cut(t.Head.TaskPrompt, 300)
		v.Plan.Asked = append(v.Plan.Asked, world.Ask{
			ConversationID: t.Head.ConversationID, RequestID: run.RequestID, RoleID: run.MemberID, MemberID: run.MemberID,
			Prompt: fmt.Sprintf("%s (turn %d)", task, run.Turn.N),
		})
	}
	if !t.Head.Ended() {
		v.Standing = kind.Open
	}
	return v
}

// Restore continues the councils that were interrupted (S0-04 to S0-16), however many there are (S0-B4). If
// the server was restarted repeatedly, they wait for a person.
func (k Council) Restore(r *kind.Realm, o kind.Opening) kind.Steps {
	return func(yield func(kind.Step) bool) {
		for _, t := range r.TalksOf(k.name) {
			for _, s := range k.takesUp(r, t, o.Tired) {
				if !yield(s) {
					return
				}
			}
		}
		for _, ag := range slices.Clone(r.World.Agents) { // members who were in a conversation when the server stopped
			together := ag.Activity == world.ActivityConversing || ag.Activity == world.ActivityCooldown
			if together && r.Engaged(ag.ID, "") == "" &&
				!yield(kind.Step{Bodies: []world.Body{&world.AgentActivity{AgentID: ag.ID}}}) {
				return
			}
		}
	}
}

// takesUp returns the steps that continue one council after a restart of the server.
func (k Council) takesUp(r *kind.Realm, t *kind.Talk, tired bool) []kind.Step {
	head := t.Head
	var out []kind.Step
	if head.Status == world.ConversationActive {
		head.Status = world.ConversationInterrupted
		out = append(out, kind.Step{Bodies: []world.Body{&world.ConversationStatus{
			ConversationID: head.ConversationID, Status: head.Status, Reason: "The server was started again.",
		}}})
	}
	if head.Status != world.ConversationInterrupted {
		return nil
	}
	st := state(r, t)
	st.Head.Status = world.ConversationActive
	switch d := Next(st, r.World.Settings); {
	case d.Status == world.ConversationCompleted:
		return append(out, kind.Step{Bodies: r.To(&head, d.Status, d.Reason)})
	case tired:
		return append(out, kind.Step{Talk: head.ConversationID,
			Warn: "the server was restarted repeatedly and a council completed no turn; it stays interrupted"})
	}
	return append(out, kind.Step{Bodies: r.To(&head, world.ConversationActive, "")})
}

// Left returns the events that follow when a member is dismissed: they end the councils in which the member takes
// part, and the runs of the other members in them.
func (k Council) Left(r *kind.Realm, member string) []world.Body {
	var out []world.Body
	for _, t := range r.TalksOf(k.name) {
		id := t.Head.ConversationID
		if t.Head.Ended() || t.Head.Member(member) == nil {
			continue
		}
		out = append(out, &world.ConversationStatus{
			ConversationID: id, Status: world.ConversationCompleted, Reason: r.NameIn(id, member) + " was dismissed.",
		})
		for _, run := range t.Active() {
			if run.MemberID != member { // the runs of the member itself end when the member leaves
				out = append(out, &kind.Ending{ConversationID: id, RequestID: run.RequestID, Reason: world.CancelDismissed})
			}
		}
	}
	return out
}
