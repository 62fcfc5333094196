package process

import (
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file has the commands about the process as a whole: they start it, change who has a role, and skip turns.

// Command decides the commands about the process.
func (k *Process) Command(r *kind.Realm, in kind.Command) (d kind.Decision, ok bool, e *wire.Error) {
	switch c := in.Command.(type) {
	case *wire.StartProcess:
		d, e = k.start(r, c)
	case *wire.TakeRole:
		d, e = takeRole(r, in.From, c.RoleID)
	case *wire.DismissAgent:
		d, e = dismiss(r, c.AgentID)
	default:
		return d, false, nil
	}
	return d, true, e
}

// Slash decides a line that begins with a slash and is a command about the process, such as /pause.
func (k *Process) Slash(r *kind.Realm, in kind.Command, word, rest string) (d kind.Decision, ok bool, e *wire.Error) {
	switch word {
	case "/pause":
		d, e = pause(r)
	case "/resume":
		d, e = resume(r)
	case "/skip":
		d, e = skip(r, in.From, rest)
	case "/restart":
		var bodies []world.Body
		bodies, e = Restart(&r.World.ProcessState)
		d = kind.Decision{Bodies: bodies, Text: "The stage begins again."}
	case "/summon":
		d, e = summon(r, rest)
	case "/dismiss":
		d, e = dismiss(r, rest)
	default:
		return d, false, nil
	}
	return d, true, e
}

func (k *Process) start(r *kind.Realm, c *wire.StartProcess) (kind.Decision, *wire.Error) {
	t, err := r.Templates.Template(c.TemplateID)
	if err != nil {
		return kind.Decision{}, wire.Errorf(wire.NotFound, "%s", err)
	}
	bodies, e := Start(r.World, StartRequest{
		Problem: strings.TrimSpace(c.Problem), Template: t, ConversationID: r.NewID("c"), Drives: r.Drives(t),
	}, r.Clock.Now)
	if e != nil {
		return kind.Decision{}, e
	}
	for _, b := range bodies {
		if begun, ok := b.(*world.ConversationStarted); ok {
			begun.Conversation.Kind = k.name
		}
	}
	bodies = r.KeepEngaged(bodies)
	const oracle = world.RoleOracle
	o := r.World.Agent(oracle)
	if o != nil && o.Role == oracle && kind.RoleOf(t, oracle) == nil && r.Engaged(oracle, "") == "" {
		bodies = append(bodies, &world.AgentLeft{AgentID: oracle, Reason: LeftProcess})
	}
	return kind.Decision{Bodies: bodies}, nil
}

// pausesLater is the answer to a pause while turns are under way.
const pausesLater = "The process pauses when the turns under way have ended."

func pause(r *kind.Realm) (kind.Decision, *wire.Error) {
	p := &r.World.ProcessState
	if p.Status == world.StatusPaused {
		return kind.Decision{Text: "Paused."}, nil
	}
	if p.Status == world.StatusRunning && p.Pausing {
		return kind.Decision{Text: pausesLater}, nil
	}
	bodies, e := Pause(p, factsOf(r))
	text := "Paused."
	if len(bodies) > 0 {
		if _, ok := bodies[0].(*world.ProcessPausing); ok {
			text = pausesLater
		}
	}
	return kind.Decision{Bodies: bodies, Text: text}, e
}

func resume(r *kind.Realm) (kind.Decision, *wire.Error) {
	bodies, e := Resume(&r.World.ProcessState, r.World.Settings, factsOf(r))
	return kind.Decision{Bodies: bodies, Text: "The process goes on."}, e
}

// skip skips turns: of the roles in rest, or the sender's own turn if rest is empty. If rest is empty and the sender
// has no turn, it skips the turns that the function Skip chooses without roles.
func skip(r *kind.Realm, from kind.Person, rest string) (kind.Decision, *wire.Error) {
	roles := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' })
	if len(roles) == 0 && from.SpectatorID != "" {
		if mine, _ := runAnswered(r, from, ""); mine != nil {
			roles = []string{mine.Turn.RoleID}
		}
	}
	bodies, e := Skip(&r.World.ProcessState, r.World.Settings, factsOf(r), roles...)
	if e != nil {
		return kind.Decision{}, e
	}
	names := []string{}
	for _, b := range bodies {
		if s, ok := b.(*world.ProcessSkipped); ok {
			for _, id := range s.RoleIDs {
				names = append(names, r.World.ProcessState.Role(id).Name)
			}
		}
	}
	return kind.Decision{Bodies: bodies, Text: "Passed: " + strings.Join(names, ", ") + "."}, nil
}

// takeRole gives a role to a person. It takes the role away from a driver, but never from another person.
func takeRole(r *kind.Realm, from kind.Person, roleID string) (kind.Decision, *wire.Error) {
	p := &r.World.ProcessState
	switch {
	case from.SpectatorID == "":
		return kind.Decision{}, kind.RegisterFirst
	case requireRunning(p) != nil:
		return kind.Decision{}, wire.Errorf(wire.Conflict, "no process is running; start one and then take a role")
	}
	cast, role := p.Casting(roleID), p.Role(roleID)
	switch {
	case cast == nil || role == nil:
		return kind.Decision{}, wire.Errorf(wire.NotFound, "there is no role %s in this process", roleID)
	case cast.Kind == world.KindHuman && cast.SpectatorID == from.SpectatorID:
		return kind.Decision{Text: "You hold " + role.Name + " already."}, nil
	case cast.Kind == world.KindHuman:
		return kind.Decision{}, wire.Errorf(wire.Conflict, "%s holds %s; a role has one holder", cast.Name, role.Name)
	}
	now := *cast
	now.Kind, now.Name, now.SpectatorID = world.KindHuman, from.Name, from.SpectatorID
	bodies := []world.Body{&world.AgentJoined{Agent: Agent(*role, now)}, &world.ProcessCast{Casting: now}}
	bodies = append(bodies, r.Dismissing(roleID)...)
	if stuck(p, r.World.Settings, factsOf(r), roleID) {
		bodies = append(bodies, &world.ProcessResumed{}) // its failures do not count any more: the person gets the turn
	}
	return kind.Decision{Bodies: bodies, Text: "You hold " + role.Name + "."}, nil
}

// stuck reports whether the process waits only because the turns of this role have failed too often.
func stuck(p *world.ProcessState, s world.Settings, f Facts, roleID string) bool {
	if p.Status != world.StatusRunning || p.Pausing || p.Stage() == nil {
		return false
	}
	failed := planOf(p, s, tallyOf(p, f)).in(spent)
	return len(failed) == 1 && failed[0].turn.RoleID == roleID
}

// dismiss makes a member leave the map. It ends the member's runs and the conversations that cannot continue
// without the member, and takes away the member's role. In a process that is over only people have a role to lose: its
// driver, if there is one, has the role again.
func dismiss(r *kind.Realm, id string) (kind.Decision, *wire.Error) {
	id = strings.TrimPrefix(id, "@")
	p := &r.World.ProcessState
	agent, cast := r.World.Agent(id), p.Casting(id)
	over := requireRunning(p) != nil
	if over && cast != nil && cast.Kind != world.KindHuman {
		cast = nil
	}
	if agent == nil && (cast == nil || cast.Kind == world.KindOpen) {
		return kind.Decision{}, wire.Errorf(wire.NotFound, "nobody called %s is here", kind.Clip(id, world.MaxTitle))
	}
	if agent != nil && agent.State != nil { // the agent would come back with the next reading
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"%s runs in its own program, and leaves when it ends there", agent.DisplayName)
	}
	var bodies []world.Body
	if agent != nil {
		bodies = append(bodies, &world.AgentLeft{AgentID: id, Reason: "dismissed"})
	}
	bodies = append(bodies, r.Left(id)...)
	if cast != nil && !over {
		bodies = append(bodies, freed(*cast))
	}
	bodies = append(bodies, r.Dismissing(id)...)
	if cast != nil && over {
		bodies = append(bodies, given(r, *cast, agent != nil)...)
	}
	return kind.Decision{Bodies: bodies, Text: r.MemberName(id) + " has left."}, nil
}

// given returns the events that take a role of a process that is over from a person, and give it to its driver if there
// is one. onMap: whether the driver's agent takes the person's place on the map.
func given(r *kind.Realm, c world.Casting, onMap bool) []world.Body {
	p := &r.World.ProcessState
	role := p.Role(c.RoleID)
	if role == nil || !r.Drives(p.Template)(*role) {
		return []world.Body{freed(c)}
	}
	now := world.Casting{RoleID: c.RoleID, MemberID: c.MemberID, Kind: world.KindAgent}
	out := []world.Body{&world.ProcessCast{Casting: now}}
	if onMap {
		out = append(out, &world.AgentJoined{Agent: Agent(*role, now)})
	}
	return out
}

// summon assigns an open role to a driver.
func summon(r *kind.Realm, id string) (kind.Decision, *wire.Error) {
	p := &r.World.ProcessState
	if requireRunning(p) != nil {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "no process is running; start one first")
	}
	cast, role := p.Casting(id), p.Role(id)
	switch {
	case role == nil || cast == nil:
		return kind.Decision{}, wire.Errorf(wire.NotFound, "there is no role %s in this process",
			kind.Clip(id, world.MaxTitle))
	case cast.Kind == world.KindHuman:
		return kind.Decision{}, wire.Errorf(wire.Conflict, "%s holds %s; /dismiss %s frees it", cast.Name, role.Name, id)
	case !r.Drives(p.Template)(*role):
		return kind.Decision{}, wire.Errorf(wire.NotReady, "nothing plays %s on this server; take the role yourself",
			role.Name)
	case r.World.Agent(id) != nil:
		return kind.Decision{Text: role.Name + " is here already."}, nil
	case r.Room() <= 0:
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"%d members are here, the most that this realm allows (maxAgents)", len(r.World.Agents)-kind.Coders(r.World))
	}
	now := world.Casting{RoleID: cast.RoleID, MemberID: cast.MemberID, Kind: world.KindAgent}
	return kind.Decision{
		Bodies: []world.Body{&world.AgentJoined{Agent: Agent(*role, now)}, &world.ProcessCast{Casting: now}},
		Text:   role.Name + " comes.",
	}, nil
}
