package party

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Command decides team:set, which begins or restores a session, and team:take-member.
func (k *Party) Command(r *kind.Realm, in kind.Command) (d kind.Decision, its bool, e *wire.Error) {
	switch c := in.Command.(type) {
	case *wire.TeamSet:
		if c.ResumeSessionID != "" {
			d, e = k.restore(r, in, c)
			return d, true, e
		}
		if e = identified(in.From); e == nil {
			d, e = k.deploy(r, c.TeamID, "")
		}
		return d, true, e
	case *wire.TeamTakeMember:
		if e = identified(in.From); e == nil {
			d, e = k.takesSeat(r, in.From, c.MemberID)
		}
		return d, true, e
	}
	return d, false, nil
}

func identified(p kind.Person) *wire.Error {
	if p.SpectatorID == "" {
		return kind.RegisterFirst
	}
	return nil
}

// Slash decides "/team" and "/team deploy ID".
func (k *Party) Slash(r *kind.Realm, in kind.Command, word, rest string) (d kind.Decision, its bool, e *wire.Error) {
	if word != "/team" {
		return d, false, nil
	}
	word, id, _ := strings.Cut(rest, " ")
	id = strings.TrimSpace(id)
	switch {
	case word == "deploy" && id != "":
		if e = identified(in.From); e == nil {
			d, e = k.deploy(r, id, "")
		}
		return d, true, e
	case word != "":
		return d, true, wire.Errorf(wire.BadField, "say /team, or /team deploy ID")
	}
	var names []string
	for _, t := range r.Teams.Teams() {
		names = append(names, t.ID+" ("+t.Name+")")
	}
	d.Text = "Teams: " + strings.Join(names, ", ") + ". /team deploy ID begins a session of one."
	return d, true, nil
}

// deploy begins a new session of a team (document 002, setTeam).
func (k *Party) deploy(r *kind.Realm, teamID, title string) (kind.Decision, *wire.Error) {
	if k.restoring(r) {
		return kind.Decision{}, RestoringNow
	}
	t, e := teamOf(r, teamID)
	if e != nil {
		return kind.Decision{}, e
	}
	bodies := leaving(r, *t)
	if title = strings.TrimSpace(title); title == "" {
		title = t.Name
	}
	head := r.New(k.name, title, world.ConversationPaused, *t)
	return kind.Decision{
		Bodies: append(bodies,
			&world.ConversationStarted{Conversation: head},
			updated(Begin(State(r.World.Party), *t, head.ConversationID)),
			&world.TeamReady{Team: *t, ConversationID: head.ConversationID},
		),
		Text: "A new session of " + t.Name + ". Say something.",
	}, nil
}

// teamOf returns a team by its id.
func teamOf(r *kind.Realm, id string) (*world.Team, *wire.Error) {
	t, err := r.Teams.Team(id)
	if err != nil {
		return nil, wire.Errorf(wire.NotFound, "%s", kind.Clip(err.Error(), maxNotice))
	}
	return t, nil
}

// maxNotice is the limit, in bytes, of an error that people see.
const maxNotice = 400

// leaving leaves the current session, if there is one, and sets the team. It clears the rest of the party's
// state (S2-02).
func leaving(r *kind.Realm, team world.Team) []world.Body {
	s := State(r.World.Party)
	reset := updated(SetTeam(s, team))
	t := atHand(r)
	if t == nil {
		return []world.Body{reset}
	}
	status := &world.ConversationStatus{
		ConversationID: s.ConversationID, Status: world.ConversationPaused, Reason: "Another session was begun.",
	}
	runs := kind.Stopping(t, world.CancelPerson)
	switch {
	case s.Newest == "" && len(t.Messages) == 0: // a session without words is not restored
		status.Status, status.Reason = world.ConversationAbandoned, "Nothing was said in it."
	case t.Head.Status != world.ConversationActive:
		return append([]world.Body{reset}, runs...) // an event of a run cannot carry the command's requestId
	}
	return append(append([]world.Body{status}, runs...), reset)
}

// takesSeat gives a connection the seat of a person of the team.
func (k *Party) takesSeat(r *kind.Realm, from kind.Person, memberID string) (kind.Decision, *wire.Error) {
	switch {
	case k.restoring(r):
		return kind.Decision{}, RestoringNow
	case r.World.Party.TeamID == "":
		return kind.Decision{}, wire.Errorf(wire.Conflict, NoTeam)
	}
	now := k.now(r)
	if len(now.team.Members) == 0 {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "there is no team %s any more", r.World.Party.TeamID)
	}
	who, after, e := Take(now.state, now.team, voice(r, from, memberID, ""))
	if e != nil {
		return kind.Decision{}, e
	}
	return kind.Decision{
		Bodies: append(now.changed, updated(after)), Text: "You speak as " + nameOf(now.team, who) + ".",
	}, nil
}
