package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// asideFile matches the name of a file that recovery has set aside, and the time in it.
var asideFile = pattern.New(`\.aside-([0-9]{8}T[0-9]{6}Z)?[0-9-]*`)

// unfinishedName matches the files of a new database whose creation a crash has interrupted.
var unfinishedName = pattern.New(`^realm\.new\.db`)

// Asides returns the paths, below the realm's folder, of the files that were set aside before a time. They may hold
// words that an erasure has to remove, and nobody can remove words from a damaged file. Asides leaves out folders,
// because only another program can have made them.
func (f *Realm) Asides(before world.Time) (names []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err = f.EachAside(func(name string, e fs.FileInfo) {
		if e.Mode().IsRegular() && asideAt(name) < before {
			names = append(names, name)
		}
	})
	return names, err
}

// asideAt returns the time in the name of a file that was set aside, or the present time if the name has none.
func asideAt(name string) world.Time {
	if m := asideFile.FindStringSubmatch(filepath.Base(name)); m != nil {
		if at, err := time.Parse("20060102T150405Z", m[1]); err == nil {
			return world.TimeOf(at)
		}
	}
	return world.TimeOf(time.Now())
}

// EachAside calls the function each for every file and folder that was set aside in the realm's folder and its
// sub-folders.
func (f *Realm) EachAside(each func(name string, e fs.FileInfo)) error {
	entries, err := f.Folder.List()
	if err != nil {
		return fmt.Errorf("list files set aside: %w", err)
	}
	for _, e := range entries {
		if asideFile.MatchString(e.Name()) {
			each(e.Name(), e)
			continue
		}
		if !e.IsDir() {
			continue
		}
		below, err := disk.At(f.Folder.FS, f.Folder.Path(e.Name())).List()
		if err != nil {
			return fmt.Errorf("list files set aside: %w", err)
		}
		for _, b := range below {
			if asideFile.MatchString(b.Name()) {
				each(e.Name()+"/"+b.Name(), b)
			}
		}
	}
	return nil
}

// Forget removes the files of a realm's folder that may hold erased words:
//
//   - state.prev.json if its seq is lower than seq or if it is damaged
//   - findings.json if it has no seq or a seq lower than erasedSeq, the seq of history:erased (the mirror
//     writes this file again)
//   - the remains of interrupted writes
//   - asides, the paths that Asides has returned
//
// The seq of state.json must be at least seq. gone is the number of removed files. left has the paths of the files
// and folders that are still set aside, and of the sessions of an older program that were not imported.
func (f *Realm) Forget(seq, erasedSeq int64, asides []string) (gone int, left []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.boardMu.Lock() // without this lock, forgetLeftOver could remove the temporary file of a write that is under way
	defer f.boardMu.Unlock()
	now, err := f.load(StateFile)
	if err != nil {
		return 0, nil, fmt.Errorf("remove checkpoints during an erasure: %w", err)
	}
	if now.Seq < seq {
		return 0, nil, fmt.Errorf("remove checkpoints during an erasure: %s has seq %d, which is before %d",
			StateFile, now.Seq, seq)
	}
	for _, forget := range []func() (int, error){
		func() (int, error) { return f.forgetPrevious(seq) },
		func() (int, error) { return f.forgetBoard(erasedSeq) },
		f.forgetLeftOver,
		func() (int, error) { return f.remove(asides) },
	} {
		n, err := forget()
		if gone += n; err != nil {
			return gone, nil, err
		}
	}
	if err := f.EachAside(func(name string, _ fs.FileInfo) { left = append(left, name) }); err != nil {
		return gone, left, err
	}
	// Session files that could not be imported stay, because it is unknown whose words they hold.
	names, err := f.SessionFiles()
	if err != nil && len(names) == 0 {
		return gone, left, fmt.Errorf("remove old files during an erasure: %w", err)
	}
	for _, name := range names {
		left = append(left, sessionsFolder+"/"+name)
	}
	return gone, left, nil
}

// forgetPrevious removes state.prev.json if its seq is lower than seq or if it is damaged. It keeps a file that a
// newer version wrote.
func (f *Realm) forgetPrevious(seq int64) (gone int, err error) {
	before, err := f.load(PreviousFile)
	switch {
	case f.isFolder(PreviousFile): // another program has made a folder of that name
		_, err = f.Folder.SetAside(time.Now(), PreviousFile)
	case err == nil && before.Seq < seq, errors.Is(err, disk.ErrCorrupt):
		gone, err = 1, f.Folder.Remove(PreviousFile)
	case errors.Is(err, disk.ErrMissing), errors.Is(err, disk.ErrNewer):
		err = nil
	}
	if err != nil {
		return 0, fmt.Errorf("remove checkpoints during an erasure: %w", err)
	}
	return gone, nil
}

// forgetLeftOver removes the remains of interrupted writes.
func (f *Realm) forgetLeftOver() (gone int, err error) {
	for _, d := range []disk.Folder{f.Folder, f.KnowledgeFolder} {
		entries, err := d.List()
		if err != nil {
			return gone, fmt.Errorf("remove old files during an erasure: %w", err)
		}
		for _, e := range entries {
			if !disk.TempName.MatchString(e.Name()) && !unfinishedName.MatchString(e.Name()) || !e.Mode().IsRegular() {
				continue
			}
			if err := d.Remove(e.Name()); err != nil {
				return gone, fmt.Errorf("remove old files during an erasure: %w", err)
			}
			gone++
		}
		if len(entries) > 0 {
			if err := d.Sync(); err != nil {
				return gone, err
			}
		}
	}
	return gone, nil
}

// remove removes files by their paths below the realm's folder. gone counts those that existed.
func (f *Realm) remove(names []string) (gone int, err error) {
	changed := map[string]bool{}
	for _, name := range names {
		err := f.Folder.FS.Remove(f.Folder.Path(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return gone, fmt.Errorf("remove %s: %w", name, err)
		}
		gone++
		changed[filepath.Dir(f.Folder.Path(name))] = true
	}
	for dir := range changed {
		if err := disk.At(f.Folder.FS, dir).Sync(); err != nil {
			return gone, err
		}
	}
	return gone, nil
}
