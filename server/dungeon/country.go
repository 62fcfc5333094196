package dungeon

import (
	"cmp"
	"slices"

	"agentdungeon/shared/world"
)

// Country returns the overworld. The terrain depends only on the realm's id, the houses also on the tree t. If t is
// nil, the keep (the house of the root folder) is the only house. All walkable tiles are connected, whichever of the
// lots (the places of houses and forts) are occupied.
func Country(realmID string, t *Tree) world.Country {
	c := world.Country{Tiles: world.NewGrid("tiles", side, side, newLand(fnv1a(realmID))), Sites: []world.Site{}}
	keep := world.Site{
		X: middle - keepSide/2, Y: middle - keepSide/2, Width: keepSide, Height: keepSide, DoorX: KeepDoor[0],
		DoorY: KeepDoor[1],
	}
	if t == nil {
		c.Sites = append(c.Sites, keep)
		return c
	}
	keep.Name, keep.Files = t.Name(), t.Files()
	c.Sites = append(c.Sites, keep)
	folders := t.housed()
	lots := lotsFor(len(folders))
	names := make([]string, len(folders))
	for i, f := range folders {
		names[i] = t.folderName(f)
	}
	for i, at := range assignPlaces(names, len(lots), fnv1a(realmID)) {
		f, lot := &t.folders[folders[i]], lots[at]
		size := houseSide(int(f.allFiles))
		c.Sites = append(c.Sites, world.Site{
			Path: EncodePath(names[i]), Name: display(names[i]), Files: int(f.allFiles),
			X: lot[0] - size/2, Y: lot[1] + 3 - size, Width: size, Height: size, DoorX: lot[0], DoorY: lot[1] + 3,
		})
	}
	return c
}

// housed returns the top-level folders with a house, sorted by name.
func (t *Tree) housed() []uint32 {
	root := &t.folders[0]
	all := make([]uint32, root.folders)
	for i := range all {
		all[i] = root.firstFolder + uint32(i)
	}
	if len(all) > MaxSites {
		slices.SortStableFunc(all, func(a, b uint32) int { return cmp.Compare(t.folders[b].allFiles, t.folders[a].allFiles) })
		all = all[:MaxSites]
		slices.Sort(all)
	}
	return all
}

// houseSide returns the width and height, in tiles, of the house of a folder with the given number of files. There are
// only few sizes, so that a house rarely changes.
func houseSide(files int) int {
	switch {
	case files < 12:
		return 3
	case files < 150:
		return 4
	}
	return 5
}
