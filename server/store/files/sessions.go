package files

import (
	"fmt"
	"strings"

	"agentdungeon/server/store/disk"
)

const (
	sessionsFolder = "sessions"
	// maxSessionFiles is the maximum number of files that one opening reads, maxSessionBytes the maximum size of
	// each file in bytes.
	maxSessionFiles = 1000
	maxSessionBytes = 64 << 20
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

// ReadSession returns the bytes of a file that SessionFiles has named. This package does not interpret them.
func (f *Realm) ReadSession(name string) ([]byte, error) {
	return f.sessions().ReadPlain(name, maxSessionBytes)
}

func (f *Realm) sessions() disk.Folder { return disk.At(f.Folder.FS, f.Folder.Path(sessionsFolder)) }

// RemoveSession removes the file of a session that was imported. The session is in the journal now, and a later
// erasure would remove its words from the journal but not from this file.
func (f *Realm) RemoveSession(name string) error {
	if err := f.sessions().Remove(name); err != nil {
		return fmt.Errorf("remove the session's file: %w", err)
	}
	return nil
}
