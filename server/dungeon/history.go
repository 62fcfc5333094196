package dungeon

import (
	"strings"

	"agentdungeon/shared/wire"
)

// History is what git's history says of files, with the sums of the folders above
// them. It never changes once made.
type History struct {
	files   map[string]wire.Past
	folders map[string]wire.Past
}

// NewHistory takes what is known of files by path in wire form; the map is the
// History's from then on. A folder was touched when the latest file below it was; how
// many commits that took its files do not tell, for one may change many of them.
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

// File gives a file's past; zero where nothing is known, also of a nil History.
func (h *History) File(path string) wire.Past {
	if h == nil {
		return wire.Past{}
	}
	return h.files[path]
}

// Folder gives a folder's past, as File does.
func (h *History) Folder(path string) wire.Past {
	if h == nil {
		return wire.Past{}
	}
	return h.folders[path]
}
