package dungeon

import (
	"math"
	"sort"
	"strings"

	"agentdungeon/shared/world"
)

// Limits of a tree. Build returns an error for a tree that exceeds a limit; a scan leaves out the excess and logs it.
const (
	MaxName  = 1 << 12       // raw bytes of one name; file systems allow 255 or 1,020
	MaxDepth = 255           // levels of nested folders
	MaxSize  = 1<<53 - 1     // bytes of one file, or of many together; JSON numbers are exact up to this value
	maxItems = 1<<31 - 1     // maximum number of files, and of folders
	maxNames = math.MaxInt32 // bytes of all names together
)

// Tree is an immutable folder tree, the result of a scan. It is safe for concurrent use. Besides the names it takes
// 24 bytes for a file and 48 for a folder.
//
// Folders are stored breadth first. The children of a folder are adjacent and sorted by the bytes of
// their names; so are the files of each folder.
type Tree struct {
	names   string   // all names
	folders []folder // the root is the first
	files   []file
}

// span is the position of a name in Tree.names.
type span struct {
	off uint32
	len uint16
}

type folder struct {
	bytes       int64 // size of all files below, at most MaxSize
	up          uint32
	firstFolder uint32
	folders     uint32 // number of direct sub-folders
	firstFile   uint32
	files       uint32 // number of files directly in the folder
	allFolders  uint32 // number of folders below, on all levels
	allFiles    uint32
	name        span
	depth       uint8
}

type file struct {
	size     int64
	name     span
	kind     Kind
	language language
}

// Entry is a file or a folder of a tree.
type Entry struct {
	Path    string // path in wire form
	Name    string // name for people
	Folder  bool
	Kind    Kind  // kind of a file
	Size    int64 // size of a file, or of all files below a folder
	Files   int   // number of files below a folder, on all levels
	Folders int   // number of folders below a folder, on all levels
}

// Files returns the number of files on all levels.
func (t *Tree) Files() int { return int(t.folders[0].allFiles) }

// Folders returns the number of folders below the root on all levels.
func (t *Tree) Folders() int { return int(t.folders[0].allFolders) }

// Bytes returns the total size of all files, at most MaxSize.
func (t *Tree) Bytes() int64 { return t.folders[0].bytes }

// Name returns the root's name.
func (t *Tree) Name() string { return display(t.folderName(0)) }

// Map returns the summary of the tree for a world.
func (t *Tree) Map(generation int64, source string, scannedAt world.Time) world.Map {
	return world.Map{
		Generation: generation, Files: t.Files(), Folders: t.Folders(), Bytes: t.Bytes(),
		Source: source, ScannedAt: scannedAt,
	}
}

// Lookup returns the file or folder at a path in wire form (EncodePath). ok is false for an invalid path.
func (t *Tree) Lookup(path string) (Entry, bool) {
	raw, err := DecodePath(path)
	if err != nil {
		return Entry{}, false
	}
	if i, ok := t.folderAt(raw); ok {
		return t.folderEntry(i, path), true
	}
	dir, name := splitLast(raw)
	i, ok := t.folderAt(dir)
	if !ok {
		return Entry{}, false
	}
	j, ok := t.fileIn(i, name)
	if !ok {
		return Entry{}, false
	}
	return t.fileEntry(j, path), true
}

// All yields the root and then every file and folder, folder by folder.
func (t *Tree) All(yield func(Entry) bool) {
	if !yield(t.folderEntry(0, "")) {
		return
	}
	for i := range t.folders {
		base := EncodePath(t.path(uint32(i)))
		f := &t.folders[i]
		for j := f.firstFile; j < f.firstFile+f.files; j++ {
			if !yield(t.fileEntry(j, join(base, EncodePath(t.fileName(j))))) {
				return
			}
		}
		for j := f.firstFolder; j < f.firstFolder+f.folders; j++ {
			if !yield(t.folderEntry(j, join(base, EncodePath(t.folderName(j))))) {
				return
			}
		}
	}
}

func (t *Tree) folderEntry(i uint32, path string) Entry {
	f := &t.folders[i]
	return Entry{
		Path: path, Name: display(t.text(f.name)), Folder: true,
		Size: f.bytes, Files: int(f.allFiles), Folders: int(f.allFolders),
	}
}

func (t *Tree) fileEntry(j uint32, path string) Entry {
	f := &t.files[j]
	return Entry{Path: path, Name: display(t.text(f.name)), Kind: f.kind, Size: f.size}
}

func (t *Tree) text(s span) string { return t.names[s.off : s.off+uint32(s.len)] }

// fileName and folderName return raw names.
func (t *Tree) fileName(i uint32) string   { return t.text(t.files[i].name) }
func (t *Tree) folderName(i uint32) string { return t.text(t.folders[i].name) }

// path returns a folder's path in raw bytes.
func (t *Tree) path(i uint32) string {
	var names []string
	for ; i != 0; i = t.folders[i].up {
		names = append(names, t.folderName(i))
	}
	var b strings.Builder
	for j := len(names) - 1; j >= 0; j-- {
		b.WriteString(names[j])
		if j > 0 {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// folderAt finds a folder by its raw path.
func (t *Tree) folderAt(raw string) (uint32, bool) {
	i := uint32(0)
	if raw == "" {
		return i, true
	}
	for name := range strings.SplitSeq(raw, "/") {
		f := &t.folders[i]
		j, ok := search(f.firstFolder, f.folders, name, t.folderName)
		if !ok {
			return 0, false
		}
		i = j
	}
	return i, true
}

func (t *Tree) fileIn(i uint32, name string) (uint32, bool) {
	f := &t.folders[i]
	return search(f.firstFile, f.files, name, t.fileName)
}

// search looks for name among n sorted names with the indexes first, first+1 and so on. It returns the index of name
// and whether it was found. The function at returns the name at an index.
func search(first, n uint32, name string, at func(uint32) string) (uint32, bool) {
	i, found := sort.Find(int(n), func(i int) int { return strings.Compare(name, at(first+uint32(i))) })
	return first + uint32(i), found
}

func join(base, name string) string {
	if base == "" {
		return name
	}
	return base + "/" + name
}

func splitLast(raw string) (dir, name string) {
	if i := strings.LastIndexByte(raw, '/'); i >= 0 {
		return raw[:i], raw[i+1:]
	}
	return "", raw
}
