package dungeon

import (
	"crypto/sha256"
	"encoding/base64"

	"agentdungeon/shared/wire"
)

// Limits of one page of a room. A folder with more files or sub-folders has several pages (B30).
const (
	PageFiles = 400
	PageDoors = 64
)

// Room returns a page of the room of a folder. Every file, link and sub-folder is on exactly one
// page; files are sorted by kind and name. Each page of a room below the root has the door to the
// parent. The layout depends only on the folder's path and the names in it.
//
// path is in wire form; pages count from 0. Errors are *wire.Error: bad_field or too_large for an
// invalid path, not_found for a path that is not on the map, bad_field for a page beyond the last.
// The caller sets RequestID and Room.Generation.
func Room(s *Survey, path string, page int) (wire.MapChange, error) {
	t := s.Tree
	raw, err := DecodePath(path)
	if err != nil {
		return wire.MapChange{}, err
	}
	i, ok := t.folderAt(raw)
	if !ok {
		if _, found := t.Lookup(path); found {
			return wire.MapChange{}, wire.Errorf(wire.NotFound, "this is a file, not a folder: ask for the folder it lies in")
		}
		return wire.MapChange{},
			wire.Errorf(wire.NotFound, "there is no such folder on the map; it may have been moved or is ignored")
	}
	f := &t.folders[i]
	pages := max(ceil(int(f.files), PageFiles), ceil(int(f.folders), PageDoors), 1)
	if page < 0 || page >= pages {
		return wire.MapChange{}, wire.Errorf(wire.BadField, "page must be 0 to %d here", pages-1)
	}
	return wire.MapChange{Path: path, Room: s.room(i, raw, path, page), Page: page, Pages: pages}, nil
}

func (s *Survey) room(i uint32, raw, path string, page int) wire.Room {
	t := s.Tree
	files, count := t.pageFiles(i, page)
	f := &t.folders[i]
	firstDoor := min(page*PageDoors, int(f.folders))
	doors := min(int(f.folders)-firstDoor, PageDoors)
	p := newPlan(count, doors)
	seed := fnv1a(raw)

	room := wire.Room{
		Path: path, Width: p.width, Height: p.height,
		Objects: make([]wire.Object, 0, len(files)), Doors: make([]wire.Door, 0, doors+1),
		Walls: p.walls(), Gone: s.goneFrom(path),
	}
	names := make([]string, 0, max(len(files), doors))
	for rest := files; len(rest) > 0; {
		kind := t.files[rest[0]].kind
		group := rest[:count[kind]]
		rest = rest[len(group):]
		names = names[:0]
		for _, j := range group {
			names = append(names, t.fileName(j))
		}
		for k, at := range assignPlaces(names, p.rows[kind]*p.places, seed) {
			pt := p.shelf(kind, at)
			o := wire.Object{
				ID: id('f', join(raw, names[k])), Kind: kind.String(), Name: display(names[k]),
				Path: join(path, EncodePath(names[k])), X: pt.x, Y: pt.y, Size: t.files[group[k]].size,
			}
			s.mark(&o)
			room.Objects = append(room.Objects, o)
		}
	}

	if i != 0 {
		up, pt := &t.folders[f.up], p.back()
		dir, _ := splitLast(raw)
		room.Doors = append(room.Doors, wire.Door{
			ID: id('b', raw), Path: EncodePath(dir), Name: display(t.text(up.name)),
			X: pt.x, Y: pt.y, Back: true, Files: int(up.allFiles),
		})
	}
	names = names[:0]
	first := f.firstFolder + uint32(firstDoor)
	for j := range uint32(doors) {
		names = append(names, t.folderName(first+j))
	}
	for k, at := range assignPlaces(names, max(p.doors, 1), seed) {
		pt := p.door(at)
		d := wire.Door{
			ID: id('d', join(raw, names[k])), Path: join(path, EncodePath(names[k])), Name: display(names[k]),
			X: pt.x, Y: pt.y, Files: int(t.folders[first+uint32(k)].allFiles),
		}
		below := s.marksBelow(d.Path)
		d.Changed, d.Uncommitted, d.Past = below.changed, below.uncommitted, s.Past.Folder(d.Path)
		room.Doors = append(room.Doors, d)
	}
	room.Parts = p.parts()
	return room
}

// mark sets in the object of a file the file's changes and git history (P10.5).
func (s *Survey) mark(o *wire.Object) {
	m := s.Marks[o.Path]
	o.Changed, o.What, o.Past = m.Changed, m.What, s.Past.File(o.Path)
	if s.Head.Source == "git" && o.Kind != KindLink.String() {
		committed := !m.Uncommitted
		o.Committed = &committed
	}
}

// pageFiles returns the files of a page, kind by kind, and the number of files of each kind.
func (t *Tree) pageFiles(i uint32, page int) (files []uint32, count [kinds]int) {
	f := &t.folders[i]
	skip := page * PageFiles
	for k := range Kind(kinds) {
		for j := f.firstFile; j < f.firstFile+f.files && len(files) < PageFiles; j++ {
			switch {
			case t.files[j].kind != k:
			case skip > 0:
				skip--
			default:
				files = append(files, j)
				count[k]++
			}
		}
	}
	return files, count
}

// id returns the id of an object ('f'), a door to a sub-folder ('d') or the door to the parent ('b').
// It contains a hash of the whole raw path, so that a/b.ts and a_b.ts have different ids (B30).
func id(what byte, raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return string(what) + "-" + base64.RawURLEncoding.EncodeToString(sum[:])
}
