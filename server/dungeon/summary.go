package dungeon

import (
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Limits of Summary. They keep world:state well below 512 KB (PROTOCOL.md, "Connecting").
const (
	SummaryChildren = 256       // sub-folders of one folder
	SummaryBytes    = 128 << 10 // length as JSON
)

// Summary returns the root and two levels of folders, for world:state. Counts include files and folders that the
// summary leaves out. It leaves out folders if a folder has more than SummaryChildren sub-folders, or if the summary
// has more than SummaryBytes bytes: folders of the second level before those of the first, and in each level those
// with the fewest files. Children are sorted by path.
func (t *Tree) Summary() world.MapTree {
	left := SummaryBytes
	root := t.node(0, "", "")
	left -= jsonSize(root)

	// The limit on bytes leaves out small folders first: the largest folders are added first.
	type branch struct {
		node  world.MapTree
		below []uint32
	}
	var branches []branch
	for _, i := range t.largest(0) {
		node := t.node(i, "", t.folderName(i))
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
			node := t.node(i, b.node.Path, t.folderName(i))
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

// node returns a folder without its children. name is the folder's raw name, base is the path of the folder's parent.
func (t *Tree) node(i uint32, base, name string) world.MapTree {
	f := &t.folders[i]
	return world.MapTree{
		Name: display(t.text(f.name)), Path: join(base, EncodePath(name)),
		Files: int(f.allFiles), Folders: int(f.allFolders), Children: []world.MapTree{},
	}
}

func sortByPath(nodes []world.MapTree) {
	slices.SortFunc(nodes, func(a, b world.MapTree) int { return strings.Compare(a.Path, b.Path) })
}

// jsonSize returns an upper bound of the length of a node as JSON, without children and with a
// comma.
func jsonSize(n world.MapTree) int {
	const frame = len(`{"name":"","path":"","files":,"folders":,"children":[]},`)
	return frame + 2*len("2147483647") + jsonLen(n.Name) + jsonLen(n.Path)
}

// jsonLen returns an upper bound of the length of s as JSON, without quotes. encoding/json escapes
// <, >, &, control characters, U+2028 and U+2029 as \uXXXX.
func jsonLen(s string) int {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20 || c == '<' || c == '>' || c == '&':
			n += 6
		case c == '"' || c == '\\' || c == 0xe2:
			n += 4 // U+2028 has 3 bytes, and 6 as \u2028
		default:
			n++
		}
	}
	return n
}
