package forge

import (
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Forge decides for all forges of a realm. It passes what people say to the plan (Step) and turns the
// result of a step into one list of events (exchange.go).
type Forge struct{ name string }

// New returns the kind under a name.
func New(name string) kind.Kind { return Forge{name} }

// The smith is the agent that makes skills: a driver plays it, or the plan answers by itself.
var (
	smithRole   = world.Role{ID: "smith", Name: "Smith", Color: "#c9743a"}
	smithMember = world.Member{
		ID: smithRole.ID, Name: smithRole.Name, DisplayName: smithRole.Name, Type: world.KindAgent, Role: smithRole.ID,
		Color: smithRole.Color, Order: 1,
	}
)

// smith returns the driver that plays the smith, nil for none.
func smith(r *kind.Realm) driver.Driver {
	d := r.Drivers.Driver(nil, smithRole)
	if s, ok := d.(driver.Smith); ok && s.PlaysSmith() {
		return d
	}
	return nil
}

// Traits returns the fixed properties of a forge.
func (Forge) Traits() kind.Traits {
	return kind.Traits{Answers: true, Rules: conversation.Rules{Recent: true, Context: true}}
}

// unnamed is the title of a forge until its skill has a name.
const unnamed = "A new skill"

// Begin opens a forge: the smith asks what the skill is to do.
func (k Forge) Begin(r *kind.Realm, in kind.Start) (kind.Decision, *wire.Error) {
	if need := r.Look(); need != nil {
		return kind.Decision{Needs: need}, nil
	}
	title := strings.TrimSpace(in.Title)
	if title == "" {
		title = unnamed
	}
	team := world.Team{ID: k.name, Name: "Forge", Members: []world.Member{in.From.Member(0), smithMember}}
	head := r.New(k.name, title, world.ConversationActive, team)
	x, err := advance(r, &head, NewContext(head.ConversationID), Input{Begin: true})
	if err != nil {
		return refused(head.ConversationID, err)
	}
	return kind.Decision{
		Bodies: append([]world.Body{&world.ConversationStarted{Conversation: head}}, x.begins(r.NewID("w"), nil)...),
		Text:   "The smith asks what the skill is to do.",
	}, nil
}

// Said takes what a person says, chooses, or both.
func (k Forge) Said(r *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	if e := hasEnded(t); e != nil {
		return kind.Decision{}, e
	}
	if need := r.Look(); need != nil {
		return kind.Decision{Needs: need}, nil
	}
	id := t.Head.ConversationID
	if len(t.Active()) > 0 {
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"the smith is still at work on what was said before; wait for that, or stop it")
	}
	if e := r.RoomToAnswer(id); e != nil {
		return kind.Decision{}, e
	}
	by := kind.Overtaken(t, in.From, in.Request, in.SeenSeq)
	if by != nil && len(in.Choices) > 0 { // two questions may have equal buttons
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"%s has answered meanwhile; look at what is asked now", by.Name)
	}
	before, err := contextOf(t)
	if err != nil {
		return refused(id, err)
	}
	x, err := advance(r, &t.Head, before, Input{Text: in.Message.Content, Buttons: in.Choices})
	switch {
	case err != nil:
		return refused(id, err)
	case x.Ignored != "":
		return kind.Decision{}, wire.Errorf(wire.Conflict, "%s", x.Ignored)
	}
	if len(in.Choices) > 0 {
		in.Message.Content = x.Heard(before)
	}
	var bodies []world.Body
	if t.Head.Ended() {
		bodies = append(bodies, &world.ConversationStatus{ConversationID: id, Status: world.ConversationActive})
	}
	return kind.Decision{Bodies: append(bodies, x.begins(in.Request, in.Message)...)}, nil
}

// hasEnded returns an error if the skill is made. Words to an abandoned forge continue it (S1-16).
func hasEnded(t *kind.Talk) *wire.Error {
	if t.Head.Status == world.ConversationAbandoned {
		return nil
	}
	return kind.HasEnded(t)
}

// Next returns no steps: a forge continues only after words of a person or an answer to a request.
func (Forge) Next(*kind.Realm) kind.Steps { return kind.None }

// Turn returns the request to the smith that a run waits for. A run that begins has none yet.
func (k Forge) Turn(r *kind.Realm, t *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	if t.Forge == nil || t.Forge.Working != workingModel {
		return nil, driver.Turn{}
	}
	c, err := contextOf(t)
	if err != nil || c.Plan.Work == nil {
		return nil, driver.Turn{}
	}
	player, role := smith(r), smithRole
	if player == nil { // there was a driver when the step was taken
		player, role = kind.Absent(smithMember)
	}
	asked := requestOf(c, envOf(r))
	req := r.Request(k.name, b, role)
	req.Heard, req.Team = true, []world.Member{smithMember}
	req.StageID, req.N, req.Attempt, req.Prompt = asked.Kind, asked.N, 1, asked.Prompt
	for _, l := range asked.History {
		m := world.Message{
			ConversationID: b.ConversationID, Role: l.Role, Content: l.Content, Status: world.MessageDone,
		}
		if l.Role == world.RoleAssistant {
			m.MemberID, m.Name = smithMember.ID, smithMember.Name
		} else {
			req.Words = l.Content
		}
		req.Window = append(req.Window, m)
	}
	return player, req
}

// Saw returns the Request or the Save of a step as effects. The engine calls it once the step is durable.
func (k Forge) Saw(r *kind.Realm, ev world.Event) kind.Effects {
	b, ok := ev.Body.(*world.ForgeStepped)
	if !ok || b.Forge.Working == "" {
		return kind.Effects{}
	}
	t := r.Talks[b.ConversationID]
	if t == nil || t.Head.Kind != k.name || len(t.Active()) == 0 {
		return kind.Effects{}
	}
	run := t.Active()[0]
	if b.Forge.Working == workingModel {
		return kind.Effects{Asks: &world.ChatStarted{
			ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID, Instance: run.Instance,
			Model: run.Model, Status: world.RunRunning,
		}}
	}
	c, err := contextOf(t)
	if err != nil {
		return kind.Effects{}
	}
	save := saveOf(c)
	return kind.Effects{Writes: &kind.Writing{
		Run: run, Files: world.SkillFiles{Name: save.Name, Files: save.Files, Replace: save.Replace},
	}}
}

// MaxAnswer returns the limit of the smith's answer: the largest skill, and room for the text around it.
func (Forge) MaxAnswer() int { return skill.MaxSize + skill.MaxFile }

// Heard takes the next step with the smith's answer. If the smith failed, the forge returns to a state in
// which a person can say more; nothing is lost (S1-10).
func (k Forge) Heard(r *kind.Realm, t *kind.Talk, a kind.Answer) kind.Step {
	if a.Code == world.ChatLimit && a.Why == "" {
		a.Why = "the answer was longer than a skill can be"
	}
	return goesOn(r, t, a.Run, Input{Answer: &Answer{N: a.N, Text: a.Text, Err: a.Why}}, a.Code, a.Why)
}

// Written takes the next step with the outcome of a save. An interrupted save is repeated when a person
// continues: writing the same bytes twice does no harm.
func (k Forge) Written(r *kind.Realm, t *kind.Talk, w kind.Written) kind.Step {
	why, code := whyNot(w.Err), ""
	if why != "" {
		code = codeSave
	}
	return goesOn(r, t, w.Run, Input{Saved: &Saved{Err: why}}, code, why)
}

// Done is never called: a run of a forge ends with the events of its last step.
func (Forge) Done(_ *kind.Realm, _ *kind.Talk, e kind.Ended) []world.Body {
	return []world.Body{kind.Done(e.Run, nil)}
}

// Cut returns no events: Rests says that the forge waits for a person.
func (Forge) Cut(*kind.Realm, *kind.Talk, kind.Cut) []world.Body { return nil }

// Control resumes an interrupted forge as if the person had said "go on", and ends a forge.
func (k Forge) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	switch c.Verb {
	case kind.Stop:
		return c.Stops(r, t), nil
	case kind.Pause:
		return kind.Decision{}, kind.NothingWaits
	case kind.Resume:
		return k.resumes(r, t, c)
	}
	if t.Head.Ended() {
		return kind.Decision{Text: "It has ended already."}, nil
	}
	return c.Ends(r, t), nil
}

func (k Forge) resumes(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	switch {
	case hasEnded(t) != nil:
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this conversation has ended")
	case c.From.SpectatorID == "":
		return kind.Decision{}, kind.RegisterFirst
	case len(t.Active()) > 0:
		return kind.Decision{Text: "The smith is at work on it."}, nil
	}
	if need := r.Look(); need != nil {
		return kind.Decision{Needs: need}, nil
	}
	request, e := r.RunID(t, c.RequestID)
	if e != nil {
		return kind.Decision{}, e
	}
	msg := r.PersonRow(c.From, t.Head.ConversationID, request, "Go on")
	d, e := k.Said(r, t, kind.Words{From: c.From, Request: request, Message: msg})
	d.Text = "The forge goes on."
	return d, e
}

// View shows the forges with the newest words, each with its state.
func (Forge) View(_ *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team, Plan: world.Plan{Forge: t.Forge}}
	if !t.Head.Ended() {
		v.Standing = kind.Recent
	}
	return v
}

// Restore returns no steps: an interrupted forge waits for the person; see Mend.
func (Forge) Restore(*kind.Realm, kind.Opening) kind.Steps { return kind.None }
