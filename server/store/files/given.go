package files

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agentdungeon/server/store/disk"
)

// Files that people give a server: process templates and teams.
const (
	templatesFolder = "templates"
	teamsFolder     = "teams"
	// maxGiven is how many files of a folder are read.
	maxGiven = 256
	// MaxTemplateBytes and MaxTeamBytes are what such a file may hold.
	MaxTemplateBytes = 1 << 20
	MaxTeamBytes     = 256 << 10
	// A file changed this short before it was read may change again within the same
	// tick of the file system's clock, so it is read again.
	givenSettles = 2 * time.Second
)

// GivenFile is templates/<Name> or teams/<Name> as it lies on disk; what it holds is for
// others to say. Err is why it could not be read, and then Bytes is nil.
type GivenFile struct {
	Name    string
	Bytes   []byte
	ModTime time.Time
	Err     error
}

// givenCache keeps the files of a folder as they were read last: at most maxGiven.
type givenCache struct {
	sync.Mutex
	files map[string]cachedFile
}

type cachedFile struct {
	file   GivenFile
	size   int64
	readAt time.Time
}

// TemplateFiles reads templates/*.json, by name. Files that have not changed are
// not read again, so it may be asked whenever a template is wanted: that is the
// hot reload. Bytes are shared, not to be changed. The error is the folder's; one
// that is not there has no files.
func (s *Worlds) TemplateFiles() ([]GivenFile, error) {
	return s.templates.read(disk.At(s.root.FS, s.root.Path(templatesFolder)), templatesFolder, MaxTemplateBytes)
}

// TeamFiles reads teams/*.json in the same way.
func (s *Worlds) TeamFiles() ([]GivenFile, error) {
	return s.teams.read(disk.At(s.root.FS, s.root.Path(teamsFolder)), teamsFolder, MaxTeamBytes)
}

func (c *givenCache) read(in disk.Folder, what string, most int64) ([]GivenFile, error) {
	c.Lock()
	defer c.Unlock()
	entries, err := in.List()
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", what, err)
	}
	files := make(map[string]cachedFile)
	var out []GivenFile
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(out) == maxGiven {
			return out, fmt.Errorf("there are more than %d %s; the rest, from %s on, is not read", maxGiven, what, name)
		}
		t := readGiven(in, name, most, c.files[name])
		files[name] = t
		out = append(out, t.file)
	}
	c.files = files
	return out, nil
}

func readGiven(in disk.Folder, name string, most int64, old cachedFile) cachedFile {
	info, err := in.FS.Stat(in.Path(name)) // follows links: they are a person's own
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
