package realm

import (
	"fmt"

	"agentdungeon/server/brief"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// relay is a kind that only the tests have: in each of its stages an agent takes a turn. It has a state of its own
// (what people have asked for since this opening) and a view.
type relay struct {
	name   string
	prompt map[string]string // by conversation, for the conversations in memory
}

func newRelay(name string) kind.Kind { return &relay{name: name, prompt: map[string]string{}} }

var relayStages = []string{"draft", "review"}

func (k *relay) Traits() kind.Traits { return kind.Traits{Gathers: true} }

func (k *relay) Begin(r *kind.Realm, in kind.Start) (kind.Decision, *wire.Error) {
	t, e := r.TemplateFor(in.TemplateID, in.MemberIDs)
	if e != nil {
		return kind.Decision{}, e
	}
	agent, e := r.AgentMember(t, in.MemberIDs[0], 0)
	if e != nil {
		return kind.Decision{}, e
	}
	head := r.New(k.name, "Relay", world.ConversationActive, world.Team{ID: t.ID, Name: t.Name, Members: []world.Member{agent}})
	head.TaskPrompt = in.TaskPrompt
	return kind.Decision{Bodies: append([]world.Body{&world.ConversationStarted{Conversation: head}}, r.Gather(&head)...)}, nil
}

func (k *relay) Said(_ *kind.Realm, t *kind.Talk, in kind.Words) (kind.Decision, *wire.Error) {
	if e := kind.HasEnded(t); e != nil {
		return kind.Decision{}, e
	}
	k.prompt[t.Head.ConversationID] = in.Message.Content
	return kind.Decision{Bodies: kind.TakenIn(in.Request, in.Message)}, nil
}

// stage returns the index of the current stage, which is the number of turns that were taken.
func (k *relay) stage(t *kind.Talk) int {
	done := map[string]bool{}
	for _, run := range t.Runs {
		if run.Turn != nil && run.Status == world.RunDone {
			done[run.Turn.StageID] = true
		}
	}
	return len(done)
}

func (k *relay) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		for _, t := range r.TalksOf(k.name) {
			if t.Head.Status != world.ConversationActive || len(t.Active()) > 0 {
				continue
			}
			n, agent := k.stage(t), t.Head.Team.Members[0].ID
			bodies := r.To(&t.Head, world.ConversationCompleted, "Every stage has its turn.")
			if n < len(relayStages) {
				b := &world.ChatStarted{
					ConversationID: t.Head.ConversationID, RequestID: r.FreshID(t, "t"), MemberID: agent, Status: world.RunRunning,
					Turn: &world.Turn{StageID: relayStages[n], RoleID: agent, Attempt: 1, N: 1},
				}
				plays, _ := r.Player(&t.Head, agent)
				r.Names(b, plays)
				bodies = []world.Body{b}
			}
			if !yield(kind.Step{Bodies: bodies}) {
				return
			}
		}
	}
}

func (k *relay) Turn(r *kind.Realm, t *kind.Talk, b *world.ChatStarted) (driver.Driver, driver.Turn) {
	plays, role := r.Player(&t.Head, b.MemberID)
	req, prompt := r.TurnFor(t, b, t.Head.Team.Members[0], role)
	req.Words, req.StageID, req.N, req.Attempt = t.Head.TaskPrompt+k.prompt[t.Head.ConversationID], b.Turn.StageID, 1, 1
	prompt.Task = req.Words
	req.Prompt = brief.Prompt(prompt)
	return plays, req
}

func (k *relay) Done(_ *kind.Realm, t *kind.Talk, e kind.Ended) []world.Body {
	return []world.Body{kind.Done(e.Run, &world.TurnDone{Turn: *e.Run.Turn, StageTurns: 1, MemberTurns: k.stage(t) + 1})}
}

func (k *relay) Cut(r *kind.Realm, t *kind.Talk, c kind.Cut) []world.Body {
	if t.Head.Ended() {
		return nil
	}
	return r.To(&t.Head, world.ConversationPaused, "A turn was cut off: "+c.Status)
}

func (k *relay) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	switch {
	case t.Head.Ended():
		return kind.Decision{Text: "It has ended already."}, nil
	case c.Verb == kind.Resume:
		return kind.Decision{Bodies: r.To(&t.Head, world.ConversationActive, "")}, nil
	case c.Verb == kind.Pause:
		return kind.Decision{Bodies: r.To(&t.Head, world.ConversationPaused, "")}, nil
	case c.Verb == kind.Stop:
		d := c.Stops(r, t)
		d.Bodies = append(d.Bodies, k.Cut(r, t, kind.Cut{Run: *c.Run, Status: world.RunCancelled})...)
		return d, nil
	}
	return c.Ends(r, t), nil
}

func (k *relay) View(_ *kind.Realm, t *kind.Talk) kind.View {
	v := kind.View{Team: t.Head.Team, Plan: world.Plan{Turns: k.stage(t), MaxTurns: len(relayStages)}}
	if !t.Head.Ended() {
		v.Standing, v.Plan.NextMemberID = kind.Open, t.Head.Team.Members[0].ID
	}
	return v
}

func (k *relay) Restore(r *kind.Realm, _ kind.Opening) kind.Steps {
	return func(yield func(kind.Step) bool) {
		for _, t := range r.TalksOf(k.name) {
			if t.Head.Status == world.ConversationActive {
				text := fmt.Sprintf("The server was started again in stage %d.", k.stage(t)+1)
				if !yield(kind.Step{Bodies: []world.Body{r.SystemRow(t.Head.ConversationID, text)}}) {
					return
				}
			}
		}
	}
}
