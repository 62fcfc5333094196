package dungeon

import "strings"

// Difference is an entry that only one of two trees has, or a file whose size differs.
type Difference struct {
	Entry
	Dir string // its folder, in wire form
	How How
}

// How two trees differ in an entry.
type How uint8

// The ways of Difference.
const (
	Added How = iota
	Removed
	Resized
)

// Compare returns the differences between a tree and a later one, folder by folder. A folder
// that only one tree has is one difference. Compare stops after limit differences and reports
// that; the rest is then unknown.
func Compare(from, to *Tree, limit int) (out []Difference, all bool) {
	c := comparison{from: from, to: to, limit: limit}
	c.folder(0, 0, "")
	return c.out, len(c.out) < limit
}

type comparison struct {
	from, to *Tree
	limit    int
	out      []Difference
}

func (c *comparison) add(dir string, e Entry, how How) {
	if len(c.out) < c.limit {
		c.out = append(c.out, Difference{Entry: e, Dir: dir, How: how})
	}
}

// folder compares two folders with one path.
func (c *comparison) folder(a, b uint32, path string) {
	from, to := c.from, c.to
	fa, fb := &from.folders[a], &to.folders[b]
	name := func(s string) string { return join(path, EncodePath(s)) }
	i, j := fa.firstFile, fb.firstFile
	for i < fa.firstFile+fa.files || j < fb.firstFile+fb.files {
		order := 0
		switch {
		case i == fa.firstFile+fa.files:
			order = 1
		case j == fb.firstFile+fb.files:
			order = -1
		default:
			order = strings.Compare(from.text(from.files[i].name), to.text(to.files[j].name))
		}
		switch {
		case order < 0:
			c.add(path, from.fileEntry(i, name(from.text(from.files[i].name))), Removed)
			i++
		case order > 0:
			c.add(path, to.fileEntry(j, name(to.text(to.files[j].name))), Added)
			j++
		default:
			if from.files[i].size != to.files[j].size {
				c.add(path, to.fileEntry(j, name(to.text(to.files[j].name))), Resized)
			}
			i, j = i+1, j+1
		}
	}
	i, j = fa.firstFolder, fb.firstFolder
	for (i < fa.firstFolder+fa.folders || j < fb.firstFolder+fb.folders) && len(c.out) < c.limit {
		order := 0
		switch {
		case i == fa.firstFolder+fa.folders:
			order = 1
		case j == fb.firstFolder+fb.folders:
			order = -1
		default:
			order = strings.Compare(from.text(from.folders[i].name), to.text(to.folders[j].name))
		}
		switch {
		case order < 0:
			c.add(path, from.folderEntry(i, name(from.text(from.folders[i].name))), Removed)
			i++
		case order > 0:
			c.add(path, to.folderEntry(j, name(to.text(to.folders[j].name))), Added)
			j++
		default:
			c.folder(i, j, name(to.text(to.folders[j].name)))
			i, j = i+1, j+1
		}
	}
}

// FolderPaths returns the paths of all folders in raw bytes, the root "" first, each after its
// parent.
func (t *Tree) FolderPaths() []string {
	out := make([]string, len(t.folders))
	for i := 1; i < len(t.folders); i++ {
		f := &t.folders[i]
		out[i] = join(out[f.up], t.text(f.name))
	}
	return out
}
