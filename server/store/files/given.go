package files

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agentdungeon/server/store/disk"
)

// Files that people write for a server: process templates and teams.
const (
	templatesFolder = "templates"
	teamsFolder     = "teams"
	// maxGiven is the number of files of a folder that are read.
	maxGiven = 256
	// MaxTemplateBytes and MaxTeamBytes limit such a file, in bytes.
	MaxTemplateBytes = 1 << 20
	MaxTeamBytes     = 256 << 10
	// A file that changed less than this before it was read is read again, because another change may
	// get the same time from the file system's clock.
	givenSettles = 2 * time.Second
)

// GivenFile is templates/<Name> or teams/<Name> with its bytes, which this package does not interpret. If
// it could not be read, Err says why and Bytes is nil.
type GivenFile struct {
	Name    string
	Bytes   []byte
	ModTime time.Time
	Err     error
}

// givenCache keeps the files of a folder as they were last read: at most maxGiven.
type givenCache struct {
	sync.Mutex
	files map[string]cachedFile
}

type cachedFile struct {
	file   GivenFile
	size   int64
	readAt time.Time
}

// TemplateFiles reads templates/*.json, sorted by name. It reads unchanged files from a cache, so callers may
// call it whenever they need a template: that is the hot reload. Callers must not change the bytes. The
// error concerns the folder; a missing folder has no files.
func (s *Worlds) TemplateFiles() ([]GivenFile, error) {
	return s.templates.read(disk.At(s.root.FS, s.root.Path(templatesFolder)), templatesFolder, MaxTemplateBytes)
}

// TeamFiles reads teams/*.json as TemplateFiles reads templates.
func (s *Worlds) TeamFiles() ([]GivenFile, error) {
	return s.teams.read(disk.At(s.root.FS, s.root.Path(teamsFolder)), teamsFolder, MaxTeamBytes)
}

func (c *givenCache) read(in disk.Folder, what string, most int64) ([]GivenFile, error) {
	c.Lock()
	defer c.Unlock()
	entries, err := in.List()
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, err)
	}
	files := make(map[string]cachedFile)
	var out []GivenFile
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(out) == maxGiven {
			return out, fmt.Errorf("there are more than %d %s; those from %s on are not read", maxGiven, what, name)
		}
		t := readGiven(in, name, most, c.files[name])
		files[name] = t
		out = append(out, t.file)
	}
	c.files = files
	return out, nil
}

func readGiven(in disk.Folder, name string, most int64, old cachedFile) cachedFile {
	info, err := in.FS.Stat(in.Path(name)) // follows links, which a person made
	if err != nil {
		return cachedFile{file: GivenFile{Name: name, Err: fmt.Errorf("look for %s: %w", name, err)}}
	}
	settled := old.readAt.Sub(info.ModTime()) > givenSettles
	if settled && old.file.Err == nil && old.file.ModTime.Equal(info.ModTime()) && old.size == info.Size() {
		return old
	}
	readAt := time.Now()
	data, err := in.Read(name, most)
	return cachedFile{GivenFile{name, data, info.ModTime(), err}, info.Size(), readAt}
}
