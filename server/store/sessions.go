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

// SessionFiles names sessions/*.json of the realm's folder, sorted: sessions of an older
// program, to be taken in (S2-10). A folder that is not there has none.
func (f *RealmFiles) SessionFiles() (names []string, err error) {
	entries, err := f.sessions().list()
	if err != nil {
		return nil, fmt.Errorf("look for sessions: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(names) == maxSessionFiles {
			return names, fmt.Errorf("there are more than %d files in sessions; those from %s on are not looked at", maxSessionFiles, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// ReadSession reads one of them. What it holds is for others to say.
func (f *RealmFiles) ReadSession(name string) ([]byte, error) {
	return f.sessions().readPlain(name, MaxSessionBytes)
}

func (f *RealmFiles) sessions() folder { return folder{f.root.fs, f.root.path(sessionsFolder)} }

// RemoveSession removes a session's file that was taken in: its words are in the journal,
// and what is erased there must not be left beside it.
func (f *RealmFiles) RemoveSession(name string) error {
	in := f.sessions()
	if err := in.fs.Remove(in.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the session's file: %w", err)
	}
	return nil
}
