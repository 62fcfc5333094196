package world

import (
	"fmt"
	"slices"
	"strings"
)

// Object is a place on the map that shows numbers of findings, open quests or artifacts. No event sets it: Apply
// computes it from them (S3-01).
type Object struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // ObjectKeep, ObjectPlace or ObjectFort
	Name string `json:"name"` // the last part of Path, or AgentID
	Path string `json:"path"` // path of an ObjectPlace in wire form, else ""
	// X, Y is the overworld tile of a keep or a fort. Both are 0 for a member without a fort, and for an ObjectPlace,
	// which is drawn in its folder's room.
	X         int    `json:"x,omitempty"`
	Y         int    `json:"y,omitempty"`
	AgentID   string `json:"agentId,omitempty"`  // the member of an ObjectFort
	Findings  int    `json:"findings,omitempty"` // number of findings that count; see Finding.Stands
	Quests    int    `json:"quests,omitempty"`   // number of quests that are not done
	Artifacts int    `json:"artifacts,omitempty"`
}

// Kinds of objects.
const (
	ObjectKeep  = "keep"  // has the findings and quests about the whole folder, and the artifacts without a single author
	ObjectPlace = "place" // a file or folder with findings or quests
	ObjectFort  = "fort"  // a member with artifacts
)

// MaxObjects is the maximum length of World.Objects. Apply adds no object beyond it.
const MaxObjects = 500

// objectKey identifies an object. of is the path of an ObjectPlace or the member of an ObjectFort.
type objectKey struct{ kind, of string }

// placeKey returns the key of the object with the findings and quests at a path.
func placeKey(path string) objectKey {
	if path == "" {
		return objectKey{kind: ObjectKeep}
	}
	return objectKey{ObjectPlace, path}
}

// authorKey returns the key of the object with the artifacts of a member.
func authorKey(agentID string) objectKey {
	if agentID == "" {
		return objectKey{kind: ObjectKeep}
	}
	return objectKey{ObjectFort, agentID}
}

// object returns an object with this key whose counts are all 0.
func (s objectKey) object(forts []Fort) Object {
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

// id returns a hash of the key: the 32-bit FNV-1a of its bytes, forwards and backwards. The page computes the same
// hash.
func (s objectKey) id() string {
	text := s.kind + "/" + s.of
	forwards, backwards := uint32(2166136261), uint32(2166136261)
	for i := range len(text) {
		forwards = (forwards ^ uint32(text[i])) * 16777619
		backwards = (backwards ^ uint32(text[len(text)-1-i])) * 16777619
	}
	return fmt.Sprintf("o%08x%08x", forwards, backwards)
}

// updateObjects recomputes the objects of these keys.
func (w *World) updateObjects(keys ...objectKey) {
	for i, s := range keys {
		at, there := w.objectAt(s)
		if slices.Contains(keys[:i], s) || !there && len(w.Objects) >= MaxObjects {
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

// objectAt returns the index of an object in w.Objects or, if it is not there, the index at which to insert it.
func (w *World) objectAt(s objectKey) (at int, there bool) {
	return slices.BinarySearchFunc(w.Objects, s.id(), func(o Object, id string) int { return strings.Compare(o.ID, id) })
}

// addFinding adds 1 to the counts of an object for a finding that counts and was just added to w.Findings. It does
// not count all findings again: when a realm is opened, many findings are applied to a world that has thousands.
func (w *World) addFinding(s objectKey) {
	if at, there := w.objectAt(s); there {
		w.Objects[at].Findings++
	} else {
		w.updateObjects(s)
	}
}

// count computes the counts of an object. It copies no finding, quest or artifact, because it is called for most of
// the events that are applied when a realm is opened.
func (w *World) count(o *Object, s objectKey) {
	if s.kind != ObjectFort {
		for i := range w.Findings {
			if f := &w.Findings[i]; f.Path == s.of && f.Stands() {
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

// rebuildObjects computes all objects of a world that an older version wrote without them.
func (w *World) rebuildObjects() {
	on := map[objectKey]*Object{} // at most one entry for each finding, quest and artifact
	at := func(s objectKey) *Object {
		if on[s] == nil {
			o := s.object(w.Forts)
			on[s] = &o
		}
		return on[s]
	}
	for i := range w.Findings {
		if f := &w.Findings[i]; f.Stands() {
			at(placeKey(f.Path)).Findings++
		}
	}
	for i := range w.Quests {
		if q := &w.Quests[i]; q.Status != QuestDone {
			at(placeKey(q.Path)).Quests++
		}
	}
	for i := range w.Artifacts {
		at(authorKey(w.Artifacts[i].AgentID)).Artifacts++
	}
	w.Objects = make([]Object, 0, len(on))
	for _, o := range on {
		w.Objects = append(w.Objects, *o)
	}
	slices.SortFunc(w.Objects, byID)
	w.Objects = w.Objects[:min(len(w.Objects), MaxObjects)]
}

// States of a finding that is or was suspected.
const (
	StateSuspected = "suspected" // of low confidence, and not proved yet
	StateProved    = "proved"
	StateWithdrawn = "withdrawn"
)

// State returns one of the constants above, or "" for a finding that nobody has doubted. A finding of low confidence
// is suspected until somebody proves or withdraws it.
func (f *Finding) State() string {
	switch {
	case f.Withdrawn != "":
		return StateWithdrawn
	case f.Proof != "":
		return StateProved
	case f.Confidence == Confidences[0]:
		return StateSuspected
	}
	return ""
}

// AcceptedIn is in the reason for which a finding is withdrawn, if the repository accepts it: a line of that file does.
const AcceptedIn = " in .agentdungeon-review: "

// Accepted reports whether the finding is withdrawn because the repository accepts it: its code is as it was. All
// others that are withdrawn have gone, are wrong or are merged into another.
func (f *Finding) Accepted() bool { return strings.Contains(f.Withdrawn, AcceptedIn) }

// Stands reports whether the finding counts, that is, whether it is neither withdrawn nor only suspected.
func (f *Finding) Stands() bool { return f.State() == "" || f.State() == StateProved }
