package dungeon

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"agentdungeon/shared/wire"
)

// Limits of one page of a room. A folder with more files or sub-folders has several pages (B30).
const (
	PageFiles = 400
	PageDoors = 64
)

// Room returns a page of the room of a folder. Every file, link and sub-folder is on exactly one
// page; files are sorted by kind, language and name. Each page of a room below the root has the door to the
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
			return wire.MapChange{}, wire.Errorf(wire.NotFound, "this is a file; use the folder in which it lies")
		}
		return wire.MapChange{},
			wire.Errorf(wire.NotFound, "there is no such folder on the map; it may have been moved or is ignored")
	}
	f := &t.folders[i]
	pages := max(ceil(int(f.files), PageFiles), ceil(int(f.folders), PageDoors), 1)
	if page < 0 || page >= pages {
		return wire.MapChange{}, wire.Errorf(wire.BadField, "page must be 0 to %d in this room", pages-1)
	}
	return wire.MapChange{Path: path, Room: s.room(i, raw, path, page), Page: page, Pages: pages}, nil
}

func (s *Survey) room(i uint32, raw, path string, page int) wire.Room {
	t := s.Tree
	groups := t.pageGroups(i, page)
	f := &t.folders[i]
	firstDoor := min(page*PageDoors, int(f.folders))
	doors := min(int(f.folders)-firstDoor, PageDoors)
	p := newPlan(groups, doors)
	seed := fnv1a(raw)

	room := wire.Room{
		Path: path, Width: p.width, Height: p.height,
		Objects: []wire.Object{}, Doors: make([]wire.Door, 0, doors+1),
		Walls: p.walls(), Parts: p.areas(), Gone: s.goneFrom(path),
	}
	for n := range p.parts {
		part := &p.parts[n]
		for k, j := range part.files {
			pt := part.shelf(k)
			o := wire.Object{
				ID: id('f', join(raw, part.names[k])), Kind: part.kind.String(), Name: display(part.names[k]),
				Language: languages[t.files[j].language],
				Path:     join(path, EncodePath(part.names[k])), X: pt.x, Y: pt.y, Size: t.files[j].size,
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
	names := make([]string, 0, doors)
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
	return room
}

// mark sets the fields of a file's object that describe its recent changes and its git history (P10.5).
func (s *Survey) mark(o *wire.Object) {
	m := s.Marks[o.Path]
	o.Changed, o.What, o.Past = m.Changed, m.What, s.Past.File(o.Path)
	if s.Head.Source == "git" && o.Kind != KindLink.String() {
		committed := !m.Uncommitted
		o.Committed = &committed
	}
}

// group has files of one page that stand together in the room, sorted by name. language is the language of all of them,
// "" if there is none.
type group struct {
	kind     Kind
	language string
	files    []uint32
	names    []string
}

// pageGroups returns the files of a page. The pages of a folder are sorted by kind, language and name.
func (t *Tree) pageGroups(i uint32, page int) []group {
	f := &t.folders[i]
	all := t.files[f.firstFile : f.firstFile+f.files]
	var of [kinds][len(languages)][]uint32
	var counts [kinds][len(languages)]int
	for j := range all {
		counts[all[j].kind][all[j].language]++
	}
	from, to, at := page*PageFiles, (page+1)*PageFiles, 0
	// first has, by kind and language, the index of the first such file among all files of the folder.
	var first [kinds][len(languages)]int
	for k := range counts {
		for l := range languages {
			l = (l + 1) % len(languages) // index 0, files of no known language, comes last
			first[k][l] = at
			at += counts[k][l]
		}
	}
	for j := range all {
		next := &first[all[j].kind][all[j].language]
		if *next >= from && *next < to {
			own := &of[all[j].kind][all[j].language]
			*own = append(*own, f.firstFile+uint32(j))
		}
		*next++
	}
	var out []group
	for k := range of {
		var mixed []uint32
		for l, files := range of[k] {
			if l != 0 && len(files) >= ownRows {
				out = append(out, t.group(Kind(k), files))
			} else {
				mixed = append(mixed, files...)
			}
		}
		if len(mixed) > 0 {
			out = append(out, t.group(Kind(k), mixed))
		}
	}
	return out
}

// group returns the group of files of a kind.
func (t *Tree) group(kind Kind, files []uint32) group {
	slices.Sort(files) // the numbers of files are in the order of their names
	g := group{kind: kind, files: files, names: make([]string, len(files))}
	same := t.files[files[0]].language
	for n, j := range files {
		g.names[n] = t.fileName(j)
		if t.files[j].language != same {
			same = 0
		}
	}
	g.language = languages[same]
	return g
}

// id returns the id of an object ('f'), a door to a sub-folder ('d') or the door to the parent ('b').
// It contains a hash of the whole raw path, so that a/b.ts and a_b.ts have different ids (B30).
func id(what byte, raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return string(what) + "-" + base64.RawURLEncoding.EncodeToString(sum[:])
}
