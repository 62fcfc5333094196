package files

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agentdungeon/server/store/disk"
)

// Folders of the worlds folder with files that people write: process templates and teams.
const (
	templatesFolder = "templates"
	teamsFolder     = "teams"
	// maxOffers is the maximum number of files that are read from one folder.
	maxOffers = 256
	// Maximum sizes of a file, in bytes.
	maxTemplateBytes = 1 << 20
	maxTeamBytes     = 256 << 10
	// A file that changed less than changeTime before it was read is read again, because another change may
	// get the same time from the file system's clock.
	changeTime = 2 * time.Second
)

// OfferFile is templates/<Name> or teams/<Name> with its bytes, which this package does not interpret. If
// it could not be read, Err has the reason and Bytes is nil.
type OfferFile struct {
	Name    string
	Bytes   []byte
	ModTime time.Time
	Err     error
}

// offers caches the files of one folder as they were last read, at most maxOffers files.
type offers struct {
	sync.Mutex
	files map[string]cachedFile
}

type cachedFile struct {
	file   OfferFile
	size   int64
	readAt time.Time
}

// TemplateFiles reads templates/*.json, sorted by name. It reads unchanged files from a cache, so callers may
// call it whenever they need a template. Callers must not change the bytes. The error concerns the folder; a
// missing folder has no files.
func (s *Worlds) TemplateFiles() ([]OfferFile, error) {
	return s.templates.read(disk.At(s.root.FS, s.root.Path(templatesFolder)), templatesFolder, maxTemplateBytes)
}

// TeamFiles reads teams/*.json as TemplateFiles reads templates.
func (s *Worlds) TeamFiles() ([]OfferFile, error) {
	return s.teams.read(disk.At(s.root.FS, s.root.Path(teamsFolder)), teamsFolder, maxTeamBytes)
}

func (c *offers) read(in disk.Folder, what string, limit int64) ([]OfferFile, error) {
	c.Lock()
	defer c.Unlock()
	entries, err := in.List()
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, err)
	}
	files := make(map[string]cachedFile)
	var out []OfferFile
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(out) == maxOffers {
			return out, fmt.Errorf("there are more than %d %s; those from %s on are not read", maxOffers, what, name)
		}
		files[name] = readOffer(in, name, limit, c.files[name])
		out = append(out, files[name].file)
	}
	c.files = files
	return out, nil
}

func readOffer(in disk.Folder, name string, limit int64, old cachedFile) cachedFile {
	info, err := in.FS.Stat(in.Path(name)) // follows links, which a person made
	if err != nil {
		return cachedFile{file: OfferFile{Name: name, Err: fmt.Errorf("look for %s: %w", name, err)}}
	}
	unchanging := old.readAt.Sub(info.ModTime()) > changeTime
	if unchanging && old.file.Err == nil && old.file.ModTime.Equal(info.ModTime()) && old.size == info.Size() {
		return old
	}
	readAt := time.Now()
	data, err := in.Read(name, limit)
	return cachedFile{OfferFile{name, data, info.ModTime(), err}, info.Size(), readAt}
}
