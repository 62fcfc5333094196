package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

const (
	sessionsFolder = "sessions"
	// maxSessionFiles are looked at in one opening, of at most MaxSessionBytes each.
	maxSessionFiles = 1000
	// MaxSessionBytes is what a session's file may hold.
	MaxSessionBytes = 64 << 20
)

// SessionFiles reads sessions/*.json of the realm's folder one after the other, by name,
// until take says that it wants no more: sessions of an older program, to be taken in
// (S2-10). What they hold is for others to say. A folder that is not there has none; the
// error is the folder's.
func (f *RealmFiles) SessionFiles(take func(GivenFile) (more bool)) error {
	in := folder{f.root.fs, f.root.path(sessionsFolder)}
	entries, err := in.list()
	if err != nil {
		return fmt.Errorf("look for sessions: %w", err)
	}
	looked := 0
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if looked++; looked > maxSessionFiles {
			return fmt.Errorf("there are more than %d files in sessions; those from %s on are not looked at", maxSessionFiles, name)
		}
		data, err := in.read(name, MaxSessionBytes)
		if !take(GivenFile{Name: name, Bytes: data, Err: err}) {
			return nil
		}
	}
	return nil
}

// RemoveSession removes a session's file that was taken in: its words are in the journal,
// and what is erased there must not be left beside it.
func (f *RealmFiles) RemoveSession(name string) error {
	in := folder{f.root.fs, f.root.path(sessionsFolder)}
	if err := in.fs.Remove(in.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the session's file: %w", err)
	}
	return nil
}
