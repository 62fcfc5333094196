package reuse

import (
	"io/fs"
	"sync"

	"golang.org/x/mod/module"

	"agentdungeon/server/inspect"
)

// modules is a Library that remembers which modules it was asked for, and whether they were there. A version of a
// module never changes, so the answers tell all that a review has seen of the module cache.
type modules struct {
	inspect.Library

	mu    sync.Mutex
	asked map[module.Version]bool
}

// Module is that of the Library.
func (m *modules) Module(v module.Version) fs.FS {
	dir := m.Library.Module(v)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[v] = dir != nil
	return dir
}

// asked is a module for which a review asked the Library.
type asked struct {
	Path, Version string
	Here          bool
}

// answers returns what the Library was asked for, and what it answered.
func (m *modules) answers() (all []asked) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for v, here := range m.asked {
		all = append(all, asked{v.Path, v.Version, here})
	}
	return all
}

// same reports whether a Library still gives the answers.
func same(l inspect.Library, all []asked) bool {
	for _, a := range all {
		if l == nil || (l.Module(module.Version{Path: a.Path, Version: a.Version}) != nil) != a.Here {
			return false
		}
	}
	return true
}
