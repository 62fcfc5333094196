package realm

import (
	"encoding/json"
	"reflect"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// setSurvey takes what the linked folder looks like now. It is derived from the
// disk, so it is no event (P7.5): it is told once and kept in checkpoints.
func (a *actor) setSurvey(m surveyMsg) {
	s := *dungeon.NewSurvey(*m.survey)
	land := &world.Land{MapTree: s.Tree.Summary(), Country: dungeon.Country(a.world.Realm.ID, s.Tree)}
	before, now := a.r.Land(), a.r.rooms.Set(&s, land)
	frame := &wire.MapChanged{
		Generation: s.Head.Generation, Folders: m.change.Folders, All: m.change.All,
		Moment: m.change.Moment, Text: m.change.Text, Changes: m.change.Files, Map: s.Head,
	}
	if len(frame.Folders) > wire.MaxMapFolders {
		frame.Folders, frame.All = nil, true
	}
	if frame.Folders == nil {
		frame.Folders = []string{}
	}
	if frame.Changes == nil {
		frame.Changes = []wire.FileChange{}
	}
	if n := len(frame.Changes); n > wire.MaxFileChanges {
		frame.Changes = frame.Changes[n-wire.MaxFileChanges:]
	}
	if !reflect.DeepEqual(before.MapTree, now.MapTree) {
		frame.MapTree = &now.MapTree
	}
	if !reflect.DeepEqual(before.Country, now.Country) {
		frame.Country = &now.Country
	}
	a.out(commit.Entry{Frame: a.encode(frame)})
	a.saved.Changed(a.now)
}

// roomsInUse are the rooms where members stand, encoded as map:change, as many as
// fit into wire.RoomsBytes. They are made anew when somebody moves or the folder
// changes; at most one for each member is kept.
func (a *actor) roomsInUse() []json.RawMessage {
	if a.r.rooms.Survey() == nil {
		return []json.RawMessage{}
	}
	generation := a.r.rooms.Generation()
	kept := map[roomKey][]byte{}
	out := []json.RawMessage{}
	size := 0
	for i := range a.world.Agents {
		m := &a.world.Agents[i]
		key := roomKey{generation, m.Folder, m.Page}
		if _, done := kept[key]; done || !m.Inside {
			continue
		}
		frame := a.rooms[key]
		if frame == nil {
			change, err := a.r.rooms.Room(m.Folder, m.Page)
			if err != nil {
				continue // the folder has gone from under its feet
			}
			frame = a.encode(change)
		}
		kept[key] = frame
		if size += len(frame); size <= wire.RoomsBytes {
			out = append(out, frame)
		}
	}
	a.rooms = kept
	return out
}

type roomKey struct {
	generation int64
	path       string
	page       int
}
