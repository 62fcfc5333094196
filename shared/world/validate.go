package world

import (
	"errors"
	"fmt"
	"slices"
)

// Validate returns an error that lists all reasons why w cannot be a result of Apply. If there is one, the caller
// renames the file of the world, keeps it, and does not repair it (S3-17).
func (w *World) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	atMost := func(what string, n, limit int) {
		if n > limit {
			bad("the world has %d %s, more than %d", n, what, limit)
		}
	}

	if w.Tick < 0 {
		bad("tick %d is negative", w.Tick)
	}
	atMost("agents", len(w.Agents), MaxAgentsEver+MaxCoders)
	atMost("findings", len(w.Findings), MaxFindings)
	atMost("artifacts", len(w.Artifacts), MaxArtifacts)
	atMost("quests", len(w.Quests), MaxQuests)
	atMost("forts", len(w.Forts), MaxForts)
	atMost("explored folders", len(w.Explored), MaxExplored)
	atMost("focused people", len(w.Focus), MaxFocus)
	atMost("skills", len(w.Skills), MaxSkills)
	atMost("objects", len(w.Objects), MaxObjects)
	atMost("instances", len(w.Instances), MaxInstances)
	atMost("sessions", len(w.Sessions), MaxSessions)
	words := slices.Collect(Words(w.Sessions))
	atMost("words", len(words), MaxWords+MaxOldWords)
	unique(bad, "word", words, func(b *AgentWord) string { return b.WordID })
	atMost("doors", len(w.Doors), MaxDoors+MaxClosedDoors)
	atMost("touches of files", len(w.Touches), MaxTouches)
	atMost("collisions", len(w.Collisions), MaxCollisions)
	atMost("usage", len(w.Usage), MaxUsage)
	atMost("erased ids", len(w.Erased), MaxErased)
	unique(bad, "agent", w.Agents, func(a Agent) string { return a.ID })
	unique(bad, "finding", w.Findings, func(f Finding) string { return f.ID })
	unique(bad, "artifact", w.Artifacts, func(a Artifact) string { return a.ID })
	unique(bad, "quest", w.Quests, func(q Quest) string { return q.ID })
	unique(bad, "object", w.Objects, func(o Object) string { return o.ID })
	unique(bad, "fort", w.Forts, func(f Fort) string { return f.AgentID })
	unique(bad, "focus", w.Focus, func(f Focus) string { return f.SpectatorID })
	unique(bad, "walker", w.NavigationState.Walkers, func(id string) string { return id })
	unique(bad, "skill", w.Skills, func(s Skill) string { return s.Name })
	unique(bad, "instance", w.Instances, func(i Instance) string { return i.MemberID })
	unique(bad, "session", w.Sessions, func(s Session) string { return s.Program + "/" + s.SessionID })
	unique(bad, "door", w.Doors, func(d AgentDoor) string { return d.DoorID })
	unique(bad, "collision", w.Collisions, func(c Collision) string { return c.Path })
	unique(bad, "usage", w.Usage, func(u AgentUsage) string { return u.AgentID + " " + u.Model + " " + u.Day })
	for _, q := range w.Quests {
		if !slices.Contains([]string{QuestOpen, QuestAssigned, QuestProgress, QuestDone}, q.Status) {
			bad("quest %s has the unknown status %q", q.ID, q.Status)
		}
	}
	for _, f := range w.Findings {
		if !slices.Contains(Severities, f.Severity) {
			bad("finding %s has the unknown severity %q", f.ID, f.Severity)
		}
		if f.Reach != "" && !slices.Contains(Reaches, f.Reach) {
			bad("finding %s has the unknown reach %q", f.ID, f.Reach)
		}
		if f.Confidence != "" && !slices.Contains(Confidences, f.Confidence) {
			bad("finding %s has the unknown confidence %q", f.ID, f.Confidence)
		}
	}
	for _, layers := range [][]Grid{w.Fog, w.Paths} {
		unique(bad, "layer", layers, func(g Grid) string { return g.Name })
		for i := range layers {
			layers[i].validate(bad)
		}
	}
	w.NavigationState.validate(bad)
	if !slices.Contains([]string{PartyIdle, PartyActive, PartyPaused}, w.Party.Status) {
		bad("party status %q is unknown", w.Party.Status)
	}
	w.ProcessState.validate(bad)
	return errors.Join(errs...)
}

func (n *NavigationState) validate(bad func(string, ...any)) {
	if in := len(n.AgentCurrentPath); len(n.Walkers) > MaxWalkers || in > MaxWalkers+MaxAgentsEver+MaxCoders {
		bad("%d walkers are over %d, or %d people and heroes in rooms are over %d", len(n.Walkers), MaxWalkers, in,
			MaxWalkers+MaxAgentsEver+MaxCoders)
	}
	for id, stack := range n.AgentNavStacks {
		if len(stack) > MaxNavStack {
			bad("%s has %d rooms on the way back, more than %d", id, len(stack), MaxNavStack)
		}
	}
}

func (p *ProcessState) validate(bad func(string, ...any)) {
	switch p.Status {
	case StatusIdle:
		return
	case StatusRunning, StatusPaused, StatusCompleted:
	default:
		bad("process status %q is unknown", p.Status)
		return
	}
	if p.Template == nil {
		bad("a process that is %s has no template", p.Status)
		return
	}
	if p.Stage() == nil {
		bad("stage index %d is not one of %d stages", p.CurrentStageIndex, len(p.Template.Stages))
	}
	if p.ConversationID == "" {
		bad("a process that is %s has no conversation", p.Status)
	}
	if p.StageAttempt < 1 {
		bad("stage attempt %d is under 1", p.StageAttempt)
	}
	for _, counts := range []map[string]int{p.StageTurnCounts, p.AgentTurnCounts} {
		for key, n := range counts {
			if n < 0 {
				bad("turn count of %s is negative: %d", key, n)
			}
		}
	}
	unique(bad, "cast role", p.Cast, func(c Casting) string { return c.RoleID })
}

// unique calls bad for each entry of list that has no id or the id of an earlier entry. what is the noun for an entry.
func unique[T any](bad func(string, ...any), what string, list []T, id func(T) string) {
	seen := make(map[string]bool, len(list))
	for _, v := range list {
		switch k := id(v); {
		case k == "":
			bad("a %s has no id", what)
		case seen[k]:
			bad("%s %q is listed twice", what, k)
		default:
			seen[k] = true
		}
	}
}
