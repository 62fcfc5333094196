package realm

import (
	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What of the conversations, and of the realm, others see at a glance: the views of
// world:state, cut to what fits, and the row of realm:list.

// views are the conversations of world:state: the process's, the party at hand, councils
// that have not ended, and the chats and forges that last spoke.
func (a *actor) views() []world.View {
	out := []world.View{}
	shown := a.shown()
	for _, id := range a.sees.TalkIDs() {
		talk := a.talks[id]
		if !shown[id] {
			continue
		}
		v := talk.View(a.planOf(talk))
		v.Team, v.TaskPrompt = a.team(talk), shortTask(v.TaskPrompt)
		out = append(out, v)
	}
	fit(out, wire.ViewBytes)
	return out
}

// fit takes rows off views until about limit bytes are left: of the largest the oldest,
// and never a row that is open. A view that has none left says that there are some.
func fit(views []world.View, limit int) {
	sizes, total := make([]int, len(views)), 0
	for i, v := range views {
		total += len(v.TaskPrompt) + 300*len(v.Team.Members)
		for _, m := range v.Messages {
			sizes[i] += rowBytes(m)
		}
		total += sizes[i]
	}
	stuck := make([]bool, len(views))
	for total > limit {
		most := -1
		for i := range views {
			if !stuck[i] && (most < 0 || sizes[i] > sizes[most]) {
				most = i
			}
		}
		if most < 0 {
			return
		}
		v := &views[most]
		if len(v.Messages) == 0 || v.Messages[0].Status == world.MessageOpen {
			stuck[most] = true
			continue
		}
		n := rowBytes(v.Messages[0])
		v.Messages, v.HasMore = v.Messages[1:], true
		sizes[most], total = sizes[most]-n, total-n
	}
}

// rowBytes is about what a row takes in a frame.
func rowBytes(m world.Message) int {
	n := len(m.Content) + 300
	if m.Tool != nil {
		n += len(m.Tool.Input)
	}
	return n
}

// info is the realm's row of realm:list.
func (a *actor) info() wire.RealmInfo {
	w := a.world
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path, LastExplored: a.calendar.now,
		Status: w.ProcessState.Status, Files: a.r.Land().Map.Files, Findings: w.Standing(), Bytes: a.r.Land().Map.Bytes,
	}
	if s := w.ProcessState.Stage(); s != nil && w.ProcessState.Status != world.StatusIdle {
		info.Stage = s.Name
	}
	_, info.Talks = a.sees.Gathering()
	return info
}

// shown are the conversations that others see at a glance, which stay in memory: those
// at hand, those that are open, and of the others those of each kind that last spoke.
func (a *actor) shown() map[string]bool {
	out := map[string]bool{}
	for name, k := range a.sees.Kinds.All {
		for _, talk := range a.sees.TalksOf(name) {
			if k.View(a.sees, talk).Standing >= kind.Open {
				out[talk.Head.ConversationID] = true
			}
		}
		for _, talk := range a.sees.Newest(name) {
			if k.View(a.sees, talk).Standing == kind.Recent {
				out[talk.Head.ConversationID] = true
			}
		}
	}
	return out
}

// letGo forgets conversations that nobody needs in memory: ended ones, sessions of parties
// but the one at hand, and chats and forges but for those that last spoke. All of theirs
// is committed, so the tables have it.
func (a *actor) letGo() {
	shown := a.shown()
	for id, talk := range a.talks {
		if !shown[id] && !a.erasures.Covers(id) && talk.LastSeq <= a.outbox.Head() && len(talk.Active()) == 0 {
			delete(a.talks, id)
		}
	}
}

// planOf is what a view says about a conversation's plan.
func (a *actor) planOf(talk *conversation.State) world.Plan {
	return a.kindOf(talk).View(a.sees, talk).Plan
}

// team is a conversation's team, with who holds its roles now.
func (a *actor) team(talk *conversation.State) world.Team {
	return a.kindOf(talk).View(a.sees, talk).Team
}

// shortTask is what a list and a view tell of a task; a snapshot has all of it.
func shortTask(task string) string {
	if short, cut := world.Cut(task, 1000); cut {
		return short + "..."
	}
	return task
}
