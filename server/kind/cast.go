package kind

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file finds the members of conversations: people, and roles of a template that drivers play.

// ReviewTemplate is the template of code reviews, for realms with a linked folder.
const ReviewTemplate = "code_review"

// Template returns a template by id, or nil. It caches templates, because plans ask for the same one repeatedly.
func (r *Realm) Template(id string) *world.Template {
	if t := r.World.ProcessState.Template; t != nil && t.ID == id {
		return t
	}
	if t := r.casts[id]; t != nil {
		return t
	}
	t, err := r.Templates.Template(id)
	if err != nil {
		return nil
	}
	if r.casts == nil {
		r.casts = map[string]*world.Template{}
	}
	r.casts[id] = t
	return t
}

// RoleOf returns a role of a template, or nil.
func RoleOf(t *world.Template, id string) *world.Role {
	for i := range t.Roles {
		if t.Roles[i].ID == id {
			return &t.Roles[i]
		}
	}
	return nil
}

// Drives returns a function that reports whether a driver plays a role of the template t.
func (r *Realm) Drives(t *world.Template) func(world.Role) bool {
	return func(role world.Role) bool { return r.Drivers.Driver(t, role) != nil }
}

// Player returns the driver and the role of an agent in a conversation whose Team.ID is the id of a template. The
// driver is nil if no driver plays the agent.
func (r *Realm) Player(c *world.Conversation, member string) (driver.Driver, world.Role) {
	if m := c.Member(member); m == nil || m.Type != world.KindAgent {
		return nil, world.Role{}
	}
	if t := r.Template(c.Team.ID); t != nil {
		if role := RoleOf(t, member); role != nil {
			return r.Drivers.Driver(t, *role), *role
		}
	}
	return nil, world.Role{}
}

// ModelOf returns the name of a driver's model, or "" if the driver has none.
func ModelOf(d driver.Driver) string {
	if m, ok := d.(driver.Modeled); ok {
		return Clip(m.Model(), world.MaxTitle)
	}
	return ""
}

// TemplateFor returns the named template. If none is named, it returns the first that has all of the members
// as roles: the template of the process, that of code reviews, or the default.
func (r *Realm) TemplateFor(named string, members []string) (*world.Template, *wire.Error) {
	if named != "" {
		t := r.Template(named)
		if t == nil {
			return nil, wire.Errorf(wire.NotFound, "there is no template %s", named)
		}
		return t, nil
	}
	for _, id := range r.casting() {
		t := r.Template(id)
		if t != nil && !slices.ContainsFunc(members, func(m string) bool { return RoleOf(t, m) == nil }) {
			return t, nil
		}
	}
	return nil, wire.Errorf(wire.NotFound,
		"no template has all of these members; name the template with templateId")
}

// casting returns the ids of the templates that TemplateFor and Answerer search for members, in the order of the
// search.
func (r *Realm) casting() []string {
	if t := r.World.ProcessState.Template; t != nil {
		return []string{t.ID, ReviewTemplate, ""}
	}
	return []string{ReviewTemplate, ""}
}

// Answerer finds the role that a person means by the text who: the id or the name of the role, in any case, with or
// without @ (B21). It returns the role and its template.
func (r *Realm) Answerer(who string) (t *world.Template, role string, e *wire.Error) {
	who = strings.TrimPrefix(strings.TrimSpace(who), "@")
	for _, id := range r.casting() {
		if t = r.Template(id); t == nil {
			continue
		}
		for _, role := range t.Roles {
			if strings.EqualFold(role.ID, who) || strings.EqualFold(role.Name, who) {
				return t, role.ID, nil
			}
		}
	}
	return nil, "", wire.Errorf(wire.NotFound, "this realm has no member %q", Clip(who, 40))
}

// AgentMember returns a role as a member. It returns an error if no driver plays it.
func (r *Realm) AgentMember(t *world.Template, id string, order int) (world.Member, *wire.Error) {
	role := RoleOf(t, id)
	switch {
	case role == nil:
		return world.Member{}, wire.Errorf(wire.NotFound, "there is no %s in %s", Clip(id, world.MaxTitle), t.Name)
	case r.Drivers.Driver(t, *role) == nil:
		return world.Member{}, wire.Errorf(wire.NotReady,
			"no driver plays the %s on this server; start it with a model (-model-url) or a script (-script)", role.Name)
	}
	return world.Member{
		ID: role.ID, Name: role.Name, DisplayName: role.Name, Type: world.KindAgent, Role: role.ID, Color: role.Color,
		Order: order,
	}, nil
}

// Absent returns a driver and a role for a member whose own driver is gone. Each turn of this driver fails.
func Absent(m world.Member) (driver.Driver, world.Role) {
	return absent{m.DisplayName}, world.Role{ID: m.ID, Name: m.Name, Color: m.Color}
}

type absent struct{ name string }

func (d absent) Run(context.Context, driver.Turn, func(driver.Chunk) error) error {
	return &driver.TurnError{Code: world.ChatModel, Message: "No driver plays the " + d.name + " on this server any more."}
}

// Names sets the fields Instance and Model of b, the event that begins a run. The parameter plays is the driver of
// the run.
func (r *Realm) Names(b *world.ChatStarted, plays driver.Driver) {
	b.Instance = r.World.NextInstance(b.MemberID)
	b.Model = ModelOf(plays)
}

// Request returns the part of a turn's request that is the same for all drivers.
func (r *Realm) Request(kindName string, b *world.ChatStarted, role world.Role) driver.Turn {
	pace := r.Pace
	if pace == "" {
		pace = r.World.Settings.Pace
	}
	return driver.Turn{
		RealmID: r.ID, Kind: kindName, ConversationID: b.ConversationID, RequestID: b.RequestID, Instance: b.Instance,
		MemberID: b.MemberID,
		Role:     role, Pace: pace, Problem: r.World.ProcessState.ProblemStatement,
		RepoName: r.World.Realm.Name, RepoPath: r.World.Realm.Path, Quests: slices.Clone(r.World.Quests),
		Reviewed: slices.ContainsFunc(r.World.Artifacts, func(a world.Artifact) bool { return a.Coverage != nil }),
	}
}

// FindAgent returns the name of the agent with that id. The agent is on the map, in a conversation, or a role of a
// template, and need not have a driver now. FindAgent finds no agent of a kind that implements Asker, because its
// prompt never has skills, and no coding agent, because it runs in its own program.
func (r *Realm) FindAgent(id string) (name string, ok bool) {
	if ag := r.World.Agent(id); ag != nil {
		return ag.DisplayName, ag.Kind == world.KindAgent && ag.State == nil
	}
	for _, talk := range r.TalkIDs() {
		head := &r.Talks[talk].Head
		_, heard := r.Kinds.Of(head.Kind).(Asker)
		_, outside := r.Kinds.Of(head.Kind).(Observer)
		if m := head.Member(id); m != nil && m.Type == world.KindAgent && !heard && !outside {
			return m.DisplayName, true
		}
	}
	templates := r.Templates.All()
	if t := r.World.ProcessState.Template; t != nil {
		templates = append([]*world.Template{t}, templates...)
	}
	for _, t := range templates {
		if role := RoleOf(t, id); role != nil {
			return role.Name, true
		}
	}
	return "", false
}
