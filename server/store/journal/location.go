package journal

import (
	"fmt"
	"os"

	"agentdungeon/server/store/lock"
)

// location identifies the place of an open journal: the realm's folder, and the files as they were opened. Commits
// are written to those files even after they were renamed. A nil location passes every check.
type location struct {
	folder *lock.Folder
	files  map[string]os.FileInfo // the opened files by path; the map is never changed
}

// locate records the location of a journal that has just been opened.
func locate(folder *lock.Folder, path string) (*location, error) {
	p := &location{folder: folder, files: map[string]os.FileInfo{}}
	for _, path := range []string{path, path + "-wal"} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("find the journal's files: %w", err)
		}
		p.files[path] = info
	}
	return p, nil
}

// check returns world.ErrMoved (wrapped) if a commit would go into files that were deleted or replaced. It makes two
// system calls, which take a few microseconds.
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
