package place

import (
	"encoding/json"
	"reflect"
	"slices"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Take replaces the survey of the linked folder, and the land (the map, the rooms and the overworld) that was made
// from it. It returns a frame with the differences. The frame is not an event, because the server can read the folder
// again (P7.5). Checkpoints contain the land.
func (r *Rooms) Take(realmID string, survey *dungeon.Survey, change dungeon.Change) *wire.MapChanged {
	s := *dungeon.NewSurvey(*survey)
	land := &world.Land{MapTree: s.Tree.Summary(), Country: dungeon.Country(realmID, s.Tree)}
	before, now := r.Land(), r.Set(&s, land)
	frame := &wire.MapChanged{
		Generation: s.Head.Generation, Folders: change.Folders, All: change.All,
		Moment: change.Moment, Text: change.Text, Changes: change.Files, Map: s.Head,
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
	r.recent.add(frame)
	if !reflect.DeepEqual(before.MapTree, now.MapTree) {
		frame.MapTree = &now.MapTree
	}
	if !reflect.DeepEqual(before.Country, now.Country) {
		frame.Country = &now.Country
	}
	return frame
}

// recentChanges has the newest changes of the land in this epoch, for clients that have missed them (P5.15).
type recentChanges struct {
	files  []recentChange   // at most wire.MaxFileChanges, the oldest first, one for each path
	moment *wire.MapChanged // the last frame whose Moment is set; nil before the first such frame
}

type recentChange struct {
	generation int64
	wire.FileChange
}

func (c *recentChanges) add(f *wire.MapChanged) {
	for _, change := range f.Changes {
		c.files = slices.DeleteFunc(c.files, func(old recentChange) bool { return old.Path == change.Path })
		c.files = append(c.files, recentChange{f.Generation, change})
	}
	if n := len(c.files); n > wire.MaxFileChanges {
		c.files = slices.Clone(c.files[n-wire.MaxFileChanges:])
	}
	if f.Moment != "" {
		c.moment = f
	}
}

// after returns the changes of the map that are newer than its generation in the parameter shown, the oldest first.
func (c *recentChanges) after(shown int64) []wire.FileChange {
	out := []wire.FileChange{}
	for _, change := range c.files {
		if change.generation > shown {
			out = append(out, change.FileChange)
		}
	}
	return out
}

// wholeMap is an encoded map:changed frame with the whole land, and with the changes that are newer than the
// generation of the map in the field shown.
type wholeMap struct {
	land  *world.Land
	shown int64
	frame []byte
}

// Whole returns an encoded map:changed frame with the present land, for a client that still shows an older map (of
// the generation in the parameter shown) and has missed the later changes (P5.15). It keeps the frame until the land
// changes, because after a restart many clients show the same generation. Only the actor calls Whole.
func (r *Rooms) Whole(shown int64) ([]byte, error) {
	land := r.Land()
	if r.whole.land == land && r.whole.shown == shown {
		return r.whole.frame, nil
	}
	f := &wire.MapChanged{
		Generation: land.Map.Generation, Folders: []string{}, All: true, Changes: r.recent.after(shown),
		Map: land.Map, MapTree: &land.MapTree, Country: &land.Country,
	}
	if m := r.recent.moment; m != nil && m.Generation > shown {
		f.Moment, f.Text = m.Moment, m.Text
	}
	frame, err := wire.Encode(f)
	if err == nil {
		r.whole = wholeMap{land, shown, frame}
	}
	return frame, err
}

// roomKey identifies a page of a room in a generation of the survey.
type roomKey struct {
	generation int64
	path       string
	page       int
}

// InUse returns the rooms in which members stand, as encoded map:change frames. The room with which the frames exceed
// wire.RoomsBytes in total, and all rooms after it, are left out. It keeps the frames for its next call. Only the actor
// calls InUse.
func (r *Rooms) InUse(agents []world.Agent) []json.RawMessage {
	out := []json.RawMessage{}
	if r.Survey() == nil {
		return out
	}
	kept, size := map[roomKey][]byte{}, 0
	for i := range agents {
		m := &agents[i]
		key := roomKey{r.Generation(), m.Folder, m.Page}
		if _, done := kept[key]; done || !m.Inside {
			continue
		}
		frame := r.inUse[key]
		if frame == nil {
			change, err := r.Room(m.Folder, m.Page)
			if err != nil {
				continue // the folder of this room no longer exists
			}
			if frame, err = wire.Encode(change); err != nil {
				continue
			}
		}
		kept[key] = frame
		if size += len(frame); size <= wire.RoomsBytes {
			out = append(out, frame)
		}
	}
	r.inUse = kept
	return out
}
