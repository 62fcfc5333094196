package dungeon

import (
	"strings"
	"sync"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Survey is what is known of a linked folder at one moment. It never changes: who
// looks again makes another, and shares the parts that are the same.
type Survey struct {
	Tree *Tree
	// Head of the map; its generation is the realm's to count.
	Head world.Map
	// Marks are the files that HEAD does not hold as they are, or that changed
	// lately, by path in wire form. A file without one is quiet.
	Marks map[string]Mark
	// Gone are files and folders removed or moved away lately, newest first.
	Gone []wire.FileChange
	// Past is what git's history says, by path in wire form of files; nil until it
	// has been read, and where there is no git.
	Past *History

	below *belowMarks // of folders, made when first asked for; shared by copies
}

// NewSurvey is a survey with the sums of its marks at hand: rooms are cheap then.
func NewSurvey(s Survey) *Survey {
	s.below = &belowMarks{}
	return &s
}

// belowMarks are the sums of what lies below each folder.
type belowMarks struct {
	once    sync.Once
	folders map[string]belowMark
}

type belowMark struct {
	changed     world.Time
	uncommitted int
}

// marksBelow gives the latest change below a folder and how many files there are
// not committed.
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

// gone are the entries of a folder that were removed lately.
func (s *Survey) goneFrom(folder string) []wire.FileChange {
	out := []wire.FileChange{}
	for _, g := range s.Gone {
		if g.Path[:max(0, strings.LastIndexByte(g.Path, '/'))] == folder && len(out) < maxGone {
			out = append(out, g)
		}
	}
	return out
}

// maxGone is how many of them a room names.
const maxGone = 32

// Mark is what stands out about a file.
type Mark struct {
	Changed     world.Time // when it was last seen to change; 0: not lately
	What        string     // wire.ChangeCreated and so on, with Changed
	Uncommitted bool
}

// Change says how a Survey differs from the one before, for those who watch.
// Paths are in wire form.
type Change struct {
	Folders []string // whose entries, marks or past changed
	All     bool     // too many to name
	Moment  string   // wire.MomentCommit and so on, "" for none
	Text    string   // of the moment
	Files   []wire.FileChange
}
