package party

import (
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Export returns a session as a file that a realm can import (P14.16), without rows of tools.
func (offline) Export(head world.Conversation, rows func(each func(world.Message) error) error) ([]byte, error) {
	tooLarge := wire.Errorf(wire.TooLarge,
		"session %s is too large for a file that can be imported: at most %d messages and %d MB fit",
		head.ConversationID, maxSnapshotMessages, maxSnapshotFile>>20)
	var all []world.Message
	size := 0
	err := rows(func(m world.Message) error {
		if m.Role == world.RoleTool {
			return nil
		}
		if size += len(m.Content); size > maxSnapshotFile || len(all) == maxSnapshotMessages {
			return tooLarge
		}
		all = append(all, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := forFile(head, all).File()
	if err == nil && len(data) > maxSnapshotFile {
		err = tooLarge
	}
	return data, err
}

// Exported returns the id of the session in the file data, "" if data is no valid session.
func (offline) Exported(data []byte) string {
	snap, err := parseImport(data)
	if err != nil {
		return ""
	}
	return snap.SessionID
}

// forFile returns the snapshot that Export writes. Messages have the ids that an import gives them, and the
// context has the time of the session's last change, so an export of an imported file gives the same file.
func forFile(head world.Conversation, rows []world.Message) *Snapshot {
	s := NewSnapshot(head, rows, head.UpdatedAt.Go())
	for i := range s.Context.Messages {
		s.Context.Messages[i].ID = rowID(s.SessionID, i)
	}
	return s
}
