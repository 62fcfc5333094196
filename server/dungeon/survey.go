package dungeon

import (
	"strings"
	"sync"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Survey is what is known of a linked folder at one moment. It is immutable; a later look makes
// another one, which shares the parts that are the same.
type Survey struct {
	Tree *Tree
	// Head describes the map. The realm sets its generation.
	Head world.Map
	// Marks has the files that differ from HEAD or changed recently, by path in wire form.
	Marks map[string]Mark
	// Gone has the files and folders that were removed or moved away recently, newest first.
	Gone []wire.FileChange
	// Past is git's history of files. It is nil until it has been read, and without git.
	Past *History

	below *belowMarks // computed on first use; shared by copies
}

// NewSurvey returns a survey that caches the sums of its marks, which makes rooms cheap.
func NewSurvey(s Survey) *Survey {
	s.below = &belowMarks{}
	return &s
}

// belowMarks has the sums of the marks below each folder.
type belowMarks struct {
	once    sync.Once
	folders map[string]belowMark
}

type belowMark struct {
	changed     world.Time
	uncommitted int
}

// marksBelow returns the latest change below a folder and the number of uncommitted files.
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

// goneFrom returns the entries of a folder that were removed recently.
func (s *Survey) goneFrom(folder string) []wire.FileChange {
	out := []wire.FileChange{}
	for _, g := range s.Gone {
		if g.Path[:max(0, strings.LastIndexByte(g.Path, '/'))] == folder && len(out) < maxGone {
			out = append(out, g)
		}
	}
	return out
}

// maxGone limits them in a room.
const maxGone = 32

// Mark is what is notable about a file.
type Mark struct {
	Changed     world.Time // the last change that was seen, 0 if not recent
	What        string     // wire.ChangeCreated and so on
	Uncommitted bool
}

// Change is the difference between two surveys. Paths are in wire form.
type Change struct {
	Folders []string // with changed entries, marks or history
	All     bool     // everything may have changed
	Moment  string   // wire.MomentCommit and so on, or ""
	Text    string   // of the moment
	Files   []wire.FileChange
}
