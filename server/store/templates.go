package store

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	templatesFolder = "templates"
	maxTemplates    = 256
	// MaxTemplateBytes is what a template file may hold.
	MaxTemplateBytes = 1 << 20
	// A file changed this short before it was read may change again within the same
	// tick of the file system's clock, so it is read again.
	templateSettles = 2 * time.Second
)

// TemplateFile is templates/<Name> as it lies on disk; whether it holds a
// template is for others to say. Err is why it could not be read, and then Bytes
// is nil.
type TemplateFile struct {
	Name    string
	Bytes   []byte
	ModTime time.Time
	Err     error
}

// templateCache keeps the files as they were read last: those of the folder, at
// most maxTemplates.
type templateCache struct {
	sync.Mutex
	files map[string]cachedTemplate
}

type cachedTemplate struct {
	file   TemplateFile
	size   int64
	readAt time.Time
}

// TemplateFiles reads templates/*.json, by name. Files that have not changed are
// not read again, so it may be asked whenever a template is wanted: that is the
// hot reload. Bytes are shared, not to be changed. The error is the folder's; one
// that is not there has no files.
func (s *Store) TemplateFiles() ([]TemplateFile, error) {
	c := &s.templates
	c.Lock()
	defer c.Unlock()
	in := folder{s.root.fs, s.root.path(templatesFolder)}
	entries, err := in.list()
	if err != nil {
		return nil, fmt.Errorf("look for templates: %w", err)
	}
	files := make(map[string]cachedTemplate)
	var out []TemplateFile
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(out) == maxTemplates {
			return out, fmt.Errorf("there are more than %d templates; the rest, from %s on, is not read", maxTemplates, name)
		}
		t := readTemplate(in, name, c.files[name])
		files[name] = t
		out = append(out, t.file)
	}
	c.files = files
	return out, nil
}

func readTemplate(in folder, name string, old cachedTemplate) cachedTemplate {
	info, err := in.fs.Stat(in.path(name)) // follows links: they are a person's own
	if err != nil {
		return cachedTemplate{file: TemplateFile{Name: name, Err: fmt.Errorf("look for template: %w", err)}}
	}
	settled := old.readAt.Sub(info.ModTime()) > templateSettles
	if settled && old.file.Err == nil && old.file.ModTime.Equal(info.ModTime()) && old.size == info.Size() {
		return old
	}
	readAt := time.Now()
	data, err := in.read(name, MaxTemplateBytes)
	return cachedTemplate{TemplateFile{name, data, info.ModTime(), err}, info.Size(), readAt}
}
