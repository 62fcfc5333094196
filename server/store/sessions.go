package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

const (
	sessionsFolder = "sessions"
	// maxSessionFiles are taken in at one opening, of at most MaxSessionBytes each: a realm
	// with more takes the others at the next.
	maxSessionFiles = 16
	// MaxSessionBytes is what a session's file may hold.
	MaxSessionBytes = 64 << 20
)

// SessionFiles reads sessions/*.json of the realm's folder, by name: sessions of an older
// program, to be taken in (S2-10). What they hold is for others to say. A folder that is
// not there has none.
func (f *RealmFiles) SessionFiles() ([]GivenFile, error) {
	in := folder{f.root.fs, f.root.path(sessionsFolder)}
	entries, err := in.list()
	if err != nil {
		return nil, fmt.Errorf("look for sessions: %w", err)
	}
	var out []GivenFile
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(out) == maxSessionFiles {
			return out, fmt.Errorf("there are more than %d sessions to take in; the rest, from %s on, comes at the next opening", maxSessionFiles, name)
		}
		data, err := in.read(name, MaxSessionBytes)
		out = append(out, GivenFile{Name: name, Bytes: data, Err: err})
	}
	return out, nil
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
