package forge

import (
	"fmt"
	"runtime/debug"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Values of world.Forge.Working: what a run of a forge waits for.
const (
	workingModel = "model"
	workingSave  = "save"
)

// exchange is one step of the plan, with the encoded context after it. The events of the step are made from it
// (S1-07).
type exchange struct {
	Result
	realm *kind.Realm
	head  *world.Conversation
	blob  []byte // the encoded context
}

// smith returns the driver that plays the smith, nil for none.
func smith(r *kind.Realm) driver.Driver {
	d := r.Drivers.Driver(nil, smithRole)
	if s, ok := d.(driver.Smith); ok && s.PlaysSmith() {
		return d
	}
	return nil
}

// contextOf decodes the context of a forge and adds the messages of its transcript.
func contextOf(t *kind.Talk) (Context, error) {
	c, err := Load(t.ForgeContext, History(t.Said))
	if err == nil && c.SessionID != t.Head.ConversationID {
		return c, fmt.Errorf("%w: the context belongs to the session %q", ErrCorrupt, kind.Clip(c.SessionID, 64))
	}
	return c, err
}

// envOf returns the facts about a realm that a step of the plan uses.
func envOf(r *kind.Realm) Env {
	env := Env{
		Hints: r.Hints, Layers: []Layer{{ID: "realm", Name: "This realm"}}, Model: smith(r) != nil,
		Window: r.World.Settings.ContextWindowMessages,
	}
	for _, s := range r.World.Skills {
		if !s.Missing {
			env.Skills = append(env.Skills, Existing{Name: s.Name, Description: s.Description})
		}
	}
	return env
}

// exchangeOf asks the plan (Step) what follows from an input. If the plan panics, exchangeOf returns an error.
func exchangeOf(r *kind.Realm, head *world.Conversation, c Context, in Input) (x exchange, err error) {
	defer func() {
		if p := recover(); p != nil {
			x, err = exchange{}, fmt.Errorf("panic in a forge: %v\n%s", p, debug.Stack())
		}
	}()
	x = exchange{realm: r, head: head}
	if x.Result, err = Step(c, in, envOf(r)); err != nil || x.Ignored != "" {
		return x, err
	}
	if x.Context.State == Saving && !r.World.RoomForSkill(x.Context.SkillName) {
		// The realm can have no more skills. Continue as if saving had failed, so that the forge writes no file
		// that the realm could not show.
		next, err := Step(x.Context, Input{Saved: &Saved{Err: fullOfSkills}}, envOf(r))
		if err != nil {
			return x, err
		}
		next.Moves = append(x.Moves, next.Moves...)
		next.Say = strings.TrimSpace(x.Say + "\n\n" + next.Say)
		x.Result = next
	}
	x.blob, err = x.Context.Save()
	return x, err
}

// fullOfSkills is the reason, for people, why a realm cannot hold another skill.
var fullOfSkills = fmt.Sprintf(
	"the realm has %d skills, as many as it can hold; take folders out of its skills folder", world.MaxSkills)

// working returns what the run waits for after the step, "" for nothing.
func (x *exchange) working() string {
	switch {
	case x.Context.Plan.Work != nil:
		return workingModel
	case x.Context.State == Saving:
		return workingSave
	}
	return ""
}

// heard returns a person's words as the transcript shows them: what was typed, or the labels of the buttons. before
// is the context at the beginning of the step.
func (x *exchange) heard(before Context) string {
	return x.Context.MessageHistory[len(before.MessageHistory)].Content
}

// begin returns the events of the step and of the run that begins with it. msg is the person's row, nil for
// none.
func (x *exchange) begin(request string, msg *world.Message) []world.Body {
	started := &world.ChatStarted{
		ConversationID: x.head.ConversationID, RequestID: request, MemberID: smithMember.ID, Status: world.RunRunning,
		Message: msg,
	}
	if x.working() == workingModel {
		x.realm.Names(started, smith(x.realm))
	}
	return append([]world.Body{started}, x.events(request, nil)...)
}

// events returns the events of the step within a run: the smith's row and the state of the forge, then the end of the
// run. The run does not end while it waits for a model or the disk. failed is the error with which the run ends, or
// nil.
func (x *exchange) events(request string, failed *world.ChatError) []world.Body {
	id, working := x.head.ConversationID, x.working()
	var out []world.Body
	if x.Say != "" {
		said := conversation.Segment{
			ConversationID: id, RequestID: request, MessageID: x.realm.NewID("m"), MemberID: smithMember.ID,
			Name: smithMember.DisplayName,
		}
		said.Add(x.Say)
		out = append(out, said.Open(), said.Close(world.ClosedByDone, world.MessageDone, x.realm.At()))
	}
	moves := append([]world.ForgeMove{}, x.Moves...) // never nil
	out = append(out, &world.ForgeStepped{
		ConversationID: id, Forge: Shown(x.Context, working), Moves: moves, Context: x.blob,
	})
	old, title := x.head.Title, titlePrefix+x.Context.SkillName
	if ours := old == unnamed || isTitle(old); ours && x.Context.SkillName != "" && title != old {
		out = append(out, &world.ConversationRenamed{ConversationID: id, Title: title})
	}
	switch {
	case working != "":
	case failed != nil:
		out = append(out, failed)
	default:
		out = append(out, &world.ChatDone{ConversationID: id, RequestID: request, MemberID: smithMember.ID})
	}
	if x.Context.State == Completed { // the conversation is marked as completed and not deleted (S1-09)
		out = append(out, &world.ConversationStatus{ConversationID: id, Status: world.ConversationCompleted})
	}
	return out
}
