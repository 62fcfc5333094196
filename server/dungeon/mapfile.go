package dungeon

import (
	"encoding/json"
	"fmt"

	"agentdungeon/shared/world"
)

// MaxMapBytes is the maximum size of map.json: enough for a million files with names of ordinary
// length.
const MaxMapBytes = 128 << 20

// mapSchema is the version of mapFile.
const mapSchema = 1

// mapFile is the content of map.json: the folders, each after its parent. Names are in wire form (EncodePath),
// without a path. Kinds are not stored, because they follow from the names.
type mapFile struct {
	Schema    int         `json:"schema"`
	ScannedAt world.Time  `json:"scannedAt,omitzero"` // absent in files of older versions
	Folders   []mapFolder `json:"folders"`
}

type mapFolder struct {
	Name  string   `json:"name"`
	In    int      `json:"in,omitempty"` // index of the parent in the list
	Files []string `json:"files,omitempty"`
	Sizes []int64  `json:"sizes,omitempty"`
	Links []int    `json:"links,omitempty"` // the indexes in Files of the entries that are links, in ascending order
}

// Encode returns t in the form of map.json. scannedAt is the time at which the scan of the tree began. The server
// shows the map from map.json until it has scanned the linked folder, and while the folder is missing. If the result
// exceeds MaxMapBytes, Encode leaves out all files. If it is still too large, Encode leaves out all folders but the
// root, too.
func Encode(t *Tree, scannedAt world.Time) []byte {
	m := mapFile{Schema: mapSchema, ScannedAt: scannedAt, Folders: make([]mapFolder, len(t.folders))}
	for i := range t.folders {
		f := &t.folders[i]
		d := &m.Folders[i]
		d.Name, d.In = EncodePath(t.text(f.name)), int(f.up)
		if f.files == 0 {
			continue
		}
		d.Files, d.Sizes = make([]string, f.files), make([]int64, f.files)
		for k := range d.Files {
			n := &t.files[f.firstFile+uint32(k)]
			d.Files[k], d.Sizes[k] = EncodePath(t.text(n.name)), n.size
			if n.kind == KindLink {
				d.Links = append(d.Links, k)
			}
		}
	}
	return m.encode(MaxMapBytes)
}

func (m *mapFile) encode(limit int) []byte {
	data := marshal(m)
	if len(data) > limit {
		for i := range m.Folders {
			d := &m.Folders[i]
			d.Files, d.Sizes, d.Links = nil, nil, nil
		}
		data = marshal(m)
	}
	if len(data) > limit {
		m.Folders = m.Folders[:1]
		data = marshal(m)
	}
	return data
}

func marshal(m *mapFile) []byte {
	data, err := json.Marshal(m)
	if err != nil { // never happens: strings and integers can always be encoded
		panic("dungeon: encode map: " + err.Error())
	}
	return data
}

// Decode decodes map.json. scannedAt is 0 if an older version wrote it. After an error the next scan
// writes a new map.json.
func Decode(data []byte) (t *Tree, scannedAt world.Time, err error) {
	if len(data) > MaxMapBytes {
		return nil, 0, fmt.Errorf("decode map: map.json has %d bytes, at most %d are allowed", len(data), MaxMapBytes)
	}
	var m mapFile
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, 0, fmt.Errorf("decode map: %w", err)
	}
	if t, err = m.tree(); err != nil {
		return nil, 0, fmt.Errorf("decode map: %w", err)
	}
	return t, m.ScannedAt, nil
}

func (m *mapFile) tree() (*Tree, error) {
	switch {
	case m.Schema > mapSchema:
		return nil, fmt.Errorf("schema %d is newer than the schema %d of this program", m.Schema, mapSchema)
	case m.Schema < 1:
		return nil, fmt.Errorf("schema %d is not positive", m.Schema)
	case len(m.Folders) == 0:
		return nil, fmt.Errorf("map.json lists no folder")
	}
	root, ok := unescape(m.Folders[0].Name)
	if !ok {
		return nil, fmt.Errorf("the name of the root folder is not in the form that EncodePath returns")
	}
	b := NewBuilder(root)
	ids := make([]FolderID, len(m.Folders))
	for i := range m.Folders {
		d := &m.Folders[i]
		if i > 0 {
			if d.In < 0 || d.In >= i {
				return nil, fmt.Errorf("folder %d has the parent %d, which is not before it", i, d.In)
			}
			name, ok := unescape(d.Name)
			if !ok {
				return nil, fmt.Errorf("the name of folder %d is not in the form that EncodePath returns", i)
			}
			ids[i] = b.Folder(ids[d.In], name)
		}
		if err := d.addFiles(b, ids[i]); err != nil {
			return nil, fmt.Errorf("folder %d: %w", i, err)
		}
		if b.err != nil {
			return nil, b.err
		}
	}
	return b.Build()
}

func (d *mapFolder) addFiles(b *Builder, in FolderID) error {
	if len(d.Files) != len(d.Sizes) {
		return fmt.Errorf("map.json lists %d files but %d sizes", len(d.Files), len(d.Sizes))
	}
	links := d.Links
	for k, name := range d.Files {
		raw, ok := unescape(name)
		if !ok {
			return fmt.Errorf("the name of file %d is not in the form that EncodePath returns", k)
		}
		link := len(links) > 0 && links[0] == k
		if link {
			links = links[1:]
		}
		b.File(in, raw, d.Sizes[k], link)
	}
	if len(links) > 0 {
		return fmt.Errorf("the link index %d is not the index of a file, or not greater than the index before it",
			links[0])
	}
	return nil
}
