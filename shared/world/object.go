package world

import (
	"fmt"
	"slices"
	"strings"
)

// Object is a place of note: one with findings, open quests or artifacts. The fold derives it
// from them; no event sets it (S3-01).
type Object struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // ObjectPlace and the like
	Name string `json:"name"` // the last part of Path, or AgentID
	Path string `json:"path"` // of an ObjectPlace, in wire form; "" for the others
	// X, Y is the overworld tile of a keep or fort, absent where it has none. A place is drawn
	// in its folder's room.
	X       int    `json:"x,omitempty"`
	Y       int    `json:"y,omitempty"`
	AgentID string `json:"agentId,omitempty"` // of an ObjectFort
	// Counts: findings that are not withdrawn, quests that are not done, artifacts.
	Findings  int `json:"findings,omitempty"`
	Quests    int `json:"quests,omitempty"`
	Artifacts int `json:"artifacts,omitempty"`
}

// Kinds of objects.
const (
	ObjectKeep  = "keep"  // findings and quests of the whole folder, artifacts without a single author
	ObjectPlace = "place" // a file or folder with findings or quests
	ObjectFort  = "fort"  // a member with artifacts
)

// MaxObjects is how many places World.Objects lists; more are left out.
const MaxObjects = 500

// spot identifies an object by its kind and its path or member.
type spot struct{ kind, of string }

// placeSpot returns the spot of findings and quests at a path, makerSpot that of a member's artifacts.
func placeSpot(path string) spot {
	if path == "" {
		return spot{kind: ObjectKeep}
	}
	return spot{ObjectPlace, path}
}

func makerSpot(agentID string) spot {
	if agentID == "" {
		return spot{kind: ObjectKeep}
	}
	return spot{ObjectFort, agentID}
}

// object returns the spot's object with all counts 0.
func (s spot) object(forts []Fort) Object {
	o := Object{ID: s.id(), Kind: s.kind}
	switch s.kind {
	case ObjectKeep:
		o.X, o.Y = CountrySide/2, CountrySide/2
	case ObjectPlace:
		o.Path, o.Name = s.of, s.of[strings.LastIndexByte(s.of, '/')+1:]
	case ObjectFort:
		o.AgentID, o.Name = s.of, s.of
		for i := range forts {
			if forts[i].AgentID == s.of {
				o.X, o.Y = forts[i].X, forts[i].Y
			}
		}
	}
	return o
}

// id returns a hash of kind and path or member, which is the same in every fold: FNV-1a over UTF-8,
// forwards and backwards.
func (s spot) id() string {
	text := s.kind + "/" + s.of
	forwards, backwards := uint32(2166136261), uint32(2166136261)
	for i := range len(text) {
		forwards = (forwards ^ uint32(text[i])) * 16777619
		backwards = (backwards ^ uint32(text[len(text)-1-i])) * 16777619
	}
	return fmt.Sprintf("o%08x%08x", forwards, backwards)
}

// settle recomputes the objects of these spots.
func (w *World) settle(spots ...spot) {
	for i, s := range spots {
		at, there := slices.BinarySearchFunc(w.Objects, s.id(), func(o Object,
			id string) int {
			return strings.Compare(o.ID, id)
		})
		if slices.Contains(spots[:i], s) || !there && len(w.Objects) >= MaxObjects {
			continue
		}
		o := s.object(w.Forts)
		w.count(&o, s)
		switch some := o.Findings+o.Quests+o.Artifacts > 0; {
		case there && some:
			w.Objects[at] = o
		case there:
			w.Objects = slices.Delete(w.Objects, at, at+1)
		case some:
			w.Objects = slices.Insert(w.Objects, at, o)
		}
	}
}

// count counts what belongs to an object. An opening calls it for each event that it folds, so
// it copies nothing.
func (w *World) count(o *Object, s spot) {
	if s.kind != ObjectFort {
		for i := range w.Findings {
			if f := &w.Findings[i]; f.Path == s.of && f.Withdrawn == "" {
				o.Findings++
			}
		}
		for i := range w.Quests {
			if q := &w.Quests[i]; q.Path == s.of && q.Status != QuestDone {
				o.Quests++
			}
		}
	}
	if s.kind != ObjectPlace {
		for i := range w.Artifacts {
			if w.Artifacts[i].AgentID == s.of {
				o.Artifacts++
			}
		}
	}
}

func byID(a, b Object) int { return strings.Compare(a.ID, b.ID) }

// settleAll recomputes all objects, for a world from a version without objects.
func (w *World) settleAll() {
	on := map[spot]*Object{} // as many as there are things
	at := func(s spot) *Object {
		if on[s] == nil {
			o := s.object(w.Forts)
			on[s] = &o
		}
		return on[s]
	}
	for i := range w.Findings {
		if f := &w.Findings[i]; f.Withdrawn == "" {
			at(placeSpot(f.Path)).Findings++
		}
	}
	for i := range w.Quests {
		if q := &w.Quests[i]; q.Status != QuestDone {
			at(placeSpot(q.Path)).Quests++
		}
	}
	for i := range w.Artifacts {
		at(makerSpot(w.Artifacts[i].AgentID)).Artifacts++
	}
	w.Objects = make([]Object, 0, len(on))
	for _, o := range on {
		w.Objects = append(w.Objects, *o)
	}
	slices.SortFunc(w.Objects, byID)
	w.Objects = w.Objects[:min(len(w.Objects), MaxObjects)]
}
