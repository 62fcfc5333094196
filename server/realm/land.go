package realm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// setSurvey takes what the linked folder looks like now. It is derived from the
// disk, so it is no event (P7.5): it is told once and kept in checkpoints.
func (a *actor) setSurvey(m surveyMsg) {
	s := *dungeon.NewSurvey(*m.survey)
	a.r.rooms.Set(&s)
	before := a.land
	a.world.Map = s.Head
	a.world.MapTree = s.Tree.Summary()
	a.world.Country = dungeon.Country(a.world.Realm.ID, s.Tree)
	if !a.encodeLand() {
		return
	}
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
	if !bytes.Equal(before.tree, a.land.tree) {
		frame.MapTree = &a.world.MapTree
	}
	if !bytes.Equal(before.country, a.land.country) {
		frame.Country = &a.world.Country
	}
	a.out(entry{frame: a.encode(frame)})
	a.dirtyLast = a.now
	if a.dirtySince.IsZero() {
		a.dirtySince = a.now
	}
}

// roomsInUse are the rooms where members stand, encoded as map:change, as many as
// fit into wire.RoomsBytes. They are made anew when somebody moves or the folder
// changes; at most one for each member is kept.
func (a *actor) roomsInUse() [][]byte {
	if a.r.rooms.Survey() == nil {
		return nil
	}
	generation := a.r.rooms.Generation()
	kept := map[roomKey][]byte{}
	var out [][]byte
	size := 0
	for i := range a.world.Agents {
		m := &a.world.Agents[i]
		key := roomKey{generation, m.Realm, m.Page}
		if _, done := kept[key]; done || !m.Inside {
			continue
		}
		frame := a.rooms[key]
		if frame == nil {
			change, err := a.r.rooms.Room(m.Realm, m.Page)
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

// land is how a world encodes what comes from the disk; snapshots are given the
// latest of it.
type land struct {
	head, tree, country []byte
}

func encodeLand(w *world.World) (land, error) {
	var l land
	for _, part := range []struct {
		what any
		to   *[]byte
	}{{w.Map, &l.head}, {w.MapTree, &l.tree}, {w.Country, &l.country}} {
		raw, err := json.Marshal(part.what)
		if err != nil {
			return land{}, fmt.Errorf("encode the map: %w", err)
		}
		*part.to = raw
	}
	return l, nil
}

// fields are the three as they stand in a world's JSON.
func (l land) fields() []byte {
	return slices.Concat([]byte(`"map":`), l.head, []byte(`,"mapTree":`), l.tree, []byte(`,"country":`), l.country)
}

func (a *actor) encodeLand() bool {
	l, err := encodeLand(a.world)
	if err != nil {
		a.breakdown(err)
		return false
	}
	a.land = l
	return true
}
