package dungeon

import (
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
}

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
