package dungeon

import "strings"

// Difference is an entry that only one of two trees has, or a file whose size differs.
type Difference struct {
	Entry
	Dir string // path of the entry's folder, in wire form
	How How
}

// How says in which way two trees differ at one entry.
type How uint8

// Values of How.
const (
	Added How = iota
	Removed
	Resized
)

// Compare returns the differences between an older tree (the parameter from) and a newer one (to), folder by folder.
// A folder that only one tree has is one difference. Compare stops after limit differences. The result all reports
// whether out has all differences, that is fewer than limit.
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

// folder compares folder a of the older tree with folder b of the newer one. Both have the same path.
func (c *comparison) folder(a, b uint32, path string) {
	from, to := c.from, c.to
	fa, fb := &from.folders[a], &to.folders[b]
	fileOf := func(t *Tree, i uint32) Entry { return t.fileEntry(i, join(path, EncodePath(t.fileName(i)))) }
	folderOf := func(t *Tree, i uint32) Entry { return t.folderEntry(i, join(path, EncodePath(t.folderName(i)))) }
	files := [2]run{{fa.firstFile, fa.files}, {fb.firstFile, fb.files}}
	c.merge(files, (*Tree).fileName, func(i, j uint32, how How) {
		switch {
		case how == Removed:
			c.add(path, fileOf(from, i), Removed)
		case how == Added || from.files[i].size != to.files[j].size:
			c.add(path, fileOf(to, j), how)
		}
	})
	folders := [2]run{{fa.firstFolder, fa.folders}, {fb.firstFolder, fb.folders}}
	c.merge(folders, (*Tree).folderName, func(i, j uint32, how How) {
		switch how {
		case Removed:
			c.add(path, folderOf(from, i), Removed)
		case Added:
			c.add(path, folderOf(to, j), Added)
		default:
			c.folder(i, j, join(path, EncodePath(to.folderName(j))))
		}
	})
}

// run is a sequence of n files or folders of a tree, sorted by name.
type run struct{ first, n uint32 }

// merge walks over two sorted sequences of entries: runs[0] of the older tree and runs[1] of the newer one. It calls
// the function each for every name until the limit is reached. The argument how is Removed for a name that only
// runs[0] has, Added for one that only runs[1] has, and Resized for a name in both.
func (c *comparison) merge(runs [2]run, name func(*Tree, uint32) string, each func(i, j uint32, how How)) {
	a, b := runs[0], runs[1]
	i, j := a.first, b.first
	for (i < a.first+a.n || j < b.first+b.n) && len(c.out) < c.limit {
		order := 0
		switch {
		case i == a.first+a.n:
			order = 1
		case j == b.first+b.n:
			order = -1
		default:
			order = strings.Compare(name(c.from, i), name(c.to, j))
		}
		switch {
		case order < 0:
			each(i, j, Removed)
			i++
		case order > 0:
			each(i, j, Added)
			j++
		default:
			each(i, j, Resized)
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
		out[i] = join(out[f.up], t.folderName(uint32(i)))
	}
	return out
}
