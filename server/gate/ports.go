package gate

import (
	"context"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Realm is an open realm. Its methods are safe for concurrent use. Errors are those of
// server/realm: ErrLapped and ErrStopped end a viewer; Attach may also return ErrStopped.
type Realm interface {
	ID() string
	// Position is the position of the last committed event.
	Position() (epoch string, seq int64)
	// Attach returns a viewer. Its first frames are welcome, then the missed events or a
	// snapshot, then the overlays.
	Attach(ctx context.Context, pos watch.Position) (Viewer, error)
	// Submit passes a command to the realm and never blocks. Later replies and errors go to
	// the viewer to, which Attach of this realm has returned.
	Submit(from realm.Person, requestID string, cmd wire.Command, to Viewer) *wire.Error
	// Erased reports whether the person with that id was erased in this realm, so that
	// their seat gets a new id.
	Erased(spectatorID string) bool
	// Search finds transcript rows by their words.
	Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error)
}

// Viewer is a socket's cursor in a realm. Take is for one goroutine; the other methods are
// safe for concurrent use.
type Viewer interface {
	// Take returns the next frames in order, about maxBytes of them, or none if there are
	// none now.
	Take(ctx context.Context, maxBytes int) ([][]byte, error)
	// Ready receives a value when Take may have frames.
	Ready() <-chan struct{}
	// OnLapped sets a function that is called when live traffic passes the viewer, also while
	// nobody calls Take. It must not block.
	OnLapped(func())
	// Identify sets the person at this socket.
	Identify(who wire.Spectator)
	Close()
}

// Tenant is a tenant as the gate serves it. Its tokens open only its own realms (S1-08). Name
// is not empty.
type Tenant struct {
	Name   string
	Tokens Tokens
	Realms Realms
	About  About
}

// About has the parts of server:info that are not about realms.
type About struct {
	Templates func() []wire.TemplateInfo // in the order in which they are offered; nil for none
	Driver    string                     // plays the roles that nobody holds: "scout", "script", "model" or "none"
	Offer     string                     // a folder that the page suggests for linking, or ""
}

// templates returns the templates that the tenant's people can use.
func (t *Tenant) templates() []wire.TemplateInfo {
	if t.About.Templates == nil {
		return nil
	}
	return t.About.Templates()
}

// realmKey identifies a realm.
type realmKey struct {
	tenant *Tenant
	id     string
}

// Realms is the keeper's view of one tenant: which realms exist and which are open. The gate
// shows a *wire.Error as it is, and logs other errors and shows them as internal. Linking,
// resuming and removing are serialized by the implementation; on an error nothing has
// changed (B22).
type Realms interface {
	// Phase returns the phase of the game, one of wire.Phase...
	Phase() string
	// Current returns the last active realm if it is open. It must not block.
	Current() (Realm, bool)
	// Open returns a realm to watch. It does not become the last active one.
	Open(ctx context.Context, id string) (Realm, error)
	List(ctx context.Context) (wire.RealmList, error)
	// Link makes a realm of a folder, or opens the existing one, as the last active realm.
	// It may call progress from any goroutine until it returns.
	Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (Realm, error)
	// Resume opens a realm as the last active one.
	Resume(ctx context.Context, id string) (Realm, error)
	// Remove closes a realm and deletes its folder.
	Remove(ctx context.Context, id string) error
	// Bare makes a realm without a folder, as the last active one.
	Bare(ctx context.Context, problem string) (Realm, error)
}
