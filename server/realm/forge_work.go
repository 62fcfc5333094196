package realm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/forge"
	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// What a forge's step asks for: an answer of a model, or a skill on the disk. Nothing of
// it begins before the step is durable, and what comes of it is the next step of the same
// run.

// asked is a request of a forge that a driver answers.
type asked struct {
	n      int
	answer strings.Builder // at most maxSmithAnswer
}

// maxSmithAnswer is how many bytes an answer has at most: the largest skill, and room for
// what is around it.
const maxSmithAnswer = skill.MaxSize + skill.MaxFile

// forgeGoesOn does what a step asks for.
func (a *actor) forgeGoesOn(k runKey, res forge.Result) {
	switch {
	case a.running(k) == nil:
	case res.Request != nil:
		a.askSmith(k, *res.Request)
	case res.Save != nil:
		a.keepSkill(k, *res.Save)
	}
}

// askSmith has a driver answer a request.
func (a *actor) askSmith(k runKey, r forge.Request) {
	player := a.smith()
	if player == nil { // the step was taken with one
		a.nextStep(k, forge.Input{Answer: &forge.Answer{N: r.N, Err: "nothing plays the smith on this server any more"}}, world.ChatModel)
		return
	}
	req := driver.Turn{
		RealmID: a.r.id, Kind: world.KindForge, ConversationID: k.talk, RequestID: k.request, MemberID: smithMember.ID, Role: smithRole,
		StageID: r.Kind, N: r.N, Attempt: 1, Pace: a.pace(), Prompt: r.Prompt, RepoName: a.world.Realm.Name, Team: []world.Member{smithMember},
	}
	if run := a.running(k); run != nil {
		req.Instance = run.Instance
	}
	size := len(r.Prompt)
	for _, l := range r.History {
		m := world.Message{ConversationID: k.talk, Role: l.Role, Content: l.Content, Status: world.MessageDone}
		if l.Role == world.RoleAssistant {
			m.MemberID, m.Name = smithMember.ID, smithMember.Name
		} else {
			req.Words = l.Content
		}
		req.Window = append(req.Window, m)
		size += len(l.Content)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &liveRun{runKey: k, member: smithMember.ID, tools: map[string]*liveTool{}, asked: &asked{n: r.N}, cancel: cancel}
	a.live[k] = l
	limit := time.Duration(a.world.Settings.TurnTimeoutSeconds) * time.Second
	a.out(entry{holds: size, effect: func() {
		if ctx.Err() != nil {
			return
		}
		l.deadline = a.now.Add(limit)
		a.work.Go(func() { a.r.play(ctx, player, req) })
	}})
}

// hearSmith collects an answer. Whatever else the driver makes has no place in a forge.
func (a *actor) hearSmith(l *liveRun, m turnMsg) {
	var te *driver.TurnError
	switch {
	case m.chunk.Tool != nil:
		m.durable <- errors.New("a forge has no tools") // it holds one
	case m.chunk.Text != "" && l.asked.answer.Len()+len(m.chunk.Text) > maxSmithAnswer:
		a.smithFailed(l, world.ChatLimit, "the answer was longer than a skill can be")
	case m.chunk.Text != "":
		l.asked.answer.WriteString(m.chunk.Text)
	case !m.end:
	case errors.As(m.err, &te):
		a.log.Warn().Str("run", l.request).Str("member", l.member).Str("code", te.Code).Msg("a forge's request failed")
		a.smithFailed(l, clip(te.Code, 64), te.Message)
	case m.err != nil:
		a.log.Warn().Err(m.err).Str("run", l.request).Str("member", l.member).Msg("a forge's request failed")
		a.smithFailed(l, world.ChatModel, "the driver failed; the server's log says how")
	default:
		a.nextStep(l.runKey, forge.Input{Answer: &forge.Answer{N: l.asked.n, Text: l.erased.Text(strings.ToValidUTF8(l.asked.answer.String(), "\uFFFD"))}}, "")
	}
}

// smithFailed is a request without an answer: the forge goes back to where a person can
// say more, with nothing lost (S1-10).
func (a *actor) smithFailed(l *liveRun, code, why string) {
	a.nextStep(l.runKey, forge.Input{Answer: &forge.Answer{N: l.asked.n, Err: strings.TrimRight(clip(why, 500), ". ")}}, code)
}

// keepSkill has a skill written. A save that is cut off is made again when a person goes
// on: the same bytes twice are no harm.
func (a *actor) keepSkill(k runKey, s forge.Save) {
	files := world.SkillFiles{Name: s.Name, Files: s.Files, Replace: s.Replace}
	size := 0
	for p, text := range files.Files {
		size += len(p) + len(text)
	}
	a.out(entry{holds: size, effect: func() {
		if a.running(k) == nil {
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
		if slices.Contains(talks, k.talk) {
			out = append(out, kept)
		}
	}
	return out
}

func (a *actor) keptSkill(k runKey, s world.SkillFiles, err error) {
	if a.running(k) == nil { // somebody stopped it, and it is there all the same
		if err == nil && a.broken == nil {
			a.emit("", a.forgedSkill(k.talk, s)...)
		}
		return
	}
	why, code := "", ""
	var known []world.Body
	switch {
	case errors.Is(err, world.ErrSkillTaken):
		why, code = "another skill of that name lies there already", codeSave
	case err != nil:
		a.log.Error().Err(err).Str("conversation", k.talk).Msg("a skill was not saved")
		why, code = "the disk did not take it; the server's log says why", codeSave
	default:
		known = a.forgedSkill(k.talk, s)
	}
	a.nextStep(k, forge.Input{Saved: &forge.Saved{Err: why}}, code, known...)
}

// codeSave: a skill could not be written.
const codeSave = "save"

// nextStep is what comes of an answer or a save: a further step of the run. code is that
// of chat.error where what was asked for has failed, "" where it has not. known is what
// comes of it beside the forge, in the same commit.
func (a *actor) nextStep(k runKey, in forge.Input, code string, known ...world.Body) {
	a.drop(k) // whoever answered has ended, or is not heard any more
	talk, run := a.talks[k.talk], a.running(k)
	if talk == nil || run == nil || a.broken != nil {
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
		failed = &world.ChatError{ConversationID: k.talk, RequestID: k.request, MemberID: run.MemberID, Code: code, Message: message}
	}
	c, err := forgeContext(talk)
	var s stepped
	if err == nil {
		s, err = a.step(c, in)
	}
	if err != nil || s.res.Ignored != "" {
		a.log.Error().Err(err).Str("conversation", k.talk).Str("ignored", s.res.Ignored).Msg("a forge takes no step")
		bodies := a.forgeRests(talk)
		a.emit("", append(bodies, &world.ChatError{
			ConversationID: k.talk, RequestID: k.request, MemberID: run.MemberID, Code: world.ChatModel,
			Message: "The server failed at this step of the forge; what was said is kept.",
		})...)
		return
	}
	a.emit("", append(known, a.comesOf(&talk.Head, k.request, s, failed)...)...)
	a.forgeGoesOn(k, s.res)
}
