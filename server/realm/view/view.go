// Package view says what others see of a realm's conversations at a glance: the views of
// world:state, cut to what fits, whose turn it is, and the row of realm:list.
//
// Its functions are pure: they read what kinds see of a realm and change nothing.
package view

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// All are the conversations of world:state, by id: those that Kept has.
func All(r *kind.Realm) []world.View {
	out := []world.View{}
	kept := Kept(r)
	for _, id := range r.TalkIDs() {
		if kept[id] {
			v := Of(r, r.Talks[id])
			v.TaskPrompt = ShortTask(v.TaskPrompt)
			out = append(out, v)
		}
	}
	Fit(out, wire.ViewBytes)
	return out
}

// Of is a conversation with what its kind says of it.
func Of(r *kind.Realm, t *kind.Talk) world.View {
	k := r.Kinds.Of(t.Head.Kind).View(r, t)
	v := t.View(k.Plan)
	v.Team = k.Team
	return v
}

// Kept are the conversations that others see at a glance, which stay in memory: those at hand,
// those that are open, and of the others those of each kind that last spoke.
func Kept(r *kind.Realm) map[string]bool {
	out := map[string]bool{}
	for name, k := range r.Kinds.All {
		for _, t := range r.TalksOf(name) {
			if k.View(r, t).Standing >= kind.Open {
				out[t.Head.ConversationID] = true
			}
		}
		for _, t := range r.Newest(name) {
			if k.View(r, t).Standing == kind.Recent {
				out[t.Head.ConversationID] = true
			}
		}
	}
	return out
}

// Turns tell the people whose turn it is in any conversation, by the order of the kinds.
func Turns(r *kind.Realm) []*wire.ProcessTurn {
	var out []*wire.ProcessTurn
	for name, k := range r.Kinds.All {
		for _, t := range r.TalksOf(name) {
			for _, ask := range k.View(r, t).Plan.Asked {
				out = append(out, &wire.ProcessTurn{
					ConversationID: ask.ConversationID, RequestID: ask.RequestID, RoleID: ask.RoleID, MemberID: ask.MemberID,
					Until: ask.Until, Prompt: ask.Prompt,
				})
			}
		}
	}
	return out
}

// Info is the realm's row of realm:list.
func Info(r *kind.Realm, land *world.Land) wire.RealmInfo {
	w := r.World
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path, LastExplored: r.Clock.Wall,
		Status: w.ProcessState.Status, Files: land.Map.Files, Findings: w.Standing(), Bytes: land.Map.Bytes,
	}
	if s := w.ProcessState.Stage(); s != nil && w.ProcessState.Status != world.StatusIdle {
		info.Stage = s.Name
	}
	_, info.Talks = r.Gathering()
	return info
}

// Fit takes rows off views until about limit bytes are left: of the largest the oldest,
// and never a row that is open. A view that has none left says that there are some.
func Fit(views []world.View, limit int) {
	sizes, total := make([]int, len(views)), 0
	for i, v := range views {
		total += len(v.TaskPrompt) + 300*len(v.Team.Members)
		for _, m := range v.Messages {
			sizes[i] += RowBytes(m)
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
		n := RowBytes(v.Messages[0])
		v.Messages, v.HasMore = v.Messages[1:], true
		sizes[most], total = sizes[most]-n, total-n
	}
}

// RowBytes is about what a row takes in a frame.
func RowBytes(m world.Message) int {
	n := len(m.Content) + 300
	if m.Tool != nil {
		n += len(m.Tool.Input)
	}
	return n
}

// ShortTask is what a list and a view tell of a task; a snapshot has all of it.
func ShortTask(task string) string {
	if short, cut := world.Cut(task, 1000); cut {
		return short + "..."
	}
	return task
}
