package kind

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Who takes part: roles of a template, played by its drivers, and people.

// ReviewTemplate is the cast that is at home where there is code.
const ReviewTemplate = "code_review"

// Template finds a template by id, nil for none. What has been found is kept for this
// life, because plans ask again and again.
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

// RoleOf is a role of a template, nil for none.
func RoleOf(t *world.Template, id string) *world.Role {
	for i := range t.Roles {
		if t.Roles[i].ID == id {
			return &t.Roles[i]
		}
	}
	return nil
}

// Drives says of the roles of a template whether something plays them.
func (r *Realm) Drives(t *world.Template) func(world.Role) bool {
	return func(role world.Role) bool { return r.Drivers.Driver(t, role) != nil }
}

// Player is what plays an agent of a conversation whose Team.ID is a template's, nil for
// nothing, and the role that it plays.
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

// ModelOf is what answers, "" where the driver does not say.
func ModelOf(d driver.Driver) string {
	if m, ok := d.(driver.Modeled); ok {
		return Clip(m.Model(), world.MaxTitle)
	}
	return ""
}

// TemplateFor returns the template whose roles are meant where nobody names one: the process's,
// else that of a code review where there is code, else the default; of these the first
// that has all of the members.
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
		"there is nobody of all these names in one cast; templateId says which one is meant")
}

// casting are the templates where people are looked for, the first first.
func (r *Realm) casting() []string {
	if t := r.World.ProcessState.Template; t != nil {
		return []string{t.ID, ReviewTemplate, ""}
	}
	return []string{ReviewTemplate, ""}
}

// Answerer finds the role of a member to talk with, by id or name, with or without @
// (B21).
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
	return nil, "", wire.Errorf(wire.NotFound, "there is no member %q here", Clip(who, 40))
}

// AgentMember makes a role a member, if something plays it.
func (r *Realm) AgentMember(t *world.Template, id string, order int) (world.Member, *wire.Error) {
	role := RoleOf(t, id)
	switch {
	case role == nil:
		return world.Member{}, wire.Errorf(wire.NotFound, "there is no %s in %s", Clip(id, world.MaxTitle), t.Name)
	case r.Drivers.Driver(t, *role) == nil:
		return world.Member{}, wire.Errorf(wire.NotReady,
			"nothing plays the %s on this server; a model (-model-url) or a script (-script) could", role.Name)
	}
	return world.Member{
		ID: role.ID, Name: role.Name, DisplayName: role.Name, Type: world.KindAgent, Role: role.ID, Color: role.Color,
		Order: order,
	}, nil
}

// Absent is what answers for a member that nothing plays any more.
func Absent(m world.Member) (driver.Driver, world.Role) {
	return absent{m.DisplayName}, world.Role{ID: m.ID, Name: m.Name, Color: m.Color}
}

type absent struct{ name string }

func (d absent) Run(context.Context, driver.Turn, func(driver.Chunk) error) error {
	return &driver.TurnError{Code: world.ChatModel, Message: "Nothing plays the " + d.name + " on this server any more."}
}

// Names gives a run its instance and says what answers in it.
func (r *Realm) Names(b *world.ChatStarted, plays driver.Driver) {
	b.Instance = r.World.NextInstance(b.MemberID)
	b.Model = ModelOf(plays)
}

// Request is what every driver is told about its run.
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
	}
}

// FindAgent finds an agent by its id: on the map, in a conversation, or as a role of a template,
// whether something plays it now or not. It returns what the agent is called. An agent that is
// only heard (Asker) is not found: it is told no skills.
func (r *Realm) FindAgent(id string) (name string, ok bool) {
	if ag := r.World.Agent(id); ag != nil {
		return ag.DisplayName, ag.Kind == world.KindAgent
	}
	for _, talk := range r.TalkIDs() {
		head := &r.Talks[talk].Head
		_, heard := r.Kinds.Of(head.Kind).(Asker)
		if m := head.Member(id); m != nil && m.Type == world.KindAgent && !heard {
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
