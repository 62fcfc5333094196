package dungeon

import (
	"strings"

	"agentdungeon/shared/wire"
)

// History holds what git's history tells about files, and sums for folders. It does not change
// once made.
type History struct {
	files   map[string]wire.Past
	folders map[string]wire.Past
}

// NewHistory returns the History of files by path in wire form and takes over the map. A
// folder's time is that of its latest file; folders have no number of commits, because one
// commit can change many files.
func NewHistory(files map[string]wire.Past) *History {
	h := &History{files: files, folders: map[string]wire.Past{}}
	for path, p := range files {
		for path != "" {
			path = path[:max(0, strings.LastIndexByte(path, '/'))]
			h.folders[path] = wire.Past{Touched: max(h.folders[path].Touched, p.Touched)}
		}
	}
	return h
}

// File returns a file's past, zero if unknown; the receiver may be nil.
func (h *History) File(path string) wire.Past {
	if h == nil {
		return wire.Past{}
	}
	return h.files[path]
}

// Folder returns a folder's past, as File does.
func (h *History) Folder(path string) wire.Past {
	if h == nil {
		return wire.Past{}
	}
	return h.folders[path]
}
