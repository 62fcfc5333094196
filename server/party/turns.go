package party

import (
	"slices"

	"agentdungeon/server/brief"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Said handles a person's words. The person's connection decides as which member the person speaks (S2-B10). The
// row of the words lacks [NEXT: ...] and [DROP: ...], which only choose the next speaker (S2-B8). While a turn is
// under way, the turns that the words ask for wait in the queue.
func (k *Party) Said(r *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	e := kind.HasEnded(t)
	if e == nil {
		e = k.needCurrent(r, t)
	}
	if e != nil {
		return kind.Decision{}, e
	}
	now := k.current(r)
	marks, text := Read(in.Message.Content)
	speaker, seated, notes, e := speakAs(now.state, now.team, sender(r, in.From, in.MemberID, marks.From))
	if e != nil {
		return kind.Decision{}, e
	}
	d, e := takeWords(seated, now.team, Words{MessageID: in.Message.MessageID, MemberID: speaker, Marks: marks})
	if e != nil {
		return kind.Decision{}, e
	}
	d.Notes = append(notes, d.Notes...)
	in.Message.MemberID, in.Message.Content = speaker, text
	if m := member(now.team, speaker); m != nil {
		in.Message.Name = m.DisplayName
	}
	return kind.Decision{
		Bodies: append(kind.TakenIn(in.Request, in.Message), now.events(r, t, in.Request, d)...),
	}, nil
}

// sender returns the Sender for speakAs. memberID is the member that the command names; named is the name in the [FROM:
// ...] of the words.
func sender(r *kind.Realm, from kind.Person, memberID, named string) Sender {
	return Sender{SpectatorID: from.SpectatorID, MemberID: memberID, From: named, Present: r.Here.Present}
}

// Running reports whether the party continues by itself.
func (k *Party) Running(r *kind.Realm) bool { return r.World.Party.Status == Active || k.restoring(r) }

// Next begins the turn of the next member in the queue, or makes the party wait for a person. It also warns
// of missing members after the session's team has changed.
func (k *Party) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		t := session(r)
		if need, ok := k.needMissing(r); ok && !yield(kind.Step{Needs: need}) {
			return
		}
		if t == nil || r.World.Party.Status != Active || len(t.Active()) > 0 {
			return
		}
		if e := r.World.Party.Executing; e != nil { // the run of the item has ended, but neither Done nor Cut was called
			yield(kind.Step{Bodies: k.Cut(r, t, kind.Cut{
				Run: world.Run{MemberID: e.Target}, Status: world.RunCancelled,
			})})
			return
		}
		now := k.current(r)
		d, ok := nextTurn(now.state, now.team, func(m world.Member) bool {
			plays, _ := player(r, m)
			return plays != nil
		})
		if !ok {
			return
		}
		bodies := now.events(r, t, "", d)
		if item := d.State.Executing; item != nil {
			bodies = append(bodies, k.start(r, t, now.team, *item)...)
		}
		yield(kind.Step{Bodies: bodies})
	}
}

// start returns the events that begin the turn of the member whom item asks for.
func (k *Party) start(r *kind.Realm, t *kind.Talk, team world.Team, item Item) []world.Body {
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

// player returns the driver of an agent, nil for none, and the role that it plays: the role of the code
// review with the member's role id, if there is one.
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
	req, told := r.TurnFor(t, b, *m, role)
	words := askedBy(r, t)
	req.Words, req.Speaker = Bare(words.Content), words.Name
	for _, row := range t.Said {
		if row.Seq > words.Seq && row.Role == world.RoleAssistant && row.MemberID != m.ID {
			req.Window = append(req.Window, row)
		}
	}
	req.StageID, req.N, req.Attempt = world.StageRouted, b.Turn.N, b.Turn.Attempt
	told.Kind, told.Task, told.Guide = brief.FormParty, r.World.Party.TeamTask, guide(c.Team, m.ID)
	told.Said, told.Retry = window(t.Said), k.retry
	req.Prompt = brief.Prompt(told)
	return plays, req
}

// askedBy returns the words that asked for the turn under way, or the newest words of the session if the former are not
// in memory any more.
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

// requests collects the markers in the rows of one run. The party acts on them when the run has ended well.
type requests struct {
	run   string // requestId of the run
	row   string // messageId of the last row
	marks Marks
}

// Row returns the text that the row of an agent's run stores: without the markers that only choose the next speaker
// (S2-B8). Row collects these markers until the run ends.
func (k *Party) Row(m world.Message) string {
	marks, text := Read(m.Content)
	if k.requests.run != m.RequestID {
		k.requests = requests{run: m.RequestID}
	}
	k.requests.row, k.requests.marks = m.MessageID, k.requests.marks.and(marks)
	return text
}

// Kept returns the text that is stored as the row of a person's words: the words without [NEXT: ...] and [DROP: ...].
func (*Party) Kept(text string) string {
	_, text = Read(text)
	return text
}

// Redact removes erased words from the team task in the collected markers. said returns a text without the erased
// words.
func (k *Party) Redact(said func(string) string) {
	if task := k.requests.marks.Task; task != nil {
		left := said(*task)
		k.requests.marks.Task = &left
	}
}

// Task returns the team task that the markers of a text set, "" for none.
func (*Party) Task(words string) string {
	if marks, _ := Read(words); marks.Task != nil {
		return *marks.Task
	}
	return ""
}

// Done returns the events that follow from a turn that ended well: chat.done, and the party's state with the turns that
// the rows of this turn ask for.
func (k *Party) Done(r *kind.Realm, t *kind.Talk, e kind.Ended) []world.Body {
	done := []world.Body{kind.Done(e.Run, nil)}
	if t != session(r) {
		return done
	}
	now := k.current(r)
	w := Words{MemberID: e.Run.MemberID}
	if k.requests.run == e.Run.RequestID {
		w.MessageID, w.Marks = k.requests.row, k.requests.marks
	}
	d, refused := takeWords(now.state, now.team, w)
	if refused != nil { // the member has left the team: ignore its requests
		d = Decision{State: now.state}
	}
	return append(done, now.events(r, t, e.Run.RequestID, d)...)
}

// Cut handles a run that failed or was stopped: the party then waits for a person.
func (k *Party) Cut(r *kind.Realm, t *kind.Talk, c kind.Cut) []world.Body { return k.cut(r, t, c, "") }

// cut does what Cut does. by is the member id of the person who stopped the run, "" if no person did. After a tool call
// with an unknown outcome, the party waits for the first person of the team and not for by.
func (k *Party) cut(r *kind.Realm, t *kind.Talk, c kind.Cut, by string) []world.Body {
	if t != session(r) {
		return nil
	}
	if c.Tool != "" {
		c.Status, by = world.RunCancelled, ""
	}
	now := k.current(r)
	d := failTurn(now.state, now.team, c.Run.MemberID, c.Status, by)
	if c.Tool != "" && d.State.Status == Paused {
		d.Reason = c.Unknown(r, t.Head.ConversationID)
	}
	return now.events(r, t, "", d)
}

// Holds returns the agents of the current session that a driver plays. They stay on the map when the realm is
// opened, because the session continues.
func (k *Party) Holds(r *kind.Realm) map[string]bool {
	if t := session(r); t == nil || t.Head.Ended() {
		return nil
	}
	out := map[string]bool{}
	for _, m := range k.current(r).team.Members {
		if plays, _ := player(r, m); plays != nil {
			out[m.ID] = true
		}
	}
	return out
}
