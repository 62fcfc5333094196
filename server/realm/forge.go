package realm

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/forge"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Forges: talks that make a skill. server/forge is their plan; here what people say is
// taken to it, and what comes of a step becomes one list of events: the person's row, the
// smith's, and where the forge stands now (S1-07). What a step asks of a model or of the
// disk is in forge_work.go.

// smithRole is who makes skills, and smithMember the smith as a member of the team.
var (
	smithRole   = world.Role{ID: "smith", Name: "Smith", Color: "#c9743a"}
	smithMember = world.Member{
		ID: smithRole.ID, Name: smithRole.Name, DisplayName: smithRole.Name, Type: world.KindAgent, Role: smithRole.ID, Color: smithRole.Color, Order: 1,
	}
)

// forgeTitle is what a forge is called until its skill has a name.
const forgeTitle = "A new skill"

// abandonedForge says that a person's words take the conversation up again (S1-16).
func abandonedForge(c *world.Conversation) bool {
	return c.Kind == world.KindForge && c.Status == world.ConversationAbandoned
}

// stepped is a step that was taken.
type stepped struct {
	res  forge.Result
	blob []byte // of its context
}

// forgeContext is what a forge has gathered, with what was said in it.
func forgeContext(talk *conversation.State) (forge.Context, error) {
	c, err := forge.Load(talk.ForgeContext, forge.History(talk.Said))
	if err == nil && c.SessionID != talk.Head.ConversationID {
		return c, fmt.Errorf("%w: it is of %q", forge.ErrCorrupt, clip(c.SessionID, 64))
	}
	return c, err
}

// step has the plan take one step. It only reads the state; a panic is an error.
func (a *actor) step(c forge.Context, in forge.Input) (s stepped, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = stepped{}, fmt.Errorf("panic in a forge: %v\n%s", p, debug.Stack())
		}
	}()
	if s.res, err = forge.Step(c, in, a.forgeEnv()); err != nil || s.res.Ignored != "" {
		return s, err
	}
	if save := s.res.Save; save != nil && a.skillsThere() >= world.MaxSkills && (a.skill(save.Name) == nil || a.skill(save.Name).Missing) {
		// The step that asks for the save is followed by the one that hears of its failure:
		// nothing is written that could not be known afterwards.
		next, err := forge.Step(s.res.Context, forge.Input{Saved: &forge.Saved{Err: fullOfSkills}}, a.forgeEnv())
		if err != nil {
			return s, err
		}
		next.Moves = append(slices.Clone(s.res.Moves), next.Moves...)
		next.Say = strings.TrimSpace(s.res.Say + "\n\n" + next.Say)
		s.res = next
	}
	s.blob, err = s.res.Context.Save()
	return s, err
}

var fullOfSkills = fmt.Sprintf("the realm has %d skills, as many as it can hold; take folders out of its skills folder", world.MaxSkills)

// forgeEnv is what a step knows of its surroundings.
func (a *actor) forgeEnv() forge.Env {
	env := forge.Env{
		Hints: a.sight.hints, Layers: []forge.Layer{{ID: "realm", Name: "This realm"}}, Model: a.smith() != nil,
		Window: a.world.Settings.ContextWindowMessages,
	}
	for _, s := range a.world.Skills {
		if !s.Missing {
			env.Skills = append(env.Skills, forge.Existing{Name: s.Name, Description: s.Description})
		}
	}
	return env
}

// smith is the driver that plays it, nil for none.
func (a *actor) smith() driver.Driver {
	d := a.drivers.Driver(nil, smithRole)
	if s, ok := d.(driver.Smith); ok && s.PlaysSmith() {
		return d
	}
	return nil
}

// decideNewForge begins a forge: the smith asks what the skill is to do.
func (a *actor) decideNewForge(in Input, c *wire.ConversationStart) (decision, *wire.Error) {
	now := a.at()
	head := world.Conversation{
		ConversationID: a.newID("c"), Kind: world.KindForge, Title: strings.TrimSpace(c.Title), Status: world.ConversationActive,
		Team: world.Team{ID: world.KindForge, Name: "Forge", Members: []world.Member{in.From.Member(0), smithMember}}, CreatedAt: now, UpdatedAt: now,
	}
	if head.Title == "" {
		head.Title = forgeTitle
	}
	s, err := a.step(forge.New(head.ConversationID), forge.Input{Begin: true})
	if err != nil {
		return decision{}, a.noStep(head.ConversationID, err)
	}
	bodies := []world.Body{&world.ConversationStarted{Conversation: head}}
	return decision{bodies: append(bodies, a.answerInForge(&head, a.newID("w"), nil, s)...), text: "The smith asks what the skill is to do."}, nil
}

// noStep is what a person is told where the plan could take no step.
func (a *actor) noStep(id string, err error) *wire.Error {
	if errors.Is(err, forge.ErrNewer) {
		return wire.Errorf(wire.Conflict, "this forge was written by a newer version of the program, which can go on with it; nothing of it was changed")
	}
	a.log.Error().Err(err).Str("conversation", id).Msg("a forge takes no step")
	return wire.Errorf(wire.Internal, "the server failed at this step of the forge; nothing was changed, and what was said before is kept")
}

// wordsInForge takes what a person says, chooses, or both.
func (a *actor) wordsInForge(in Input, talk *conversation.State, request string, msg *world.Message, c *wire.ChatSend) (decision, *wire.Error) {
	id := talk.Head.ConversationID
	if len(talk.Active()) > 0 {
		return decision{}, wire.Errorf(wire.Conflict, "the smith is still at work on what was said before; wait for that, or stop it")
	}
	if e := a.sees.RoomToAnswer(talk.Head.ConversationID); e != nil {
		return decision{}, e
	}
	if by := kind.Overtaken(talk, in.From, request, c.SeenSeq); by != nil && len(c.Choices) > 0 { // two questions may have the same buttons
		return decision{}, wire.Errorf(wire.Conflict, "%s has answered meanwhile; look at what is asked now", by.Name)
	}
	before, err := forgeContext(talk)
	if err != nil {
		return decision{}, a.noStep(id, err)
	}
	s, err := a.step(before, forge.Input{Text: c.Content, Buttons: c.Choices})
	switch {
	case err != nil:
		return decision{}, a.noStep(id, err)
	case s.res.Ignored != "":
		return decision{}, wire.Errorf(wire.Conflict, "%s", s.res.Ignored)
	}
	if len(c.Choices) > 0 {
		msg.Content = s.res.Heard(before)
	}
	var bodies []world.Body
	if talk.Head.Ended() {
		bodies = append(bodies, &world.ConversationStatus{ConversationID: id, Status: world.ConversationActive})
	}
	return decision{
		bodies: append(bodies, a.answerInForge(&talk.Head, request, msg, s)...),
		then:   func() { a.forgeGoesOn(run.Key{Talk: id, Request: request}, s.res) },
	}, nil
}

// saidSo says whether a row holds these words, or choices and then the words: of choices
// a row has the labels.
func saidSo(row, words string, choices []string) bool {
	return row == words || len(choices) > 0 && strings.HasSuffix(row, strings.TrimSpace(words))
}

// goOnForging is conversation.resume of a forge: what was cut off or failed is taken up
// as if the person had said so.
func (a *actor) goOnForging(in Input, talk *conversation.State) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, kind.RegisterFirst
	}
	if len(talk.Active()) > 0 {
		return decision{text: "The smith is at work on it."}, nil
	}
	request, e := a.sees.RunID(talk, in.RequestID)
	if e != nil {
		return decision{}, e
	}
	msg := &world.Message{
		MessageID: a.newID("m"), ConversationID: talk.Head.ConversationID, RequestID: request, Role: world.RoleUser, SpectatorID: in.From.SpectatorID,
		Name: in.From.Name, Content: "Go on", Status: world.MessageDone, At: a.at(),
	}
	d, e := a.wordsInForge(in, talk, request, msg, &wire.ChatSend{Content: msg.Content})
	d.text = "The forge goes on."
	return d, e
}

// answerInForge are the events of a run that a step begins: the person's row, nil at the
// beginning of a forge, and what comes of the step.
func (a *actor) answerInForge(c *world.Conversation, request string, msg *world.Message, s stepped) []world.Body {
	started := &world.ChatStarted{ConversationID: c.ConversationID, RequestID: request, MemberID: smithMember.ID, Status: world.RunRunning, Message: msg}
	if s.res.Request != nil {
		started.Instance = a.world.NextInstance(smithMember.ID)
		started.Model = kind.ModelOf(a.smith())
	}
	return append([]world.Body{started}, a.comesOf(c, request, s, nil)...)
}

// comesOf are the events of a step within a run: the smith's row, where the forge stands,
// and the end of the run unless something is asked of a model or of the disk. failed is
// how the run ends where what was asked for has failed, nil for well.
func (a *actor) comesOf(c *world.Conversation, request string, s stepped, failed *world.ChatError) []world.Body {
	id, at := c.ConversationID, a.at()
	var out []world.Body
	if s.res.Say != "" {
		said := conversation.Segment{ConversationID: id, RequestID: request, MessageID: a.newID("m"), MemberID: smithMember.ID, Name: smithMember.DisplayName}
		said.Add(s.res.Say)
		out = append(out, said.Open(), said.Close(world.ClosedByDone, world.MessageDone, at))
	}
	working := ""
	switch {
	case s.res.Request != nil:
		working = "model"
	case s.res.Save != nil:
		working = "save"
	}
	out = append(out, &world.ForgeStepped{ConversationID: id, Forge: forge.Shown(s.res.Context, working), Moves: s.res.Moved(), Context: s.blob})
	if title := s.res.Context.Title(); title != "" && title != c.Title && (c.Title == forgeTitle || forge.IsTitle(c.Title)) {
		out = append(out, &world.ConversationRenamed{ConversationID: id, Title: title})
	}
	switch {
	case working != "":
	case failed != nil:
		out = append(out, failed)
	default:
		out = append(out, &world.ChatDone{ConversationID: id, RequestID: request, MemberID: smithMember.ID})
	}
	if s.res.Context.State == forge.Completed { // marked, not deleted (S1-09)
		out = append(out, &world.ConversationStatus{ConversationID: id, Status: world.ConversationCompleted})
	}
	return out
}

// forgeRests is the event that a forge waits for a person, after what it did was cut off:
// nil for one that does already, and for other kinds.
func (a *actor) forgeRests(talk *conversation.State) []world.Body {
	if talk == nil || talk.Head.Kind != world.KindForge || talk.Forge == nil || talk.Forge.Working == "" {
		return nil
	}
	c, err := forgeContext(talk)
	if err != nil {
		return nil // mendForge says so, or a newer version goes on with it
	}
	return []world.Body{&world.ForgeStepped{
		ConversationID: talk.Head.ConversationID, Forge: forge.Shown(c, ""), Moves: []world.ForgeMove{}, Context: talk.ForgeContext,
	}}
}

// mendForge looks at a forge that has come from the disk. What it had gathered may be
// damaged: that is set aside, the person is told, and it begins anew in the same
// conversation (S1-B10). What a newer version wrote is left alone.
func (a *actor) mendForge(talk *conversation.State) {
	if talk == nil || talk.Head.Kind != world.KindForge || talk.Head.Ended() && !abandonedForge(&talk.Head) {
		return
	}
	id := talk.Head.ConversationID
	c, err := forgeContext(talk)
	switch {
	case errors.Is(err, forge.ErrNewer):
		a.log.Warn().Str("conversation", id).Msg("a forge was written by a newer version; it is left alone")
	case err != nil:
		a.log.Error().Err(err).Str("conversation", id).Int("bytes", len(talk.ForgeContext)).Msg("what a forge had gathered is damaged; it is set aside and begins anew")
		a.beginAnew(talk)
	case talk.Forge == nil, talk.Forge.Working != "" && len(talk.Active()) == 0:
		a.emit("", &world.ForgeStepped{ConversationID: id, Forge: forge.Shown(c, ""), Moves: []world.ForgeMove{}, Context: talk.ForgeContext})
	}
}

const forgeDamaged = "What this forge had gathered was damaged on disk. It is set aside there, and all that was said still stands here; the smith begins anew."

func (a *actor) beginAnew(talk *conversation.State) {
	id := talk.Head.ConversationID
	fresh := forge.New(id)
	fresh.MessageHistory = forge.History(talk.Said)
	s, err := a.step(fresh, forge.Input{Begin: true})
	if err != nil {
		a.log.Error().Err(err).Str("conversation", id).Msg("a forge cannot begin anew")
		return
	}
	bodies := append([]world.Body{a.systemRow(id, forgeDamaged)}, a.answerInForge(&talk.Head, a.sees.FreshID(talk, "w"), nil, s)...)
	for _, b := range bodies {
		if f, ok := b.(*world.ForgeStepped); ok {
			f.Aside = talk.ForgeContext
		}
	}
	a.emit("", bodies...)
}
