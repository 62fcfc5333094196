package reuse

import (
	"io/fs"
	"sync"

	"golang.org/x/mod/module"

	"agentdungeon/server/inspect"
)

// modules is a Library that records which modules a review has asked it for, and whether it had them. A version of
// a module never changes, so of the whole module cache a result depends only on these answers.
type modules struct {
	inspect.Library

	mu    sync.Mutex
	asked map[module.Version]bool
}

// Module calls Module of the embedded Library, and records the answer.
func (m *modules) Module(v module.Version) fs.FS {
	dir := m.Library.Module(v)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[v] = dir != nil
	return dir
}

// asked records that a review has asked for a module. Here is set if the Library had the module.
type asked struct {
	Path, Version string
	Here          bool
}

// answers returns the recorded modules.
func (m *modules) answers() (all []asked) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for v, here := range m.asked {
		all = append(all, asked{v.Path, v.Version, here})
	}
	return all
}

// same reports whether l would give all the recorded answers again.
func same(l inspect.Library, all []asked) bool {
	for _, a := range all {
		if l == nil || (l.Module(module.Version{Path: a.Path, Version: a.Version}) != nil) != a.Here {
			return false
		}
	}
	return true
}
