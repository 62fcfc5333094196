package world

import (
	"errors"
	"fmt"
	"slices"
)

// Validate reports why w cannot be a result of Apply. A file with such a world is set aside, not
// repaired (S3-17).
func (w *World) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if w.Tick < 0 {
		bad("tick %d is negative", w.Tick)
	}
	if len(w.Agents) > MaxAgentsEver {
		bad("%d agents are over %d", len(w.Agents), MaxAgentsEver)
	}
	unique(bad, "agent", w.Agents, func(a Agent) string { return a.ID })
	unique(bad, "finding", w.Findings, func(f Finding) string { return f.ID })
	unique(bad, "artifact", w.Artifacts, func(a Artifact) string { return a.ID })
	unique(bad, "quest", w.Quests, func(q Quest) string { return q.ID })
	unique(bad, "object", w.Objects, func(o Object) string { return o.ID })
	if len(w.Findings) > MaxFindings {
		bad("%d findings are over %d", len(w.Findings), MaxFindings)
	}
	if len(w.Artifacts) > MaxArtifacts {
		bad("%d artifacts are over %d", len(w.Artifacts), MaxArtifacts)
	}
	if len(w.Quests) > MaxQuests {
		bad("%d quests are over %d", len(w.Quests), MaxQuests)
	}
	for _, q := range w.Quests {
		if !slices.Contains([]string{QuestOpen, QuestAssigned, QuestProgress, QuestDone}, q.Status) {
			bad("quest %s is %q", q.ID, q.Status)
		}
	}
	for _, f := range w.Findings {
		if !slices.Contains(Severities, f.Severity) {
			bad("finding %s has severity %q", f.ID, f.Severity)
		}
	}
	for _, layers := range [][]Grid{w.Fog, w.Paths} {
		unique(bad, "layer", layers, func(g Grid) string { return g.Name })
		for i := range layers {
			layers[i].validate(bad)
		}
	}
	unique(bad, "fort", w.Forts, func(f Fort) string { return f.AgentID })
	if len(w.Forts) > MaxForts {
		bad("%d forts are over %d", len(w.Forts), MaxForts)
	}
	if len(w.Explored) > MaxExplored {
		bad("%d explored folders are over %d", len(w.Explored), MaxExplored)
	}
	if len(w.Focus) > MaxFocus {
		bad("%d people's focus is over %d", len(w.Focus), MaxFocus)
	}
	unique(bad, "focus", w.Focus, func(f Focus) string { return f.SpectatorID })
	w.NavigationState.validate(bad)
	unique(bad, "walker", w.NavigationState.Walkers, func(id string) string { return id })
	if !slices.Contains([]string{PartyIdle, PartyActive, PartyPaused}, w.Party.Status) {
		bad("party status %q is unknown", w.Party.Status)
	}
	if len(w.Skills) > MaxSkills {
		bad("%d skills are over %d", len(w.Skills), MaxSkills)
	}
	unique(bad, "skill", w.Skills, func(s Skill) string { return s.Name })
	if len(w.Objects) > MaxObjects {
		bad("%d objects are over %d", len(w.Objects), MaxObjects)
	}
	if len(w.Instances) > MaxInstances {
		bad("%d instances are over %d", len(w.Instances), MaxInstances)
	}
	unique(bad, "instance", w.Instances, func(i Instance) string { return i.MemberID })
	if len(w.Erased) > MaxErased {
		bad("%d erased ids are over %d", len(w.Erased), MaxErased)
	}
	w.ProcessState.validate(bad)
	return errors.Join(errs...)
}

func (n *NavigationState) validate(bad func(string, ...any)) {
	if in := len(n.AgentCurrentPath); len(n.Walkers) > MaxWalkers || in > MaxWalkers+MaxAgentsEver {
		bad("%d walkers, %d in rooms: over %d, and %d heroes", len(n.Walkers), in, MaxWalkers, MaxAgentsEver)
	}
	for id, stack := range n.AgentNavStacks {
		if len(stack) > MaxNavStack {
			bad("%d rooms lead back for %s, over %d", len(stack), id, MaxNavStack)
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
	for key, n := range p.StageTurnCounts {
		if n < 0 {
			bad("turn count of %s is %d", key, n)
		}
	}
	for key, n := range p.AgentTurnCounts {
		if n < 0 {
			bad("turn count of %s is %d", key, n)
		}
	}
	unique(bad, "cast role", p.Cast, func(c Casting) string { return c.RoleID })
}

func unique[T any](bad func(string, ...any), what string, list []T, id func(T) string) {
	seen := make(map[string]bool, len(list))
	for _, v := range list {
		switch k := id(v); {
		case k == "":
			bad("a %s has no id", what)
		case seen[k]:
			bad("%s %q stands twice", what, k)
		default:
			seen[k] = true
		}
	}
}
