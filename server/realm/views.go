package realm

import (
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/council"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What of the conversations, and of the realm, others see at a glance: the views of
// world:state, cut to what fits, and the row of realm:list.

// views are the conversations of world:state: the process's, the party at hand, councils
// that have not ended, and the chats and forges that last spoke.
func (a *actor) views() []world.View {
	shown := map[string]bool{a.world.ProcessState.ConversationID: true}
	for _, c := range append(a.newestOf(world.KindChat), a.newestOf(world.KindForge)...) {
		shown[c.Head.ConversationID] = true
	}
	out := []world.View{}
	for _, id := range a.talkIDs() {
		talk := a.talks[id]
		if !shown[id] && !a.inParty(id) && (talk.Head.Kind != world.KindCouncil || talk.Head.Ended()) {
			continue
		}
		v := talk.View(a.planOf(talk))
		v.Team, v.TaskPrompt = a.team(v.Conversation), shortTask(v.TaskPrompt)
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
		Status: w.ProcessState.Status, Files: w.Map.Files, Findings: w.Standing(), Bytes: w.Map.Bytes,
	}
	if s := w.ProcessState.Stage(); s != nil && w.ProcessState.Status != world.StatusIdle {
		info.Stage = s.Name
	}
	info.Talks = a.underWay()
	return info
}

// newestOf are the chats, or the forges, that world:state shows: those that last spoke.
func (a *actor) newestOf(kind string) []*conversation.State {
	var list []*conversation.State
	for _, id := range a.talkIDs() {
		if c := a.talks[id]; c.Head.Kind == kind && !c.Head.Ended() {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y *conversation.State) int { return int(y.LastSeq - x.LastSeq) })
	return list[:min(len(list), wire.ViewChats)]
}

// planOf is what a view says about a conversation's plan.
func (a *actor) planOf(talk *conversation.State) world.Plan {
	switch {
	case talk.Head.ConversationID == a.world.ProcessState.ConversationID:
		return world.Plan{Waiting: a.world.ProcessState.Waiting, Asked: a.askedInProcess()}
	case talk.Head.Kind == world.KindCouncil:
		p := council.Plan(talk.Head, talk.Runs, a.world.Settings)
		p.Asked = append(p.Asked, councilAsks(talk)...)
		return p
	case talk.Head.Kind == world.KindForge:
		return world.Plan{Forge: talk.Forge}
	}
	return world.Plan{}
}

// shortTask is what a list and a view tell of a task; a snapshot has all of it.
func shortTask(task string) string {
	if short, cut := world.Cut(task, 1000); cut {
		return short + "..."
	}
	return task
}
