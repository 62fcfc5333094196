package realm

import (
	"context"
	"slices"

	"agentdungeon/server/brief"
	"agentdungeon/server/conversation"
	"agentdungeon/server/council"
	"agentdungeon/server/driver"
	"agentdungeon/server/party"
	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Who takes part in councils and chats: roles of a template, played by its drivers, and
// people. Team.ID of such a conversation is the template's id; a party has a team of its
// own (party.go).

// template finds a template by id. What has been found is kept for this life, because
// plans ask again and again: at most as many as there are templates.
func (a *actor) template(id string) *world.Template {
	if t := a.world.ProcessState.Template; t != nil && t.ID == id {
		return t
	}
	if t := a.casts[id]; t != nil {
		return t
	}
	t, err := a.templates.Template(id)
	if err != nil {
		return nil
	}
	a.casts[id] = t
	return t
}

// player is what plays a member of a council or a chat now, nil for nothing, and the
// role that it plays.
func (a *actor) player(c *world.Conversation, member string) (driver.Driver, world.Role) {
	m := c.Member(member)
	switch {
	case m == nil || m.Type != world.KindAgent:
		return nil, world.Role{}
	case c.Kind == world.KindParty:
		return a.partyPlayer(*m)
	}
	if t := a.template(c.Team.ID); t != nil {
		for _, role := range t.Roles {
			if role.ID == member {
				return a.drivers.Driver(t, role), role
			}
		}
	}
	return nil, world.Role{}
}

func modelOf(d driver.Driver) string {
	if m, ok := d.(driver.Modeled); ok {
		return clip(m.Model(), world.MaxTitle)
	}
	return ""
}

// company is the template whose roles are meant where nobody names one: the process's,
// else that of a code review where there is code, else the default; of these the first
// that has all of the members.
func (a *actor) company(named string, members []string) (*world.Template, *wire.Error) {
	if named != "" {
		t := a.template(named)
		if t == nil {
			return nil, wire.Errorf(wire.NotFound, "there is no template %s", named)
		}
		return t, nil
	}
	var candidates []string
	if t := a.world.ProcessState.Template; t != nil {
		candidates = append(candidates, t.ID)
	}
	for _, id := range append(candidates, reviewTemplate, "") {
		t := a.template(id)
		if t == nil {
			continue
		}
		if !slices.ContainsFunc(members, func(m string) bool { return roleOf(t, m) == nil }) {
			return t, nil
		}
	}
	return nil, wire.Errorf(wire.NotFound, "there is nobody of all these names in one cast; templateId says which one is meant")
}

// reviewTemplate is the cast that is at home where there is code.
const reviewTemplate = "code_review"

func roleOf(t *world.Template, id string) *world.Role {
	for i := range t.Roles {
		if t.Roles[i].ID == id {
			return &t.Roles[i]
		}
	}
	return nil
}

// agentMember makes a role a member, if something plays it.
func (a *actor) agentMember(t *world.Template, id string, order int) (world.Member, *wire.Error) {
	role := roleOf(t, id)
	switch {
	case role == nil:
		return world.Member{}, wire.Errorf(wire.NotFound, "there is no %s in %s", clip(id, world.MaxTitle), t.Name)
	case a.drivers.Driver(t, *role) == nil:
		return world.Member{}, wire.Errorf(wire.NotReady, "nothing plays the %s on this server; a model (-model-url) or a script (-script) could", role.Name)
	}
	return world.Member{
		ID: role.ID, Name: role.Name, DisplayName: role.Name, Type: world.KindAgent, Role: role.ID, Color: role.Color, Order: order,
	}, nil
}

// personMember makes a person a member.
func personMember(p Person, order int) world.Member {
	return world.Member{ID: p.SpectatorID, Name: p.Name, DisplayName: p.Name, Type: world.KindHuman, Role: "person", Color: p.Color, Order: order}
}

// absent is what answers for a member that nothing plays any more.
type absent struct{ name string }

func (d absent) Run(context.Context, driver.Turn, func(driver.Chunk) error) error {
	return &driver.TurnError{Code: world.ChatModel, Message: "Nothing plays the " + d.name + " on this server any more."}
}

// talkTurn is a run of a council, a chat or a party; no driver where a person is to take it.
func (a *actor) talkTurn(talk *conversation.State, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	c := &talk.Head
	m := c.Member(b.MemberID)
	if m == nil || m.Type == world.KindHuman {
		return nil, driver.Turn{}
	}
	player, role := a.player(c, b.MemberID)
	if player == nil {
		player, role = absent{m.DisplayName}, world.Role{ID: m.ID, Name: m.Name, Color: m.Color}
	}
	req := a.request(b, role)
	req.Kind, req.Team = c.Kind, slices.Clone(c.Team.Members)
	for _, f := range a.world.Findings {
		if f.Withdrawn == "" {
			req.Findings = append(req.Findings, f)
		}
	}
	if talk := a.talks[a.world.ProcessState.ConversationID]; talk != nil {
		req.Earlier = process.EarlierFindings(a.world, talk.Head.CreatedAt)
	}
	if v := a.vaults[b.MemberID]; v != nil {
		req.Insights = slices.Clone(v.Insights)
	}
	told := brief.Turn{
		Kind: c.Kind, Role: role, Team: c.Team.Members, Self: m.ID, Problem: a.world.ProcessState.ProblemStatement,
		Artifacts: a.artifacts(), Findings: req.Findings, Insights: req.Insights, Quests: req.Quests,
		Skills: a.skillsOf(m.ID),
	}
	if a.world.Realm.Path != "" {
		told.Repo = a.world.Realm.Name
	}
	said := talk.Window(a.world.Settings.ContextWindowMessages, "")
	told.Restored = a.forgotten(said, m.ID)
	switch c.Kind {
	case world.KindCouncil:
		req.Words, req.StageID, req.N, req.Attempt = c.TaskPrompt, world.StageRounds, b.Turn.N, b.Turn.Attempt
		req.Turns = council.MaxTurns(*c, a.world.Settings)
		told.Task, told.Turn, told.Turns, told.Said = c.TaskPrompt, req.N, req.Turns, said
		for _, r := range talk.Runs {
			if r.Turn != nil && r.Turn.N == req.N && r.RequestID != b.RequestID {
				if told.Retry = r.Status; r.Status == world.RunError {
					told.Retry = r.Code
				}
			}
		}
	case world.KindParty:
		words := a.askedBy(talk)
		req.Words, req.Speaker, req.StageID, req.N, req.Attempt = party.Bare(words.Content), words.Name, world.StageRouted, b.Turn.N, b.Turn.Attempt
		told.Task, told.Guide, told.Said, told.Retry = a.world.Party.TeamTask, party.Guide(c.Team, m.ID), party.Window(talk.Said), a.lastTry
	case world.KindChat:
		words := asks(talk, b)
		req.Speaker = words.Name
		req.Words, req.Window = words.Content, talk.Window(a.world.Settings.ContextWindowMessages-1, words.MessageID) // the words that are answered are a row, too
		if b.Message == nil {
			told.Retry = talk.Before
		}
		if c.About != nil {
			told.About = &brief.Stage{Name: c.About.Name, Artifacts: a.stageArtifacts(c)}
			p := &a.world.ProcessState
			if p.ConversationID != c.About.ConversationID { // another process is on now: it is none of this chat's business
				told.Problem, told.Artifacts = "", nil
			} else if p.Template != nil {
				for _, st := range p.Template.Stages {
					if st.ID == c.About.StageID {
						told.About.Goal = st.Goal
					}
				}
			}
		}
	}
	req.Prompt = brief.Prompt(told)
	return player, req
}

// forgotten says that a member has not spoken since the server was started and that
// something was said before: it cannot remember that (S3-20). Words that others have
// said since do not change that; in a chat a person's always come first.
func (a *actor) forgotten(said []world.Message, member string) bool {
	before := func(m world.Message) bool { return m.Seq > 0 && m.Seq <= a.bornSeq } // rows of this life have no place yet, or a later one
	return len(said) > 0 && before(said[0]) && !slices.ContainsFunc(said, func(m world.Message) bool {
		return m.MemberID == member && !before(m)
	})
}

// askedBy are the words that asked for the turn under way: where they are not at hand any
// more, the newest that somebody said.
func (a *actor) askedBy(talk *conversation.State) (out world.Message) {
	for _, m := range slices.Backward(talk.Said) {
		if m.Role == world.RoleTool {
			continue
		}
		if out.MessageID == "" {
			out = m
		}
		if e := a.world.Party.Executing; e == nil || m.MessageID == e.Parent {
			return m
		}
	}
	return out
}

// asks are the words that a run of a chat answers: those that began it, else the newest
// of a person.
func asks(talk *conversation.State, b *world.ChatStarted) world.Message {
	if b.Message != nil {
		return *b.Message
	}
	for _, m := range slices.Backward(talk.Said) {
		if m.Role == world.RoleUser {
			return m
		}
	}
	return world.Message{}
}

// stageArtifacts are those of the stage that a chat is about, oldest first: of its own
// process, which may be over and another one on.
func (a *actor) stageArtifacts(c *world.Conversation) []world.Artifact {
	var out []world.Artifact
	own := c.About.ConversationID == a.world.ProcessState.ConversationID
	for _, art := range a.world.Artifacts {
		if art.StageID == c.About.StageID && art.At >= c.About.Since && (own || art.At <= c.CreatedAt) {
			out = append(out, art)
		}
	}
	return out
}

// artifacts are those of this process, oldest first.
func (a *actor) artifacts() []world.Artifact {
	collected := map[string]bool{}
	for _, ids := range a.world.ProcessState.CollectedArtifacts {
		for _, id := range ids {
			collected[id] = true
		}
	}
	var out []world.Artifact
	for _, art := range a.world.Artifacts {
		if collected[art.ID] {
			out = append(out, art)
		}
	}
	return out
}
