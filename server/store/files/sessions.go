package files

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"agentdungeon/server/store/disk"
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
func (f *Realm) SessionFiles() (names []string, err error) {
	entries, err := f.sessions().List()
	if err != nil {
		return nil, fmt.Errorf("look for sessions: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(names) == maxSessionFiles {
			return names, fmt.Errorf("there are more than %d files in sessions; those from %s on are not looked at",
				maxSessionFiles, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// ReadSession reads one of them. What it holds is for others to say.
func (f *Realm) ReadSession(name string) ([]byte, error) {
	return f.sessions().ReadPlain(name, MaxSessionBytes)
}

func (f *Realm) sessions() disk.Folder { return disk.At(f.Folder.FS, f.Folder.Path(sessionsFolder)) }

// RemoveSession removes a session's file that was taken in: its words are in the journal,
// and what is erased there must not be left beside it.
func (f *Realm) RemoveSession(name string) error {
	in := f.sessions()
	if err := in.FS.Remove(in.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the session's file: %w", err)
	}
	return nil
}
