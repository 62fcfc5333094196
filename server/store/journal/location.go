package journal

import (
	"fmt"
	"os"

	"agentdungeon/server/store/lock"
)

// location is where an open journal lies: the realm's folder, and the files as they were opened.
// What is committed goes into those, wherever their names lead to. A nil location is in order.
type location struct {
	folder *lock.Folder
	files  map[string]os.FileInfo // by path; never changed
}

// locate notes where a journal lies that has just been opened.
func locate(folder *lock.Folder, path string) (*location, error) {
	p := &location{folder: folder, files: map[string]os.FileInfo{}}
	for _, path := range []string{path, path + "-wal"} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("look where the journal lies: %w", err)
		}
		p.files[path] = info
	}
	return p, nil
}

// check gives world.ErrMoved (wrapped) where what is committed now would be lost: it costs two
// questions to the kernel, a few microseconds.
func (p *location) check() error {
	if p == nil {
		return nil
	}
	for path, opened := range p.files {
		if err := lock.SamePlace(path, opened); err != nil {
			return err
		}
	}
	return nil
}

func (p *location) release() error {
	if p == nil {
		return nil
	}
	return p.folder.Release()
}

// Hold notes where the journal lies: from now on it is noticed when it is moved, and the folder
// is let go of when the journal is closed.
func (j *Journal) Hold(folder *lock.Folder) (err error) {
	j.db.location, err = locate(folder, j.db.path)
	return err
}
