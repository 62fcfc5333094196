package party

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
)

// Command decides team:set, which begins or restores a session, and team:take-member. The result its is false for
// every other command: another kind decides that one.
func (k *Party) Command(r *kind.Realm, in kind.Command) (d kind.Decision, its bool, e *wire.Error) {
	switch c := in.Command.(type) {
	case *wire.TeamSet:
		if c.ResumeSessionID != "" {
			d, e = k.restore(r, in, c)
		} else if e = identified(in.From); e == nil {
			d, e = k.deploy(r, c.TeamID, "")
		}
		return d, true, e
	case *wire.TeamTakeMember:
		if e = identified(in.From); e == nil {
			d, e = k.takeSeat(r, in.From, c.MemberID)
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

// takeSeat gives a person the seat of a member: from now on the person speaks as this member.
func (k *Party) takeSeat(r *kind.Realm, from kind.Person, memberID string) (kind.Decision, *wire.Error) {
	if e := k.needTeam(r); e != nil {
		return kind.Decision{}, e
	}
	now := k.current(r)
	if len(now.team.Members) == 0 {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "there is no team %s any more", r.World.Party.TeamID)
	}
	who, after, e := takeSeat(now.state, now.team, sender(r, from, memberID, ""))
	if e != nil {
		return kind.Decision{}, e
	}
	return kind.Decision{
		Bodies: append(now.changed, updated(after)), Text: "You speak as " + nameOf(now.team, who) + ".",
	}, nil
}
