package forge

import (
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/server/skill"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Forge implements kind.Kind for all forges of a realm. It passes what people say to the plan (Step) and turns the
// result of a step into one list of events (exchange).
type Forge struct {
	kind.Planless // the plan never acts by itself: a step follows only from a person's words or the outcome of a request
	name          string
}

// New returns the implementation of kind.Kind for forges; name is the kind's name on the wire.
func New(name string) kind.Kind { return Forge{name: name} }

// The smith is the agent that makes skills: a driver plays it, or the plan answers by itself.
var (
	smithRole   = world.Role{ID: "smith", Name: "Smith", Color: "#c9743a"}
	smithMember = world.Member{
		ID: smithRole.ID, Name: smithRole.Name, DisplayName: smithRole.Name, Type: world.KindAgent, Role: smithRole.ID,
		Color: smithRole.Color, Order: 1,
	}
)

// Traits returns the fixed properties of a forge.
func (Forge) Traits() kind.Traits {
	return kind.Traits{Answers: true, Rules: conversation.Rules{Recent: true, Context: true}}
}

// codeSave is the code of chat.error if the skill could not be written to the disk.
const codeSave = "save"

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
	x, err := exchangeOf(r, &head, NewContext(head.ConversationID), Input{Begin: true})
	if err != nil {
		return refused(head.ConversationID, err)
	}
	return kind.Decision{
		Bodies: append([]world.Body{&world.ConversationStarted{Conversation: head}}, x.begin(r.NewID("w"), nil)...),
		Text:   "The smith asks what the skill is to do.",
	}, nil
}

// refused returns an error that tells a person why the plan of the forge id (its decisions about what comes next) could
// not take its next step. err is the plan's error.
func refused(id string, err error) (kind.Decision, *wire.Error) {
	if errors.Is(err, ErrNewer) {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "a newer version of the program has saved this forge "+
			"and can continue it; this version has changed nothing")
	}
	d := kind.Decision{Warn: fmt.Sprintf("forge %s: the plan cannot take a step: %v", id, err)}
	return d, wire.Errorf(wire.Internal,
		"the server failed at this step of the forge; nothing was changed, and what was said before is kept")
}

// Said takes a step with a person's words, choices, or both.
func (k Forge) Said(r *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	reopening, e := kind.Reopening(t)
	if e != nil {
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
	if by != nil && len(in.Choices) > 0 { // buttons of two questions can be equal
		return kind.Decision{}, wire.Errorf(wire.Conflict,
			"%s has answered meanwhile; look at what is asked now", by.Name)
	}
	before, err := contextOf(t)
	if err != nil {
		return refused(id, err)
	}
	x, err := exchangeOf(r, &t.Head, before, Input{Text: in.Message.Content, Buttons: in.Choices})
	switch {
	case err != nil:
		return refused(id, err)
	case x.Ignored != "":
		return kind.Decision{}, wire.Errorf(wire.Conflict, "%s", x.Ignored)
	}
	if len(in.Choices) > 0 {
		in.Message.Content = x.heard(before)
	}
	return kind.Decision{Bodies: append(reopening, x.begin(in.Request, in.Message)...)}, nil
}

// Turn returns the smith's driver and the request to it. The driver is nil if the run waits for no answer of the
// smith, as at the beginning of each run.
func (k Forge) Turn(r *kind.Realm, t *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	if t.Forge == nil || t.Forge.Working != workingModel {
		return nil, driver.Turn{}
	}
	c, err := contextOf(t)
	if err != nil || c.Plan.Work == nil {
		return nil, driver.Turn{}
	}
	player, role := smith(r), smithRole
	if player == nil { // the server has lost the driver since the forge took the step
		player, role = kind.Absent(smithMember)
	}
	asked := requestOf(c, envOf(r))
	req := r.Request(k.name, b, role)
	req.Unrecorded, req.Team = true, []world.Member{smithMember}
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

// Saw returns the effects of a ForgeStepped event: the engine sends the request to the smith or writes the skill.
// The run waits for the outcome. The engine calls Saw when the event is durable.
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
	return kind.Effects{Writes: &kind.Writing{Run: run, Files: saveOf(c)}}
}

// MaxAnswer returns the limit of the smith's answer: the largest skill, and room for the text around it.
func (Forge) MaxAnswer() int { return skill.MaxSize + skill.MaxFile }

// Heard takes the next step with the smith's answer. If the smith failed, the forge returns to a state in which a
// person can say more; the forge keeps all answers (S1-10).
func (k Forge) Heard(r *kind.Realm, t *kind.Talk, a kind.Answer) kind.Step {
	if a.Code == world.ChatLimit && a.Why == "" {
		a.Why = "the answer was longer than a skill can be"
	}
	return k.goOn(r, t, a.Run, Input{Answer: &Answer{N: a.N, Text: a.Text, Err: a.Why}}, a.Code, a.Why)
}

// Written takes the next step with the outcome of a save. If a save was interrupted, the forge saves again when a
// person continues: it is harmless to write the same files twice.
func (k Forge) Written(r *kind.Realm, t *kind.Talk, w kind.Written) kind.Step {
	code, why := codeSave, ""
	switch {
	case w.Err == nil:
		code = ""
	case errors.Is(w.Err, world.ErrSkillTaken):
		why = "another skill of that name lies there already"
	default:
		why = "the disk did not take it; the server's log says why"
	}
	return k.goOn(r, t, w.Run, Input{Saved: &Saved{Err: why}}, code, why)
}

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
	return c.Ends(r, t), nil
}

func (k Forge) resumes(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	_, ended := kind.Reopening(t)
	switch {
	case ended != nil:
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

// View shows a forge with its state until it ends. The engine shows only the forges with the newest words
// (kind.Recent).
func (Forge) View(_ *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team, Plan: world.Plan{Forge: t.Forge}}
	if !t.Head.Ended() {
		v.Standing = kind.Recent
	}
	return v
}

// goOn takes the next step of a run after the outcome of its request: in has the outcome. If the request failed,
// code and why are its error, otherwise "".
func (k Forge) goOn(r *kind.Realm, t *kind.Talk, run world.Run, in Input, code, why string) kind.Step {
	var failed *world.ChatError
	if code != "" {
		failed = chatError(run, code, why)
	}
	c, err := contextOf(t)
	var x exchange
	if err == nil {
		x, err = exchangeOf(r, &t.Head, c, in)
	}
	if err != nil || x.Ignored != "" {
		failed = chatError(run, world.ChatModel, "The server failed at this step of the forge; what was said is kept.")
		return kind.Step{
			Bodies: append(k.Rests(r, t), failed), Talk: run.ConversationID,
			Warn: fmt.Sprintf("a forge cannot take a step: error %v, ignored %q", err, x.Ignored),
		}
	}
	return kind.Step{Bodies: x.events(run.RequestID, failed)}
}

func chatError(run world.Run, code, why string) *world.ChatError {
	return &world.ChatError{
		ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID, Code: code, Message: why,
	}
}

// Rests returns the event that makes the forge wait for a person. It returns no event if the forge already waits for a
// person or if its context cannot be read: Mend handles a damaged context, and a context of a newer version stays
// unchanged.
func (Forge) Rests(_ *kind.Realm, t *kind.Talk) []world.Body {
	if t.Forge == nil || t.Forge.Working == "" {
		return nil
	}
	c, err := contextOf(t)
	if err != nil {
		return nil
	}
	return []world.Body{waits(t, c)}
}

// waits returns the event that records that the forge waits for a person in its present state.
func waits(t *kind.Talk, c Context) world.Body {
	return &world.ForgeStepped{
		ConversationID: t.Head.ConversationID, Forge: Shown(c, ""), Moves: []world.ForgeMove{}, Context: t.ForgeContext,
	}
}

const damaged = "What this forge had gathered was damaged on disk. It is set aside there, and all that was " +
	"said still stands here; the smith begins anew."

// Mend checks the context of a forge, which has the answers collected so far. If the context is damaged, Mend keeps
// it under another key, tells the person, and begins the forge anew in the same conversation (S1-B10). It does not
// touch a context that a newer version wrote.
func (Forge) Mend(r *kind.Realm, t *kind.Talk) kind.Step {
	if _, ended := kind.Reopening(t); ended != nil {
		return kind.Step{}
	}
	c, err := contextOf(t)
	step := kind.Step{Talk: t.Head.ConversationID}
	switch {
	case errors.Is(err, ErrNewer):
		step.Warn = "a newer version of the program wrote the context of a forge; it stays unchanged"
	case err != nil:
		step.Warn = fmt.Sprintf("the context of a forge (%d bytes) is damaged and set aside; the forge begins anew: %v",
			len(t.ForgeContext), err)
		fresh := NewContext(t.Head.ConversationID)
		fresh.MessageHistory = History(t.Said)
		x, err := exchangeOf(r, &t.Head, fresh, Input{Begin: true})
		if err != nil {
			step.Warn += fmt.Sprintf("; that failed: %v", err)
			return step
		}
		told := r.SystemRow(t.Head.ConversationID, damaged)
		step.Bodies = append([]world.Body{told}, x.begin(r.FreshID(t, "w"), nil)...)
		for _, b := range step.Bodies {
			if f, ok := b.(*world.ForgeStepped); ok {
				f.Damaged = t.ForgeContext
			}
		}
	case t.Forge == nil, t.Forge.Working != "" && len(t.Active()) == 0:
		step.Bodies = []world.Body{waits(t, c)}
	}
	return step
}
