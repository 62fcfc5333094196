package process

import (
	"maps"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/brief"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxSummary is the limit of a signal's summary in bytes.
const maxSummary = 4_000

// maxTitleProblem limits, in bytes, how much of the problem the title of a process quotes.
const maxTitleProblem = 80

// StartRequest describes a process to begin.
type StartRequest struct {
	Problem        string                // 1 to world.MaxProblem bytes
	Template       *world.Template       // stored with this process, so that later changes of the file have no effect
	ConversationID string                // id of the new transcript
	Drives         func(world.Role) bool // whether a driver plays a role
}

// Start returns the events that begin a process: process:started, conversation.started, the leaving of agents of an
// earlier cast, and the joining of agents of the first stage. It returns an error while a process runs or is paused,
// and if a stage needs more agents than the setting maxAgents.
func Start(w *world.World, r StartRequest, now time.Time) ([]world.Body, *wire.Error) {
	old := &w.ProcessState
	if old.Status == world.StatusRunning || old.Status == world.StatusPaused {
		what := "runs"
		if old.Status == world.StatusPaused {
			what = "is paused"
		}
		st := old.Stage()
		return nil, wire.Errorf(wire.Conflict,
			"a process %s here already (%s, stage %d of %d, %s): end it, or wait until it ends, before another begins",
			what, old.Template.Name, old.CurrentStageIndex+1, len(old.Template.Stages), st.Name)
	}
	switch {
	case strings.TrimSpace(r.Problem) == "":
		return nil, wire.Errorf(wire.BadField, "problem is empty: say in a sentence what this is about")
	case len(r.Problem) > world.MaxProblem:
		return nil, wire.Errorf(wire.TooLarge, "problem is %d bytes long, at most %d fit", len(r.Problem), world.MaxProblem)
	case r.Template == nil:
		return nil, wire.Errorf(wire.NotFound, "there is no such template")
	}
	t := r.Template
	p := &world.ProcessState{Template: t, Cast: Cast(t, r.Drives)}
	for i := range t.Stages {
		agents := 0
		for _, id := range t.Stages[i].Roles {
			if c := p.Casting(id); c != nil && c.Kind == world.KindAgent {
				agents++
			}
		}
		if agents > w.Settings.MaxAgents {
			return nil, wire.Errorf(wire.Conflict,
				"stage %s needs %d agents and this realm allows %d: raise maxAgents or take another template",
				t.Stages[i].Name, agents, w.Settings.MaxAgents)
		}
	}
	stages := make([]world.StageRef, len(t.Stages))
	for i, st := range t.Stages {
		stages[i] = world.StageRef{ID: st.ID, Name: st.Name}
	}
	out := []world.Body{
		&world.ProcessStarted{
			TemplateID: t.ID, Name: t.Name, Problem: r.Problem, Stages: stages,
			ConversationID: r.ConversationID, Template: t, Cast: p.Cast,
		},
		&world.ConversationStarted{Conversation: conversation(t, p.Cast, r, world.TimeOf(now))},
	}
	stays := map[string]bool{}
	for _, a := range w.Agents {
		c := p.Casting(a.ID)
		stays[a.ID] = c != nil && c.Kind == a.Kind && (a.Kind == world.KindHuman || slices.Contains(t.Stages[0].Roles, a.ID))
		if !stays[a.ID] && (old.Casting(a.ID) != nil || c != nil) {
			out = append(out, &world.AgentLeft{AgentID: a.ID, Reason: LeftProcess})
		}
	}
	for _, role := range t.Roles { // a member that stays can look different in this template
		c := p.Casting(role.ID)
		if c.Kind == world.KindHuman || c.Kind == world.KindAgent && slices.Contains(t.Stages[0].Roles, role.ID) {
			if a := Agent(role, *c); w.Agent(role.ID) == nil || *w.Agent(role.ID) != a {
				out = append(out, &world.AgentJoined{Agent: a})
			}
		}
	}
	return out, nil
}

func conversation(t *world.Template, cast []world.Casting, r StartRequest, at world.Time) world.Conversation {
	c := world.Conversation{
		ConversationID: r.ConversationID, Kind: world.KindProcess, Status: world.ConversationActive,
		TaskPrompt: r.Problem, CreatedAt: at, UpdatedAt: at,
		Team: world.Team{ID: t.ID, Name: t.Name, Members: make([]world.Member, len(t.Roles))},
	}
	line, _, _ := strings.Cut(strings.TrimSpace(r.Problem), "\n")
	line, short := brief.Cut(line, maxTitleProblem)
	if short {
		line += "..."
	}
	c.Title = line
	if !strings.HasPrefix(line, t.Name) { // as "Code review of NAME" does
		c.Title = t.Name + ": " + line
	}
	for i, role := range t.Roles {
		m := world.Member{
			ID: role.ID, Name: role.Name, DisplayName: role.Name, Role: role.ID, Color: role.Color, Order: i,
			Type: world.KindHuman, // an open role waits for a person
		}
		switch cast[i].Kind {
		case world.KindAgent:
			m.Type = world.KindAgent
		case world.KindHuman:
			if cast[i].Name != "" {
				m.DisplayName = cast[i].Name
			}
		}
		c.Team.Members[i] = m
	}
	return c
}

// requireRunning refuses a command if no process is running or paused.
func requireRunning(p *world.ProcessState) *wire.Error {
	switch p.Status {
	case world.StatusRunning, world.StatusPaused:
		return nil
	case world.StatusCompleted:
		return wire.Errorf(wire.Conflict, "the process is completed: start another one to go on")
	}
	return wire.Errorf(wire.Conflict, "no process is running here")
}

// Pause pauses the process at once or, if turns are under way, when they have ended.
func Pause(p *world.ProcessState, f Facts) ([]world.Body, *wire.Error) {
	if e := requireRunning(p); e != nil {
		return nil, e
	}
	if p.Status == world.StatusPaused {
		return nil, wire.Errorf(wire.Conflict, "the process is paused already: /resume goes on")
	}
	if p.Pausing {
		return nil, wire.Errorf(wire.Conflict, "the process pauses as soon as the turns under way have ended")
	}
	if len(tallyOf(p, f).active) > 0 {
		return []world.Body{&world.ProcessPausing{}}, nil
	}
	return Paused(p, ""), nil
}

// Paused returns the events of a process that pauses now. reason is "" if a person asked for it.
func Paused(p *world.ProcessState, reason string) []world.Body {
	return []world.Body{
		&world.ProcessPaused{Reason: reason},
		&world.ConversationStatus{ConversationID: p.ConversationID, Status: world.ConversationPaused, Reason: reason},
	}
}

// Resume continues a process that is paused, is about to pause, waits for an approval in the modes supervised and
// manual, or waits because a turn failed too often.
func Resume(p *world.ProcessState, s world.Settings, f Facts) ([]world.Body, *wire.Error) {
	if e := requireRunning(p); e != nil {
		return nil, e
	}
	t := tallyOf(p, f)
	key := approval(p, s, t)
	if p.Status == world.StatusPaused {
		return []world.Body{
			&world.ProcessResumed{Approved: key},
			&world.ConversationStatus{ConversationID: p.ConversationID, Status: world.ConversationActive},
		}, nil
	}
	if p.Pausing {
		return []world.Body{&world.ProcessResumed{}}, nil
	}
	pl := planOf(p, s, t)
	if pl.gate != "" || len(pl.in(spent)) > 0 {
		return []world.Body{&world.ProcessResumed{Approved: key}}, nil
	}
	if vacant := pl.in(open); len(vacant) > 0 {
		return nil, wire.Errorf(wire.Conflict, "nothing is paused. %s", openText(p, vacant))
	}
	return nil, wire.Errorf(wire.Conflict, "nothing is paused")
}

// Skip skips the next turn of these roles, or their turn under way, which Next then cancels. Without roles it
// skips the turns that the process waits for; if there are none, the turns under way; if there are none of these
// either, the next turns. In an explicit_signal stage a skipped role is out for the rest of the stage, and a stage
// without remaining roles ends.
func Skip(p *world.ProcessState, s world.Settings, f Facts, roleIDs ...string) ([]world.Body, *wire.Error) {
	if e := requireRunning(p); e != nil {
		return nil, e
	}
	st, t := p.Stage(), tallyOf(p, f)
	pl := planOf(p, s, t)
	if pl.complete {
		return nil, wire.Errorf(wire.Conflict, "stage %s has no turn left to skip", st.Name)
	}
	if len(roleIDs) == 0 {
		roleIDs = toSkip(st, t, pl)
	}
	skips, roles := map[string]int{}, []string{}
	for _, id := range roleIDs {
		switch {
		case p.Role(id) == nil:
			return nil, wire.Errorf(wire.NotFound, "there is no role %q in this process", id)
		case !slices.Contains(st.Acting(), id):
			return nil, wire.Errorf(wire.Conflict, "%s has no turn in stage %s", roleName(p, id), st.Name)
		case st.Completion == world.CompleteTurns && t.filled(id) >= st.Turns,
			st.Completion == world.CompleteSignal && t.skips[id] > 0:
			return nil, wire.Errorf(wire.Conflict, "%s has no turn left in stage %s", roleName(p, id), st.Name)
		}
		if !slices.Contains(roles, id) {
			roles = append(roles, id)
			skips[key(st.ID, id)] = t.skips[id] + 1
		}
	}
	return []world.Body{&world.ProcessSkipped{StageID: st.ID, Attempt: p.StageAttempt, RoleIDs: roles, Skips: skips}}, nil
}

func toSkip(st *world.Stage, t *tally, pl *plan) []string {
	var waited, underWay, next []string
	for _, sl := range pl.slots {
		if sl.state != ready {
			waited = append(waited, sl.turn.RoleID)
		}
		next = append(next, sl.turn.RoleID)
	}
	for _, r := range t.runs {
		if r.Status == world.RunRunning && !slices.ContainsFunc(t.stale,
			func(c Cancellation) bool { return c.RequestID == r.RequestID }) {
			underWay = append(underWay, r.Turn.RoleID)
		}
	}
	switch {
	case len(waited) > 0:
		return waited
	case len(underWay) > 0:
		return underWay
	case len(next) > 0:
		return next
	}
	// If no turn is next, the run of a skipped turn has not ended yet. Then skip the first role that still has turns.
	for _, id := range st.Acting() {
		if st.Completion == world.CompleteTurns && t.filled(id) < st.Turns || st.Completion == world.CompleteSignal &&
			t.skips[id] == 0 {
			return []string{id}
		}
	}
	return nil
}

// Restart begins the current stage again. What earlier attempts said stays in the transcript, but does not count for
// the stage; the following call of Next cancels the runs of earlier attempts. A paused process stays paused.
func Restart(p *world.ProcessState) ([]world.Body, *wire.Error) {
	if e := requireRunning(p); e != nil {
		return nil, e
	}
	st := p.Stage()
	counts := map[string]bool{st.ID: true}
	for _, role := range st.Roles {
		counts[key(st.ID, role)] = true
	}
	return []world.Body{&world.ProcessStageRestarted{
		StageID: st.ID, Attempt: p.StageAttempt + 1, Counts: slices.Sorted(maps.Keys(counts)),
	}}, nil
}

// Seal records the explicit signal of a role. The stage ends once no turn is under way. A second
// signal returns no event.
func Seal(p *world.ProcessState, roleID, summary string) ([]world.Body, *wire.Error) {
	if e := requireRunning(p); e != nil {
		return nil, e
	}
	st := p.Stage()
	switch {
	case p.Role(roleID) == nil:
		return nil, wire.Errorf(wire.NotFound, "there is no role %q in this process", roleID)
	case !slices.Contains(st.Acting(), roleID):
		return nil, wire.Errorf(wire.Conflict, "%s has no turn in stage %s and cannot end it", roleName(p, roleID), st.Name)
	case st.Completion != world.CompleteSignal:
		return nil, wire.Errorf(wire.Conflict, "stage %s ends when every role has had its turns, not by a signal", st.Name)
	case p.Sealed != nil:
		return nil, nil
	}
	summary, _ = brief.Cut(strings.TrimSpace(summary), maxSummary)
	return []world.Body{&world.ProcessSealed{StageID: st.ID, RoleID: roleID, Summary: summary}}, nil
}

// AnswerSeals reports whether a person's answer in this role also gives the explicit signal that ends the stage,
// because people have no tool for it. In an explicit_signal stage this holds for the last of the acting roles. The
// kind then adds Seal's event after the answer's chat.done.
func AnswerSeals(p *world.ProcessState, roleID string) bool {
	st := p.Stage()
	if st == nil || st.Completion != world.CompleteSignal {
		return false
	}
	acting := st.Acting()
	return acting[len(acting)-1] == roleID
}
