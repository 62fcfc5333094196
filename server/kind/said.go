package kind

import (
	"slices"

	"agentdungeon/server/brief"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// TurnFor returns the request for a turn and the data of its prompt, as far as they are the same in every kind. The
// kind itself adds the words that the turn answers.
func (r *Realm) TurnFor(t *Talk, b *world.ChatStarted, m world.Member, role world.Role) (driver.Turn, brief.Turn) {
	c := &t.Head
	req := r.Request(c.Kind, b, role)
	req.Team = slices.Clone(c.Team.Members)
	for _, f := range r.World.Findings {
		if f.Withdrawn == "" {
			req.Findings = append(req.Findings, f)
		}
	}
	if h := r.Kinds.Host(); h != nil {
		req.Earlier = h.Earlier(r)
	}
	req.Insights, req.Ended = r.Insights(b.MemberID), ended(r.World)
	prompt := brief.Turn{
		Role: role, Team: c.Team.Members, Self: m.ID, Problem: r.World.ProcessState.ProblemStatement,
		Artifacts: Artifacts(r.World), Findings: req.Findings, Insights: req.Insights, Quests: req.Quests,
		Skills: r.SkillsOf(m.ID),
	}
	if r.World.Realm.Path != "" {
		prompt.Repo = r.World.Realm.Name
	}
	prompt.Restored = r.Forgotten(t.Window(r.World.Settings.ContextWindowMessages, ""), m.ID)
	return req, prompt
}

// Insights returns a member's insights, oldest first.
func (r *Realm) Insights(member string) []world.Insight {
	return slices.Clone(r.Vaults.Of(member))
}

// Forgotten reports whether a member's driver cannot remember the first rows of said, because the server was
// started after them and the member has said nothing since that start (S3-20).
func (r *Realm) Forgotten(said []world.Message, member string) bool {
	// Rows that were added since the start of the server have no seq yet, or a seq after Born.
	before := func(m world.Message) bool { return m.Seq > 0 && m.Seq <= r.Born }
	return len(said) > 0 && before(said[0]) && !slices.ContainsFunc(said, func(m world.Message) bool {
		return m.MemberID == member && !before(m)
	})
}

// Artifacts returns the artifacts of the realm's process, oldest first.
func Artifacts(w *world.World) []world.Artifact {
	collected := map[string]bool{}
	for _, ids := range w.ProcessState.CollectedArtifacts {
		for _, id := range ids {
			collected[id] = true
		}
	}
	var out []world.Artifact
	for _, art := range w.Artifacts {
		if collected[art.ID] {
			out = append(out, art)
		}
	}
	return out
}

// maxEnded is the number of ended processes that a driver is told of.
const maxEnded = 5

// ended returns the processes that have ended, the newest last, at most maxEnded earlier ones. The world keeps only the
// artifacts of those.
func ended(w *world.World) (out []driver.Ended) {
	p := &w.ProcessState
	at := "/r/" + w.Realm.ID + "/result/"
	var ids []string
	made := map[string][]world.Artifact{}
	for _, a := range w.Artifacts {
		if a.ProcessID == "" || a.ProcessID == p.ConversationID {
			continue
		}
		if made[a.ProcessID] == nil {
			ids = append(ids, a.ProcessID)
		}
		made[a.ProcessID] = append(made[a.ProcessID], a)
	}
	for _, id := range ids[max(0, len(ids)-maxEnded):] {
		out = append(out, driver.Ended{Address: at + id, Artifacts: ofLastStage(made[id])})
	}
	if p.Status != world.StatusCompleted || p.Template == nil {
		return out
	}
	return append(out, driver.Ended{Name: p.Template.Name, Problem: p.ProblemStatement, Early: p.Early,
		Address: at + p.ConversationID, Artifacts: ofLastStage(Artifacts(w))})
}

// ofLastStage returns the artifacts of the stage of the last artifact.
func ofLastStage(all []world.Artifact) (out []world.Artifact) {
	for _, a := range all {
		if a.StageID == all[len(all)-1].StageID {
			out = append(out, a)
		}
	}
	return out
}
