package dungeon

import (
	"fmt"
	"slices"
	"strings"
)

// FolderID identifies a folder within one Builder.
type FolderID uint32

// Root is the folder that every Builder begins with.
const Root FolderID = 0

// Builder collects files and folders in any order and builds a Tree. It is not safe for
// concurrent use.
type Builder struct {
	// DropEmpty drops folders without a file below them, which git does not track.
	DropEmpty bool

	names   strings.Builder
	folders []newFolder
	files   []newFile
	err     error
}

type newFolder struct {
	up    FolderID
	name  span
	depth uint8
}

type newFile struct {
	size int64
	in   FolderID
	name span
	link bool
}

// NewBuilder returns a Builder of a tree whose root has that name.
func NewBuilder(name string) *Builder {
	b := &Builder{}
	b.folders = []newFolder{{name: b.keep(name[:min(len(name), MaxName)])}}
	return b
}

// Folder adds a folder. Build returns an error if the name is invalid or the nesting too deep.
func (b *Builder) Folder(in FolderID, name string) FolderID {
	switch depth := b.folders[in].depth; {
	case !validName(name):
		b.fail("%q cannot be a folder's name", name)
	case depth == MaxDepth:
		b.fail("folder %q is more than %d levels deep", name, MaxDepth)
	case len(b.folders) == maxItems:
		b.fail("there are more than %d folders", maxItems)
	default:
		b.folders = append(b.folders, newFolder{up: in, name: b.keep(name), depth: depth + 1})
	}
	return FolderID(len(b.folders) - 1)
}

// File adds a file or a link. It clamps the size to 0..MaxSize. Build returns an error if the name
// is invalid.
func (b *Builder) File(in FolderID, name string, size int64, link bool) {
	switch {
	case !validName(name):
		b.fail("%q cannot be a file's name", name)
	case len(b.files) == maxItems:
		b.fail("there are more than %d files", maxItems)
	default:
		b.files = append(b.files, newFile{size: min(max(size, 0), MaxSize), in: in, name: b.keep(name), link: link})
	}
}

// Build returns the tree. Two entries with one name in a folder are an error. The Builder must
// not be used afterwards.
func (b *Builder) Build() (*Tree, error) {
	if b.err != nil {
		return nil, b.err
	}
	t := &Tree{names: strings.Clone(b.names.String())} // a copy, because the string of the builder has spare capacity
	text := func(s span) string { return t.text(s) }

	filesOf := groupBy(len(b.folders), len(b.files), func(i int) FolderID { return b.files[i].in })
	foldersOf := groupBy(len(b.folders), len(b.folders)-1, func(i int) FolderID { return b.folders[i+1].up })
	keep := b.kept()

	t.files = make([]file, 0, len(b.files))
	t.folders = make([]folder, 0, len(b.folders))
	t.folders = append(t.folders, folder{name: b.folders[Root].name})
	ids := make([]FolderID, 1, len(b.folders)) // the FolderIDs of t.folders, in the same order
	purposes := make([]purpose, 1, len(b.folders))
	for i := 0; i < len(t.folders); i++ {
		own := filesOf.of(ids[i])
		slices.SortFunc(own, func(x, y int32) int { return strings.Compare(text(b.files[x].name), text(b.files[y].name)) })
		below := foldersOf.of(ids[i])
		slices.SortFunc(below, func(x, y int32) int {
			return strings.Compare(text(b.folders[x+1].name), text(b.folders[y+1].name))
		})
		f := &t.folders[i]
		f.firstFile, f.files = uint32(len(t.files)), uint32(len(own))
		for _, j := range own {
			n := &b.files[j]
			name := text(n.name)
			t.files = append(t.files, file{
				size: n.size, name: n.name, kind: kindOf(name, purposes[i], n.link), language: languageOf(name),
			})
		}
		f.firstFolder = uint32(len(t.folders))
		for _, j := range below {
			if n := &b.folders[j+1]; keep[j+1] {
				f.folders++
				ids = append(ids, FolderID(j+1))
				purposes = append(purposes, purposes[i].in(text(n.name)))
				t.folders = append(t.folders, folder{up: uint32(i), name: n.name, depth: n.depth})
				f = &t.folders[i] // taken again, because append may have moved the slice
			}
		}
		if err := t.checkTwice(uint32(i)); err != nil {
			return nil, err
		}
	}
	t.count()
	return t, nil
}

func (b *Builder) keep(name string) span {
	if b.names.Len()+len(name) > maxNames {
		b.fail("all names together have more than %d bytes", maxNames)
		return span{}
	}
	s := span{off: uint32(b.names.Len()), len: uint16(len(name))}
	b.names.WriteString(name)
	return s
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("build tree: "+format, args...)
	}
}

// kept returns, for each folder of the Builder, whether the tree contains it: with DropEmpty only folders with a file
// below them.
func (b *Builder) kept() []bool {
	keep := make([]bool, len(b.folders))
	if !b.DropEmpty {
		for i := range keep {
			keep[i] = true
		}
		return keep
	}
	for i := range b.files {
		for in := b.files[i].in; !keep[in]; in = b.folders[in].up {
			keep[in] = true // the loop ends at the root, which is its own parent
		}
	}
	return keep
}

// checkTwice returns an error if two entries of a folder have the same name.
func (t *Tree) checkTwice(i uint32) error {
	f := &t.folders[i]
	for j := f.firstFile; j < f.firstFile+f.files; j++ {
		if j > f.firstFile && t.fileName(j) == t.fileName(j-1) {
			return fmt.Errorf("build tree: folder %q has two files with the name %q", t.path(i), t.fileName(j))
		}
	}
	for j := f.firstFolder; j < f.firstFolder+f.folders; j++ {
		name := t.folderName(j)
		if j > f.firstFolder && name == t.folderName(j-1) {
			return fmt.Errorf("build tree: folder %q has two folders with the name %q", t.path(i), name)
		}
		if _, ok := t.fileIn(i, name); ok {
			return fmt.Errorf("build tree: %q is the name of both a file and a folder in folder %q", name, t.path(i))
		}
	}
	return nil
}

// count sets the sums of each folder. It handles the folders from the last to the first: children come after their
// parent, so each folder's sums are complete when count adds them to those of the parent.
func (t *Tree) count() {
	for i := len(t.folders) - 1; i >= 0; i-- {
		f := &t.folders[i]
		for j := f.firstFile; j < f.firstFile+f.files; j++ {
			f.bytes = min(f.bytes+t.files[j].size, MaxSize)
		}
		f.allFiles += f.files
		f.allFolders += f.folders
		if i > 0 {
			up := &t.folders[f.up]
			up.bytes = min(up.bytes+f.bytes, MaxSize)
			up.allFiles += f.allFiles
			up.allFolders += f.allFolders
		}
	}
}

// groups holds the numbers 0..n-1 sorted into buckets. The numbers of bucket b are items[starts[b]:starts[b+1]].
type groups struct {
	starts []int32 // the index in items of the first number of each bucket, and len(items) at the end
	items  []int32
}

// groupBy sorts the numbers 0..n-1 into buckets. The parameter in is a function that returns the bucket of a number.
func groupBy(buckets, n int, in func(int) FolderID) groups {
	g := groups{starts: make([]int32, buckets+1), items: make([]int32, n)}
	for i := range n {
		g.starts[in(i)+1]++
	}
	for i := range buckets {
		g.starts[i+1] += g.starts[i]
	}
	next := slices.Clone(g.starts)
	for i := range n {
		id := in(i)
		g.items[next[id]] = int32(i)
		next[id]++
	}
	return g
}

func (g *groups) of(id FolderID) []int32 { return g.items[g.starts[id]:g.starts[id+1]] }
