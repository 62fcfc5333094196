package dungeon

import (
	"strings"

	"agentdungeon/shared/wire"
)

// History holds the git history of each file, and for each folder the latest time of the files
// below it. It is immutable.
type History struct {
	files   map[string]wire.Past
	folders map[string]wire.Past
}

// NewHistory returns the History of files, a map from paths in wire form that the caller must not modify afterwards.
// The time of a folder is the latest time of the files below it. Folders have no number of commits, because one commit
// can change many files.
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

// File returns the history of a file, zero if it is unknown. h may be nil.
func (h *History) File(path string) wire.Past {
	if h == nil {
		return wire.Past{}
	}
	return h.files[path]
}

// Folder returns the history of a folder, zero if it is unknown. h may be nil.
func (h *History) Folder(path string) wire.Past {
	if h == nil {
		return wire.Past{}
	}
	return h.folders[path]
}
