package kind

import "agentdungeon/shared/world"

// What the server asks of kinds outside of a realm. These methods may be called from any
// goroutine, and of a kind that serves no realm.

// Exporter writes conversations as files, which an Importer takes in.
type Exporter interface {
	// Export returns a conversation as a file. rows calls each with all rows, oldest first,
	// until it returns an error, and returns that. A *wire.Error with too_large says that no
	// realm would import the file.
	Export(head world.Conversation, rows func(each func(world.Message) error) error) ([]byte, error)
	// Exported returns the id of the conversation that a file holds, "" if it holds none.
	Exported(data []byte) (conversationID string)
}

// Resumer chooses the conversation that a start of the server takes up again.
type Resumer interface {
	// Choose returns its id, "" for none, and a note to print. list are the newest
	// conversations of the team, and the one that was asked for, of whatever team. The error's
	// text is for a person and printed unchanged.
	Choose(a Ask, list []Found) (conversationID, note string, err error)
}

// Ask is what a start asks for.
type Ask struct {
	TeamID string
	// Resume asks for a session: the latest of the team, or SessionID if that is set.
	Resume    bool
	SessionID string
	NoResume  bool   // ask for a new session, and for no note about an older one
	AtHand    string // the session at hand, of which there is no note either
}

// Found is what a start knows of a conversation.
type Found struct {
	SessionID string
	TeamID    string
	UpdatedAt world.Time
	Messages  int
}

// Resumer returns the kind that has one, nil for none.
func (s Set) Resumer() Resumer {
	for _, name := range s.names {
		if r, ok := s.byName[name].(Resumer); ok {
			return r
		}
	}
	return nil
}
