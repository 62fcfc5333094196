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
	// maxSessionFiles is the number of files that one opening reads, of at most MaxSessionBytes each.
	maxSessionFiles = 1000
	// MaxSessionBytes limits a session's file, in bytes.
	MaxSessionBytes = 64 << 20
)

// SessionFiles returns the sorted names of sessions/*.json in the realm's folder: sessions of an older
// program to import (S2-10). A missing folder has none.
func (f *Realm) SessionFiles() (names []string, err error) {
	entries, err := f.sessions().List()
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		if len(names) == maxSessionFiles {
			return names, fmt.Errorf("there are more than %d files in sessions; those from %s on are not read",
				maxSessionFiles, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// ReadSession returns the bytes of one of them, which this package does not interpret.
func (f *Realm) ReadSession(name string) ([]byte, error) {
	return f.sessions().ReadPlain(name, MaxSessionBytes)
}

func (f *Realm) sessions() disk.Folder { return disk.At(f.Folder.FS, f.Folder.Path(sessionsFolder)) }

// RemoveSession removes the file of an imported session: its words are in the journal, and words that are
// erased there must not stay in the file.
func (f *Realm) RemoveSession(name string) error {
	in := f.sessions()
	if err := in.FS.Remove(in.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the session's file: %w", err)
	}
	return nil
}
