package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// Files of a realm that may hold erased words.

// asideFile matches the name of a file that recovery has set aside, and the time in it.
var asideFile = regexp.MustCompile(`\.aside-([0-9]{8}T[0-9]{6}Z)?[0-9-]*`)

// unfinishedName matches a database that was being rebuilt when a crash interrupted it.
var unfinishedName = regexp.MustCompile(`^realm\.new\.db`)

// Asides returns the names, below the realm's folder, of the files that recovery set aside before a time.
// They may hold erased words, and nobody can remove words from a damaged file. Folders that were
// set aside are not included, because they hold what somebody else put there.
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

// asideAt returns the time in the name of a file that was set aside, or now if it has none.
func asideAt(name string) world.Time {
	if m := asideFile.FindStringSubmatch(filepath.Base(name)); m != nil {
		if at, err := time.Parse("20060102T150405Z", m[1]); err == nil {
			return world.TimeOf(at)
		}
	}
	return world.TimeOf(time.Now())
}

// EachAside calls each with everything that was set aside in the realm's folder and its sub-folders.
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

// Forget removes the files of a realm's folder that hold worlds from before seq: the previous checkpoint,
// the remains of interrupted writes, and asides, names that Asides returned. gone counts them. left names
// the files and folders set aside that stay, and sessions/NAME of an older program that were not
// imported. state.json must be of seq or later. Forget also removes a board of findings from before told,
// the seq of history:erased; the mirror writes it again.
func (f *Realm) Forget(seq, told int64, asides []string) (gone int, left []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board.Lock() // another handle's temporary files of the board are not left-over ones
	defer f.board.Unlock()
	now, err := f.load(StateFile)
	if err != nil {
		return 0, nil, fmt.Errorf("forget old checkpoints: %w", err)
	}
	if now.Seq < seq {
		return 0, nil, fmt.Errorf("forget old checkpoints: %s has seq %d, which is before %d", StateFile, now.Seq, seq)
	}
	if before, err := f.load(PreviousFile); f.isFolder(PreviousFile) {
		if _, err := f.Folder.SetAside(time.Now(), PreviousFile); err != nil { // a folder that is not ours: it stays
			return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
		}
	} else if err == nil && before.Seq < seq || errors.Is(err, disk.ErrCorrupt) {
		if err := f.Folder.FS.Remove(f.Folder.Path(PreviousFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
		}
		gone++
	} else if err != nil && !errors.Is(err, disk.ErrMissing) && !errors.Is(err, disk.ErrNewer) {
		return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
	}
	if old, err := f.forgetBoard(told); err != nil {
		return gone, nil, err
	} else if old {
		gone++
	}
	n, err := f.forgetLeftOver()
	if gone += n; err != nil {
		return gone, nil, err
	}
	n, err = f.remove(asides)
	if gone += n; err != nil {
		return gone, nil, err
	}
	if err := f.EachAside(func(name string, _ fs.FileInfo) { left = append(left, name) }); err != nil {
		return gone, left, err
	}
	// Files that could not be imported stay: they may belong to somebody else.
	names, err := f.SessionFiles()
	if err != nil && len(names) == 0 {
		return gone, left, fmt.Errorf("forget old files: %w", err)
	}
	for _, name := range names {
		left = append(left, sessionsFolder+"/"+name)
	}
	return gone, left, nil
}

// forgetLeftOver removes the remains of interrupted writes.
func (f *Realm) forgetLeftOver() (gone int, err error) {
	for _, d := range []disk.Folder{f.Folder, f.KnowledgeFolder} {
		entries, err := d.List()
		if err != nil {
			return gone, fmt.Errorf("forget old files: %w", err)
		}
		for _, e := range entries {
			if !disk.TempName.MatchString(e.Name()) && !unfinishedName.MatchString(e.Name()) || !e.Mode().IsRegular() {
				continue
			}
			if err := d.FS.Remove(d.Path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return gone, fmt.Errorf("forget old files: %w", err)
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

// remove removes files by their names below the realm's folder and counts them. It does not count files
// that are gone already.
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

// isFolder reports whether a folder has the name of one of the realm's files.
func (f *Realm) isFolder(name string) bool {
	info, err := disk.Lstat(f.Folder.FS, f.Folder.Path(name))
	return err == nil && info.IsDir()
}
