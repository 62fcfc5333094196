package dungeon

import (
	"strings"
	"sync"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Survey is the state of a linked folder at one time. It is immutable; a newer Survey shares the
// parts that have not changed.
type Survey struct {
	Tree *Tree
	// Head summarizes the map. The realm sets its Generation.
	Head world.Map
	// Marks has the files that differ from HEAD or changed recently, by path in wire form (EncodePath).
	Marks map[string]Mark
	// Gone has the files and folders that were recently removed or moved, the newest change first.
	Gone []wire.FileChange
	// Past is the git history. It is nil until the history has been read, and always nil without git.
	Past *History

	below *belowMarks // a cache that copies of this Survey share
}

// NewSurvey returns a copy of s that caches the sums of Marks below each folder, so that they are
// computed only once for all rooms.
func NewSurvey(s Survey) *Survey {
	s.below = &belowMarks{}
	return &s
}

// belowMarks has, for each folder, the time of the latest change below it and the number of uncommitted files below
// it. It is computed on first use.
type belowMarks struct {
	once    sync.Once
	folders map[string]belowMark
}

type belowMark struct {
	changed     world.Time
	uncommitted int
}

// marksBelow returns the time of the latest change below a folder and the number of uncommitted
// files below it.
func (s *Survey) marksBelow(path string) belowMark {
	b := s.below
	if b == nil {
		b = &belowMarks{}
	}
	b.once.Do(func() {
		b.folders = map[string]belowMark{}
		for file, m := range s.Marks {
			for dir := file; dir != ""; {
				dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
				sum := b.folders[dir]
				sum.changed = max(sum.changed, m.Changed)
				if m.Uncommitted {
					sum.uncommitted++
				}
				b.folders[dir] = sum
			}
		}
	})
	return b.folders[path]
}

// maxGone is the maximum number of removed entries in a room.
const maxGone = 32

// goneFrom returns the entries that were removed from a folder recently, at most maxGone.
func (s *Survey) goneFrom(folder string) []wire.FileChange {
	out := []wire.FileChange{}
	for _, g := range s.Gone {
		if g.Path[:max(0, strings.LastIndexByte(g.Path, '/'))] == folder && len(out) < maxGone {
			out = append(out, g)
		}
	}
	return out
}

// Mark records that a file has changed recently or differs from HEAD.
type Mark struct {
	Changed     world.Time // time of the last observed change, 0 if the file has not changed recently
	What        string     // wire.ChangeCreated and so on
	Uncommitted bool
}

// Change is the difference between two surveys. Paths are in wire form (EncodePath).
type Change struct {
	Folders []string // folders with changed entries, marks or history
	All     bool     // set if any folder may have changed; Folders is then incomplete
	Moment  string   // wire.MomentCommit and so on, or ""
	Text    string   // the text of wire.MapChanged
	Files   []wire.FileChange
}
