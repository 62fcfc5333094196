package store

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"
)

// Files of a realm that may hold what is erased.

// asideName is a file that recovery has set aside, or what making a database anew has left.
var asideName = regexp.MustCompile(`\.aside-[0-9TZ-]+|^realm\.new\.db`)

// Forget takes away the files of a realm's folder that hold worlds from before seq: the
// previous checkpoint, what writes that were cut short have left, and, if aside is set,
// what recovery set aside. gone counts them; left are those that are kept because aside is
// not set, folders that were set aside, and sessions/NAME of an older program that are not
// taken in. state.json must be
// of seq or later. The board of findings goes too where it is from before told, the seq of
// history:erased: who copies it makes it anew.
func (f *RealmFiles) Forget(seq, told int64, aside bool) (gone int, left []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board.Lock() // its temporary files are not left ones
	defer f.board.Unlock()
	now, err := f.load(StateFile)
	if err != nil {
		return 0, nil, fmt.Errorf("forget old checkpoints: %w", err)
	}
	if now.Seq < seq {
		return 0, nil, fmt.Errorf("forget old checkpoints: %s is of %d and must be of %d", StateFile, now.Seq, seq)
	}
	if before, err := f.load(PreviousFile); f.isFolder(PreviousFile) {
		if _, err := f.root.setAside(time.Now(), PreviousFile); err != nil { // it is not ours, and stays
			return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
		}
	} else if err == nil && before.Seq < seq || errors.Is(err, ErrCorrupt) {
		if err := f.root.fs.Remove(f.root.path(PreviousFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
		}
		gone++
	} else if err != nil && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrNewer) {
		return gone, nil, fmt.Errorf("forget old checkpoints: %w", err)
	}
	if old, err := f.forgetBoard(told); err != nil {
		return gone, nil, err
	} else if old {
		gone++
	}
	for _, d := range []folder{f.root, f.knowledge} {
		entries, err := d.list()
		if err != nil {
			return gone, left, fmt.Errorf("forget old files: %w", err)
		}
		changed := false
		for _, e := range entries {
			set := asideName.MatchString(e.Name())
			switch {
			case set && (!aside || e.IsDir()):
				left = append(left, e.Name())
				continue
			case !set && !tempName.MatchString(e.Name()), !e.Mode().IsRegular():
				continue
			}
			if err := d.fs.Remove(d.path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return gone, left, fmt.Errorf("forget old files: %w", err)
			}
			gone, changed = gone+1, true
		}
		if changed || d.dir == f.root.dir {
			if err := d.sync(); err != nil {
				return gone, left, err
			}
		}
	}
	// Files that nobody could take in are not ours to remove: they may be of somebody else.
	names, err := f.SessionFiles()
	if err != nil && len(names) == 0 {
		return gone, left, fmt.Errorf("forget old files: %w", err)
	}
	for _, name := range names {
		left = append(left, sessionsFolder+"/"+name)
	}
	return gone, left, nil
}

// isFolder says that a folder is where one of the realm's files should be.
func (f *RealmFiles) isFolder(name string) bool {
	info, err := lstat(f.root.fs, f.root.path(name))
	return err == nil && info.IsDir()
}
