package forge

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Values of world.Forge.Working: what a run of a forge waits for.
const (
	workingModel = "model"
	workingSave  = "save"
)

// codeSave is the code of chat.error if a skill could not be written.
const codeSave = "save"

// exchange is one step of the plan with its encoded context, from which its events are made (S1-07).
type exchange struct {
	Result
	realm *kind.Realm
	head  *world.Conversation
	blob  []byte // the encoded context
}

// contextOf returns the context of a forge, with the messages of its transcript.
func contextOf(t *kind.Talk) (Context, error) {
	c, err := Load(t.ForgeContext, History(t.Said))
	if err == nil && c.SessionID != t.Head.ConversationID {
		return c, fmt.Errorf("%w: it belongs to the session %q", ErrCorrupt, kind.Clip(c.SessionID, 64))
	}
	return c, err
}

// envOf returns what a step knows about the realm and the server.
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

// advance lets the plan take a step. It returns a panic of the plan as an error.
func advance(r *kind.Realm, head *world.Conversation, c Context, in Input) (x exchange, err error) {
	defer func() {
		if p := recover(); p != nil {
			x, err = exchange{}, fmt.Errorf("panic in a forge: %v\n%s", p, debug.Stack())
		}
	}()
	x = exchange{realm: r, head: head}
	if x.Result, err = Step(c, in, envOf(r)); err != nil || x.Ignored != "" {
		return x, err
	}
	if x.Save != nil && !r.World.RoomForSkill(x.Save.Name) {
		// The realm can hold no more skills: take the step after a failed save at once, so that no file is
		// written that the realm could not show.
		next, err := Step(x.Context, Input{Saved: &Saved{Err: fullOfSkills}}, envOf(r))
		if err != nil {
			return x, err
		}
		next.Moves = append(slices.Clone(x.Moves), next.Moves...)
		next.Say = strings.TrimSpace(x.Say + "\n\n" + next.Say)
		x.Result = next
	}
	x.blob, err = x.Context.Save()
	return x, err
}

// fullOfSkills tells a person that the realm can hold no more skills.
var fullOfSkills = fmt.Sprintf(
	"the realm has %d skills, as many as it can hold; take folders out of its skills folder", world.MaxSkills)

// refused returns the error for a person if the plan could not take a step.
func refused(id string, err error) (kind.Decision, *wire.Error) {
	if errors.Is(err, ErrNewer) {
		return kind.Decision{}, wire.Errorf(wire.Conflict, "this forge was written by a newer version of the program, "+
			"which can go on with it; nothing of it was changed")
	}
	d := kind.Decision{Warn: fmt.Sprintf("forge %s: the plan cannot take a step: %v", id, err)}
	return d, wire.Errorf(wire.Internal,
		"the server failed at this step of the forge; nothing was changed, and what was said before is kept")
}

// begins returns the events of a run that the step begins. msg is the person's row, nil for none.
func (x *exchange) begins(request string, msg *world.Message) []world.Body {
	started := &world.ChatStarted{
		ConversationID: x.head.ConversationID, RequestID: request, MemberID: smithMember.ID, Status: world.RunRunning,
		Message: msg,
	}
	if x.Request != nil {
		x.realm.Names(started, smith(x.realm))
	}
	return append([]world.Body{started}, x.tells(request, nil)...)
}

// tells returns the events of the step within a run: the smith's row, the state of the forge, and the end
// of the run unless the step requests something. failed is the error with which the run ends, or nil.
func (x *exchange) tells(request string, failed *world.ChatError) []world.Body {
	id, working := x.head.ConversationID, ""
	switch {
	case x.Request != nil:
		working = workingModel
	case x.Save != nil:
		working = workingSave
	}
	var out []world.Body
	if x.Say != "" {
		said := conversation.Segment{
			ConversationID: id, RequestID: request, MessageID: x.realm.NewID("m"), MemberID: smithMember.ID,
			Name: smithMember.DisplayName,
		}
		said.Add(x.Say)
		out = append(out, said.Open(), said.Close(world.ClosedByDone, world.MessageDone, x.realm.At()))
	}
	out = append(out, &world.ForgeStepped{
		ConversationID: id, Forge: Shown(x.Context, working), Moves: x.Moved(), Context: x.blob,
	})
	title := x.Context.Title()
	if ours := x.head.Title == unnamed || IsTitle(x.head.Title); ours && title != "" && title != x.head.Title {
		out = append(out, &world.ConversationRenamed{ConversationID: id, Title: title})
	}
	switch {
	case working != "":
	case failed != nil:
		out = append(out, failed)
	default:
		out = append(out, &world.ChatDone{ConversationID: id, RequestID: request, MemberID: smithMember.ID})
	}
	if x.Context.State == Completed { // marked, not deleted (S1-09)
		out = append(out, &world.ConversationStatus{ConversationID: id, Status: world.ConversationCompleted})
	}
	return out
}

// goesOn takes the next step of a run that has received what it requested. If the request failed, code and
// why say how; else they are "".
func goesOn(r *kind.Realm, t *kind.Talk, run world.Run, in Input, code, why string) kind.Step {
	failed := &world.ChatError{
		ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID, Code: code, Message: why,
	}
	c, err := contextOf(t)
	var x exchange
	if err == nil {
		x, err = advance(r, &t.Head, c, in)
	}
	switch {
	case err != nil || x.Ignored != "":
		failed.Code, failed.Message = world.ChatModel, "The server failed at this step of the forge; what "+
			"was said is kept."
		return kind.Step{
			Bodies: append(rests(t), failed), Talk: run.ConversationID,
			Warn: fmt.Sprintf("a forge takes no step: %v %s", err, x.Ignored),
		}
	case code == "":
		failed = nil
	}
	return kind.Step{Bodies: x.tells(run.RequestID, failed)}
}

// whyNot returns the reason why a skill was not written, for people, or "" if it was written.
func whyNot(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, world.ErrSkillTaken):
		return "another skill of that name lies there already"
	}
	return "the disk did not take it; the server's log says why"
}

// Rests returns the event that the forge waits for a person.
func (Forge) Rests(_ *kind.Realm, t *kind.Talk) []world.Body { return rests(t) }

// rests returns no events if the forge waits already, or if its context cannot be read: Mend handles a
// damaged context, and one of a newer version is not changed.
func rests(t *kind.Talk) []world.Body {
	if t.Forge == nil || t.Forge.Working == "" {
		return nil
	}
	c, err := contextOf(t)
	if err != nil {
		return nil
	}
	return []world.Body{waits(t, c)}
}

// waits returns the event that a forge waits for a person in its present state.
func waits(t *kind.Talk, c Context) world.Body {
	return &world.ForgeStepped{
		ConversationID: t.Head.ConversationID, Forge: Shown(c, ""), Moves: []world.ForgeMove{}, Context: t.ForgeContext,
	}
}

const damaged = "What this forge had gathered was damaged on disk. It is set aside there, and all that was " +
	"said still stands here; the smith begins anew."

// Mend checks the context of a forge. It sets a damaged context aside, tells the person, and begins the
// forge anew in the same conversation (S1-B10). It does not touch what a newer version wrote.
func (Forge) Mend(r *kind.Realm, t *kind.Talk) kind.Step {
	if hasEnded(t) != nil {
		return kind.Step{}
	}
	c, err := contextOf(t)
	step := kind.Step{Talk: t.Head.ConversationID}
	switch {
	case errors.Is(err, ErrNewer):
		step.Warn = "a forge was written by a newer version; it is left alone"
	case err != nil:
		step.Warn = fmt.Sprintf("what a forge had gathered (%d bytes) is damaged; it is set aside and begins anew: %v",
			len(t.ForgeContext), err)
		fresh := NewContext(t.Head.ConversationID)
		fresh.MessageHistory = History(t.Said)
		x, err := advance(r, &t.Head, fresh, Input{Begin: true})
		if err != nil {
			step.Warn += fmt.Sprintf("; that failed: %v", err)
			return step
		}
		told := r.SystemRow(t.Head.ConversationID, damaged)
		step.Bodies = append([]world.Body{told}, x.begins(r.FreshID(t, "w"), nil)...)
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
