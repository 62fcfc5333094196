// Package view makes the summaries of a realm that clients get: the views of conversations in
// world:state, cut to size, the requests to people whose turn it is, and the row of realm:list.
//
// Its functions use nothing but their arguments. The realm's actor, the rules of commands and package memory call them.
package view

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// All returns the views of the conversations in Kept, sorted by id, for world:state.
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

// Of returns the view of a conversation, with its plan and team.
func Of(r *kind.Realm, t *kind.Talk) world.View {
	k := r.Kinds.Of(t.Head.Kind).View(r, t)
	v := t.View(k.Plan)
	v.Team = k.Team
	return v
}

// Kept returns the ids of the conversations that world:state shows and that stay in memory: the conversations whose
// Standing is Open or Current and, for each kind, the Recent ones with the newest words.
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

// Turns returns the requests to people whose turn it is, ordered by the kind of conversation.
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

// Info returns the realm's row of realm:list.
func Info(r *kind.Realm, land *world.Land) wire.RealmInfo {
	w := r.World
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path, LastExplored: r.Clock.Wall,
		Status: w.ProcessState.Status, Files: land.Map.Files, Findings: w.Standing(), Bytes: land.Map.Bytes,
		Early: w.ProcessState.Early,
	}
	if s := w.ProcessState.Stage(); s != nil && w.ProcessState.Status != world.StatusIdle {
		info.Stage = s.Name
	}
	info.Councils = r.Gathering()
	return info
}

// Fit removes rows from views until the views have at most about limit bytes. It always removes the oldest row
// of the largest view, but never an open row. It sets HasMore in a view from which it has removed rows.
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

// RowBytes returns the approximate size of a row in a frame, in bytes.
func RowBytes(m world.Message) int {
	n := len(m.Content) + 300
	if m.Tool != nil {
		n += len(m.Tool.Input)
	}
	return n
}

// ShortTask returns the beginning of a task. Lists and views show only this; a snapshot has the whole task.
func ShortTask(task string) string {
	if short, cut := world.Cut(task, 1000); cut {
		return short + "..."
	}
	return task
}
