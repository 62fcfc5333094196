package realm

import (
	"errors"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/forge"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// What a forge's step asks for: an answer of a model, or a skill on the disk. Nothing of
// it begins before the step is durable, and what comes of it is the next step of the same
// run.

// maxSmithAnswer is how many bytes an answer has at most: the largest skill, and room for
// what is around it.
const maxSmithAnswer = skill.MaxSize + skill.MaxFile

// forgeGoesOn does what a step asks for.
func (a *actor) forgeGoesOn(k run.Key, res forge.Result) {
	switch {
	case a.sees.Running(k.Talk, k.Request) == nil:
	case res.Request != nil:
		a.askSmith(k, *res.Request)
	case res.Save != nil:
		a.keepSkill(k, *res.Save)
	}
}

// askSmith has a driver answer a request.
func (a *actor) askSmith(k run.Key, r forge.Request) {
	player := a.smith()
	if player == nil { // the step was taken with one
		a.nextStep(k, forge.Input{Answer: &forge.Answer{N: r.N, Err: "nothing plays the smith on this server any more"}}, world.ChatModel)
		return
	}
	req := driver.Turn{
		RealmID: a.r.id, Kind: world.KindForge, ConversationID: k.Talk, RequestID: k.Request, MemberID: smithMember.ID, Role: smithRole,
		StageID: r.Kind, N: r.N, Attempt: 1, Pace: a.pace(), Prompt: r.Prompt, RepoName: a.world.Realm.Name, Team: []world.Member{smithMember},
	}
	if run := a.sees.Running(k.Talk, k.Request); run != nil {
		req.Instance = run.Instance
	}
	size := len(r.Prompt)
	for _, l := range r.History {
		m := world.Message{ConversationID: k.Talk, Role: l.Role, Content: l.Content, Status: world.MessageDone}
		if l.Role == world.RoleAssistant {
			m.MemberID, m.Name = smithMember.ID, smithMember.Name
		} else {
			req.Words = l.Content
		}
		req.Window = append(req.Window, m)
		size += len(l.Content)
	}
	a.play(a.runs.Ask(a.sees, player, req, maxSmithAnswer), size)
}

// hearSmith takes in an answer, or that there is none: then the forge goes back to where a person
// can say more, with nothing lost (S1-10).
func (a *actor) hearSmith(h run.Heard) {
	answer := forge.Answer{N: h.N, Text: h.Text}
	switch h.Code {
	case "":
	case world.ChatLimit:
		answer.Err = "the answer was longer than a skill can be"
	default:
		answer.Err = strings.TrimRight(clip(h.Why, 500), ". ")
	}
	a.nextStep(h.Key, forge.Input{Answer: &answer}, h.Code)
}

// keepSkill has a skill written. A save that is cut off is made again when a person goes
// on: the same bytes twice are no harm.
func (a *actor) keepSkill(k run.Key, s forge.Save) {
	files := world.SkillFiles{Name: s.Name, Files: s.Files, Replace: s.Replace}
	size := 0
	for p, text := range files.Files {
		size += len(p) + len(text)
	}
	a.then(act{holds: size, effect: func() {
		if a.sees.Running(k.Talk, k.Request) == nil {
			return
		}
		kept := make(chan struct{})
		a.sight.saves[k] = kept
		a.work.Go(func() {
			err := a.files.WriteSkill(files)
			a.inTurn(func() {
				delete(a.sight.saves, k)
				a.keptSkill(k, files, err)
				close(kept)
			})
		})
	}})
}

// savesOf are the saves under way of these forges; where they were stopped no other begins.
func (a *actor) savesOf(talks []string) (out []<-chan struct{}) {
	for k, kept := range a.sight.saves {
		if slices.Contains(talks, k.Talk) {
			out = append(out, kept)
		}
	}
	return out
}

func (a *actor) keptSkill(k run.Key, s world.SkillFiles, err error) {
	if a.sees.Running(k.Talk, k.Request) == nil { // somebody stopped it, and it is there all the same
		if err == nil && a.outbox.Broken() == nil {
			a.emit("", a.forgedSkill(k.Talk, s)...)
		}
		return
	}
	why, code := "", ""
	var known []world.Body
	switch {
	case errors.Is(err, world.ErrSkillTaken):
		why, code = "another skill of that name lies there already", codeSave
	case err != nil:
		a.log.Error().Err(err).Str("conversation", k.Talk).Msg("a skill was not saved")
		why, code = "the disk did not take it; the server's log says why", codeSave
	default:
		known = a.forgedSkill(k.Talk, s)
	}
	a.nextStep(k, forge.Input{Saved: &forge.Saved{Err: why}}, code, known...)
}

// codeSave: a skill could not be written.
const codeSave = "save"

// nextStep is what comes of an answer or a save: a further step of the run. code is that
// of chat.error where what was asked for has failed, "" where it has not. known is what
// comes of it beside the forge, in the same commit.
func (a *actor) nextStep(k run.Key, in forge.Input, code string, known ...world.Body) {
	a.runs.Drop(k) // whoever answered has ended, or is not heard any more
	talk, run := a.talks[k.Talk], a.sees.Running(k.Talk, k.Request)
	if talk == nil || run == nil || a.outbox.Broken() != nil {
		return
	}
	var failed *world.ChatError
	if code != "" {
		message := ""
		if in.Answer != nil {
			message = in.Answer.Err
		} else if in.Saved != nil {
			message = in.Saved.Err
		}
		failed = &world.ChatError{ConversationID: k.Talk, RequestID: k.Request, MemberID: run.MemberID, Code: code, Message: message}
	}
	c, err := forgeContext(talk)
	var s stepped
	if err == nil {
		s, err = a.step(c, in)
	}
	if err != nil || s.res.Ignored != "" {
		a.log.Error().Err(err).Str("conversation", k.Talk).Str("ignored", s.res.Ignored).Msg("a forge takes no step")
		bodies := a.forgeRests(talk)
		a.emit("", append(bodies, &world.ChatError{
			ConversationID: k.Talk, RequestID: k.Request, MemberID: run.MemberID, Code: world.ChatModel,
			Message: "The server failed at this step of the forge; what was said is kept.",
		})...)
		return
	}
	a.emit("", append(known, a.comesOf(&talk.Head, k.Request, s, failed)...)...)
	a.forgeGoesOn(k, s.res)
}
