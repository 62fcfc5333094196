package kind

import "agentdungeon/shared/world"

// This file has the capabilities of kinds that are used without a realm. Their methods may be called from any
// goroutine, and on a Kind that belongs to no realm.

// Exporter writes conversations as files that an Importer can read.
type Exporter interface {
	// Export returns a conversation as a file. rows is a function that calls each with every row, oldest first; if each
	// returns an error, rows stops and returns that error. A *wire.Error with too_large means that no realm would
	// import the file.
	Export(head world.Conversation, rows func(each func(world.Message) error) error) ([]byte, error)
	// Exported returns the id of the conversation that a file holds, "" if it holds none.
	Exported(data []byte) (conversationID string)
}

// Continuer is a kind with conversations that continue by themselves when the realm is opened. Kinds that gather their
// members (Traits.Gathers) continue in any case and need not implement it.
type Continuer interface {
	// Continues reports whether a conversation continues in the realm whose saved state is s.
	Continues(s *world.Saved) bool
}

// Resumer chooses the conversation that a start of the server continues.
type Resumer interface {
	// Complete sets the fields of a that the flags do not set, from the world of the open realm: the team, and the current
	// session.
	Complete(a *Ask, w *world.World)
	// Choose returns the conversation's id, "" for none, and a note to print. list has the newest conversations of the
	// team, and also the requested conversation, which may be of another team. The error is printed unchanged for a
	// person.
	Choose(a Ask, list []Found) (conversationID, note string, err error)
}

// Ask has the flags of the server's start that choose the session to continue.
type Ask struct {
	TeamID string
	// Resume asks for a session: the latest of the team, or SessionID if that is set.
	Resume    bool
	SessionID string
	NoResume  bool   // begin a new session and print no note about an older session
	Current   string // the current session; no note is printed about it
}

// Found describes a session that the server's start can continue.
type Found struct {
	SessionID string
	TeamID    string
	UpdatedAt world.Time
	Messages  int
}

// Resumer returns the kind that implements Resumer, nil for none.
func (s Set) Resumer() Resumer {
	for _, name := range s.names {
		if r, ok := s.byName[name].(Resumer); ok {
			return r
		}
	}
	return nil
}
