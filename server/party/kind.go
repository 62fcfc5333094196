package party

import (
	"slices"

	"agentdungeon/server/brief"
	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Party decides for the sessions of a realm. At most one of them is current: the world's Party names it and
// holds its state. All fields are provisional: a restart may lose them.
type Party struct {
	sessions
	name   string
	retry  string      // how the last try at the turn that begins ended, "" for none
	asked  asked       // what the turn under way has asked for so far
	before *world.Team // the team before a member left it, for the names; nil if none did
	rested rest        // the party when it last came to rest
	reads  string      // the key of the need of the last restore: see restoring
	files  arrivals
}

// New returns the kind under a name.
func New(name string) kind.Kind { return &Party{name: name} }

// Traits returns the fixed properties of a party. It counts no turns.
func (*Party) Traits() kind.Traits {
	return kind.Traits{Rules: conversation.Rules{Uncounted: true, Sessions: true}}
}

// atHand returns the current session, nil for none.
func atHand(r *kind.Realm) *kind.Talk { return r.Talks[r.World.Party.ConversationID] }

// refused returns the error for a session that is not the current one, or nil.
func (k *Party) refused(r *kind.Realm, t *kind.Talk) *wire.Error {
	switch {
	case k.restoring(r):
		return RestoringNow
	case r.World.Party.TeamID == "":
		return wire.Errorf(wire.Conflict, NoTeam) // S2-B11
	case t != atHand(r):
		return wire.Errorf(wire.Conflict, "this session is not at hand; team:set with resumeSessionId takes it up again")
	}
	return nil
}

// Begin begins a new session of a team.
func (k *Party) Begin(r *kind.Realm, in kind.Start) (kind.Decision, *wire.Error) {
	return k.deploy(r, in.TeamID, in.Title)
}

// Said takes a person's words. The connection decides who speaks (S2-B10). The row keeps no marker that
// only routes (S2-B8). While a turn is under way, the requests in the words wait in the queue.
func (k *Party) Said(r *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	if e := kind.HasEnded(t); e != nil {
		return kind.Decision{}, e
	}
	if e := k.refused(r, t); e != nil {
		return kind.Decision{}, e
	}
	now := k.now(r)
	marks, text := Read(in.Message.Content)
	speaker, seated, notes, e := Speaks(now.state, now.team, voice(r, in.From, in.MemberID, marks.From))
	if e != nil {
		return kind.Decision{}, e
	}
	d, e := Said(seated, now.team, Words{MessageID: in.Message.MessageID, MemberID: speaker, Marks: marks})
	if e != nil {
		return kind.Decision{}, e
	}
	d.Notes = append(notes, d.Notes...)
	in.Message.MemberID, in.Message.Content = speaker, text
	if m := member(now.team, speaker); m != nil {
		in.Message.Name = m.DisplayName
	}
	bodies := append(kind.TakenIn(in.Request, in.Message), now.changed...)
	return kind.Decision{Bodies: append(bodies, events(r, t, in.Request, d)...)}, nil
}

// voice returns a connection that wants to speak.
func voice(r *kind.Realm, from kind.Person, memberID, named string) Voice {
	return Voice{SpectatorID: from.SpectatorID, MemberID: memberID, From: named, Present: r.Here.Present}
}

// Running reports whether the party continues by itself.
func (k *Party) Running(r *kind.Realm) bool { return r.World.Party.Status == Active || k.restoring(r) }

// Next begins the turn of the next member in the queue, or makes the party wait for a person. It also warns
// of missing members after the session's team has changed.
func (k *Party) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		t := atHand(r)
		if need, ok := k.seeks(r); ok && !yield(kind.Step{Needs: need}) {
			return
		}
		if t == nil || r.World.Party.Status != Active || len(t.Active()) > 0 {
			return
		}
		if e := r.World.Party.Executing; e != nil { // its run has ended by another way than Done or Cut
			yield(kind.Step{Bodies: k.ended(r, t, e.Target, world.RunCancelled, "", "")})
			return
		}
		now := k.now(r)
		d, some := Next(now.state, now.team, Facts{Stands: func(m world.Member) bool {
			plays, _ := player(r, m)
			return plays != nil
		}})
		if !some {
			return
		}
		bodies := append(now.changed, events(r, t, "", d)...)
		if d.Start != nil {
			bodies = append(bodies, k.starts(r, t, now.team, *d.Start)...)
		}
		yield(kind.Step{Bodies: bodies})
	}
}

// starts returns the event that begins a member's turn.
func (k *Party) starts(r *kind.Realm, t *kind.Talk, team world.Team, item Item) []world.Body {
	turn := item.Turn()
	started := &world.ChatStarted{
		ConversationID: t.Head.ConversationID, RequestID: r.FreshID(t, "t"), MemberID: item.Target,
		Status: world.RunRunning, Turn: &turn,
	}
	m := member(team, item.Target)
	plays, _ := player(r, *m)
	r.Names(started, plays)
	k.retry = ""
	if last := t.LastRun; last != nil && last.MemberID == item.Target && last.Status != world.RunDone {
		if k.retry = last.Status; last.Status == world.RunError {
			k.retry = last.Code
		}
	}
	return append(r.Comes(m, plays != nil), started)
}

// player returns the driver of an agent, nil for none, and the role that it plays: a role of the code
// review if that has one with the member's role id.
func player(r *kind.Realm, m world.Member) (driver.Driver, world.Role) {
	t := r.Template(kind.ReviewTemplate)
	if m.Type != world.KindAgent || t == nil {
		return nil, world.Role{}
	}
	role := world.Role{ID: m.Role}
	if known := kind.RoleOf(t, m.Role); known != nil {
		role = *known
	}
	role.Name, role.Color = m.Name, m.Color
	return r.Drivers.Driver(t, role), role
}

// Turn returns the driver and the request: the words that asked for the turn, and the history before them.
func (k *Party) Turn(r *kind.Realm, t *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	c := &t.Head
	m := c.Member(b.MemberID)
	if m == nil || m.Type == world.KindHuman {
		return nil, driver.Turn{}
	}
	plays, role := player(r, *m)
	if plays == nil {
		plays, role = kind.Absent(*m)
	}
	req, told := r.Told(t, b, *m, role)
	words := askedBy(r, t)
	req.Words, req.Speaker = Bare(words.Content), words.Name
	req.StageID, req.N, req.Attempt = world.StageRouted, b.Turn.N, b.Turn.Attempt
	told.Kind, told.Task, told.Guide = brief.FormParty, r.World.Party.TeamTask, Guide(c.Team, m.ID)
	told.Said, told.Retry = Window(t.Said), k.retry
	req.Prompt = brief.Prompt(told)
	return plays, req
}

// askedBy returns the words that asked for the turn under way. If they are not in memory any more, it
// returns the newest words of the session.
func askedBy(r *kind.Realm, t *kind.Talk) (out world.Message) {
	for _, m := range slices.Backward(t.Said) {
		if m.Role == world.RoleTool {
			continue
		}
		if out.MessageID == "" {
			out = m
		}
		if e := r.World.Party.Executing; e == nil || m.MessageID == e.Parent {
			return m
		}
	}
	return out
}

// Done returns the events of a turn that ended well: its rows ask for further turns.
func (k *Party) Done(r *kind.Realm, t *kind.Talk, e kind.Ended) []world.Body {
	out := []world.Body{kind.Done(e.Run, nil)}
	if t != atHand(r) {
		return out
	}
	now := k.now(r)
	of := k.asked.of(e.Run)
	d, refused := Said(now.state, now.team, Words{MessageID: of.row, MemberID: e.Run.MemberID, Marks: of.marks})
	if refused != nil { // the member has left the team meanwhile; ignore its requests
		d = Decision{State: now.state}
	}
	return slices.Concat(out, now.changed, events(r, t, e.Run.RequestID, d))
}

// Cut makes the party wait for a person.
func (k *Party) Cut(r *kind.Realm, t *kind.Talk, c kind.Cut) []world.Body { return k.cut(r, t, c, "") }

// cut is Cut for a run that the member by has stopped, "" for nobody.
func (k *Party) cut(r *kind.Realm, t *kind.Talk, c kind.Cut, by string) []world.Body {
	switch {
	case t != atHand(r):
		return nil
	case c.Tool != "":
		return k.ended(r, t, c.Run.MemberID, world.RunCancelled, "", c.Unknown(r, t.Head.ConversationID))
	}
	return k.ended(r, t, c.Run.MemberID, c.Status, by, "")
}

// ended returns the events after a turn that did not end well. status is the run's; by is the member who
// stopped it, "" for nobody; why, if set, replaces the reason.
func (k *Party) ended(r *kind.Realm, t *kind.Talk, memberID, status, by, why string) []world.Body {
	now := k.now(r)
	d := Ended(now.state, now.team, memberID, status, by)
	if why != "" && d.State.Status == Paused {
		d.Reason = why
	}
	return append(now.changed, events(r, t, "", d)...)
}

// View shows the current session.
func (*Party) View(r *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team}
	if t == atHand(r) {
		v.Standing = kind.AtHand
	}
	return v
}

// Restore makes the current session Ready-Idle, whatever its state was (S2-08).
func (k *Party) Restore(r *kind.Realm, _ kind.Opening) kind.Steps {
	return func(yield func(kind.Step) bool) {
		s := State(r.World.Party)
		if s.ConversationID == "" {
			return
		}
		now, t := k.now(r), atHand(r)
		if t == nil || t.Head.Ended() { // the transcripts were lost
			yield(kind.Step{Bodies: []world.Body{updated(SetTeam(s, now.team))}})
			return
		}
		ready := Begin(s, now.team, s.ConversationID)
		ready.TeamTask, ready.Newest, ready.Asked, ready.Unchecked = s.TeamTask, s.Newest, s.Asked, now.state.Unchecked
		d := Decision{State: ready}
		waited := t.Head.Status == world.ConversationPaused && len(s.Queue) == 0 && s.Executing == nil &&
			s.WaitingFor == ready.WaitingFor
		switch {
		case !waited: // it waited for somebody else, as its reason says
			d.Reason = "The server was started again. Say something to go on."
		case len(now.changed) == 0:
			return // it is Ready-Idle already
		}
		yield(kind.Step{Bodies: append(now.changed, events(r, t, "", d)...)})
	}
}

// Holds returns the agents of the current session that a driver plays, by the present team file. An opening
// leaves them on the map, because the session continues.
func (k *Party) Holds(r *kind.Realm) map[string]bool {
	if t := atHand(r); t == nil || t.Head.Ended() {
		return nil
	}
	out := map[string]bool{}
	for _, m := range k.now(r).team.Members {
		if plays, _ := player(r, m); plays != nil {
			out[m.ID] = true
		}
	}
	return out
}

// Quits leaves the current session before an erasure ends it.
func (*Party) Quits(r *kind.Realm, t *kind.Talk) []world.Body {
	if t != atHand(r) {
		return nil
	}
	return []world.Body{updated(State{
		TeamID: r.World.Party.TeamID, Status: Idle, Queue: []Item{}, Seats: []Seat{},
	})}
}

// Task returns the team task that the markers of a text set, "" for none.
func (*Party) Task(words string) string {
	if marks, _ := Read(words); marks.Task != nil {
		return *marks.Task
	}
	return ""
}
