package realm

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxFocus bounds how many people's focus is kept; with more the list begins anew, and
// who had one says again whom they speak to.
const maxFocus = 1_000

// maxAnswers is how many questions of a realm may be under way; more are refused.
const maxAnswers = 8

// decideFocus says to which member a person's words go from now on, in this life of
// the server.
func (a *actor) decideFocus(in Input, who string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	if who == "" {
		delete(a.focus, in.From.SpectatorID)
		return decision{text: "Your words go to everybody."}, nil
	}
	id, e := a.answerer(who)
	if e != nil {
		return decision{}, e
	}
	if len(a.focus) >= maxFocus {
		clear(a.focus)
	}
	a.focus[in.From.SpectatorID] = id
	return decision{text: "Your words go to " + a.memberName(id) + " now. /focus without a name ends that, and so does a restart of the server."}, nil
}

// answerer finds a member that answers questions, by id or name, with or without @ (B21).
func (a *actor) answerer(who string) (id string, e *wire.Error) {
	who = strings.TrimPrefix(strings.TrimSpace(who), "@")
	p := &a.world.ProcessState
	for _, c := range p.Cast {
		role := p.Role(c.RoleID)
		if role == nil || !strings.EqualFold(role.ID, who) && !strings.EqualFold(role.Name, who) {
			continue
		}
		if a.asker(c) == nil {
			return "", wire.Errorf(wire.Conflict, "%s takes part in the process and answers no questions beside it", role.Name)
		}
		return c.MemberID, nil
	}
	return "", wire.Errorf(wire.NotFound, "there is no member %q here", clip(who, 40))
}

// asker is what answers for a casting, nil for none.
func (a *actor) asker(c world.Casting) Asker {
	role := a.world.ProcessState.Role(c.RoleID)
	if role == nil || c.Kind != world.KindAgent {
		return nil
	}
	asker, _ := a.drivers.Driver(a.world.ProcessState.Template, *role).(Asker)
	return asker
}

// decideAsk is "/ask WHO QUESTION".
func (a *actor) decideAsk(in Input, rest string) (decision, *wire.Error) {
	who, question, _ := strings.Cut(rest, " ")
	if strings.TrimSpace(question) == "" {
		return decision{}, wire.Errorf(wire.BadField, "ask somebody something: /ask ROLE QUESTION")
	}
	id, e := a.answerer(who)
	if e != nil {
		return decision{}, e
	}
	return a.decideQuestion(in, id, strings.TrimSpace(question))
}

// decideQuestion has a member answer a person beside the plan: a run of its own, which
// no stage waits for.
func (a *actor) decideQuestion(in Input, memberID, question string) (decision, *wire.Error) {
	p := &a.world.ProcessState
	talk, cast := a.talks[p.ConversationID], p.Casting(memberID)
	switch {
	case in.From.SpectatorID == "":
		return decision{}, registerFirst
	case talk == nil || cast == nil:
		return decision{}, wire.Errorf(wire.NotFound, "nobody is here to ask")
	}
	under := 0
	for _, l := range a.live {
		if l.question {
			under++
		}
	}
	if under >= maxAnswers {
		return decision{}, wire.Errorf(wire.RateLimited, "%d questions are being answered; wait for one of them", under)
	}
	request := in.RequestID
	if request == "" {
		request = a.newID("w")
	}
	asker := a.asker(*cast)
	a.instances[memberID]++
	started := &world.ChatStarted{
		ConversationID: p.ConversationID, RequestID: request, MemberID: memberID, Status: world.RunRunning,
		Instance: memberID + "#" + strconv.Itoa(a.instances[memberID]),
		Message: &world.Message{
			MessageID: a.newID("m"), ConversationID: p.ConversationID, RequestID: request, Role: world.RoleUser,
			Name: in.From.Name, Content: question, Status: world.MessageDone, At: max(world.TimeOf(a.now), a.lastAt),
		},
	}
	return decision{bodies: []world.Body{started}, then: func() { a.beginAnswer(started, asker, question) }}, nil
}

// beginAnswer plays an answer once its question is durable.
func (a *actor) beginAnswer(b *world.ChatStarted, asker Asker, question string) {
	role := a.world.ProcessState.Role(b.MemberID)
	if role == nil || asker == nil {
		a.fail(b.RequestID, world.ChatModel, "Nobody answers.")
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &liveRun{talk: b.ConversationID, request: b.RequestID, member: b.MemberID, question: true, cancel: cancel}
	a.live[b.RequestID] = l
	facts := a.promptFacts(world.Turn{RoleID: b.MemberID})
	req := TurnRequest{
		RealmID: a.r.id, ConversationID: b.ConversationID, RequestID: b.RequestID, Instance: b.Instance, MemberID: b.MemberID, Role: *role,
		Pace: a.pace(), Problem: a.world.ProcessState.ProblemStatement, RepoName: a.world.Realm.Name, RepoPath: a.world.Realm.Path,
		Findings: slices.Clone(a.world.Findings), Earlier: process.EarlierFindings(a.world, facts.Since),
		Quests: slices.Clone(a.world.Quests), Insights: slices.Clone(facts.Insights),
	}
	limit := time.Duration(a.world.Settings.TurnTimeoutSeconds) * time.Second
	a.out(entry{effect: func() {
		if ctx.Err() != nil {
			return
		}
		l.deadline = a.now.Add(limit)
		a.work.Go(func() { a.r.play(ctx, answer{asker, question}, req) })
	}})
}

// answer is an Asker's answer as a Driver's turn.
type answer struct {
	asker    Asker
	question string
}

func (d answer) Run(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
	return d.asker.Ask(ctx, turn, d.question, emit)
}
