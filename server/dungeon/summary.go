package dungeon

import (
	"slices"

	"agentdungeon/shared/world"
)

// Limits of Summary. They keep world:state well below 512 KB whatever the folder holds
// (protocol.md, "Connecting").
const (
	// SummaryChildren limits the sub-folders of one folder in a summary.
	SummaryChildren = 256
	// SummaryBytes limits the length of a summary as JSON.
	SummaryBytes = 128 << 10
)

// Summary returns the tree with two levels of folders, for world:state. Counts include everything
// below, also if sub-folders are left out. Beyond SummaryChildren or SummaryBytes, the folders
// with the most files stay; the second level is cut for all folders before the first level loses
// any. Children are sorted by name.
func (t *Tree) Summary() world.MapTree {
	left := SummaryBytes
	root := t.node(0, "", "")
	left -= jsonSize(root)

	// The largest folders come first, until the budget is used up.
	type branch struct {
		node  world.MapTree
		below []uint32
	}
	var branches []branch
	for _, i := range t.largest(0) {
		node := t.node(i, "", t.text(t.folders[i].name))
		if left -= jsonSize(node); left < 0 {
			break
		}
		branches = append(branches, branch{node: node, below: t.largest(i)})
	}
	for rank := 0; left > 0; rank++ {
		more := false
		for k := range branches {
			b := &branches[k]
			if rank >= len(b.below) {
				continue
			}
			more = true
			i := b.below[rank]
			node := t.node(i, b.node.Path, t.text(t.folders[i].name))
			if left -= jsonSize(node); left < 0 {
				break
			}
			b.node.Children = append(b.node.Children, node)
		}
		if !more {
			break
		}
	}
	for _, b := range branches {
		sortByPath(b.node.Children)
		root.Children = append(root.Children, b.node)
	}
	sortByPath(root.Children)
	return root
}

// largest returns at most SummaryChildren sub-folders, those with the most files.
func (t *Tree) largest(i uint32) []uint32 {
	f := &t.folders[i]
	all := make([]uint32, f.folders)
	for k := range all {
		all[k] = f.firstFolder + uint32(k)
	}
	slices.SortStableFunc(all, func(x, y uint32) int {
		return int(t.folders[y].allFiles) - int(t.folders[x].allFiles)
	})
	return all[:min(len(all), SummaryChildren)]
}

func (t *Tree) node(i uint32, base, name string) world.MapTree {
	f := &t.folders[i]
	return world.MapTree{
		Name: display(t.text(f.name)), Path: join(base, EncodePath(name)),
		Files: int(f.allFiles), Folders: int(f.allFolders), Children: []world.MapTree{},
	}
}

func sortByPath(nodes []world.MapTree) {
	slices.SortFunc(nodes, func(a, b world.MapTree) int {
		switch {
		case a.Path < b.Path:
			return -1
		case a.Path > b.Path:
			return 1
		}
		return 0
	})
}

// jsonSize returns an upper bound of the JSON of a node without children, with its comma.
func jsonSize(n world.MapTree) int {
	const frame = len(`{"name":"","path":"","files":,"folders":,"children":[]},`)
	return frame + 2*len("2147483647") + jsonLen(n.Name) + jsonLen(n.Path)
}

// jsonLen returns an upper bound of the length of s as JSON: <, >, &, control characters, U+2028
// and U+2029 are written as \u00XX.
func jsonLen(s string) int {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20 || c == '<' || c == '>' || c == '&':
			n += 6
		case c == '"' || c == '\\' || c == 0xe2:
			n += 4 // U+2028: 3 bytes become 6
		default:
			n++
		}
	}
	return n
}
