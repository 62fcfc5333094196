package gate

import (
	"context"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Realm is an open realm, as the gate needs it. All methods are safe from any
// goroutine. Errors are those of server/realm: ErrLapped and ErrStopped end a viewer, and
// Attach returns ErrStopped too.
type Realm interface {
	ID() string
	// Position is the committed head: what has been shown.
	Position() (epoch string, seq int64)
	// Attach gives a viewer whose first frames are welcome, what was missed or a
	// snapshot, and the overlays.
	Attach(ctx context.Context, pos watch.Position) (Viewer, error)
	// Submit hands a command in and never blocks. Replies and errors that come
	// later reach the viewer to, which is one that this realm's Attach gave.
	Submit(from realm.Person, requestID string, cmd wire.Command, to Viewer) *wire.Error
	// Erased reports whether the person with that id was erased in this realm, so that
	// their seat gets a new id.
	Erased(spectatorID string) bool
	// Search finds rows of its transcripts by their words.
	Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error)
}

// Viewer is a socket's cursor in a realm. One goroutine calls Take; the other
// methods are safe from any.
type Viewer interface {
	// Take gives the next frames in order, about maxBytes of them. None means that
	// there is nothing now.
	Take(ctx context.Context, maxBytes int) ([][]byte, error)
	// Ready can be read when Take may have something.
	Ready() <-chan struct{}
	// Identify says who sits here.
	Identify(who wire.Spectator)
	Close()
}

// Tenant is a tenant as the gate lets its people in: what they come by is theirs alone,
// and so is what they reach (S1-08). Name is not empty.
type Tenant struct {
	Name   string
	Tokens Tokens
	Realms Realms
}

// realmKey names a realm.
type realmKey struct {
	tenant *Tenant
	id     string
}

// Realms is the keeper, for one tenant: which realms there are and which are open. Errors that
// are a *wire.Error are shown as they are, others are logged and shown as
// internal. Linking, resuming and removing are serialized behind it, and one that
// fails has changed nothing (B22).
type Realms interface {
	// Phase of the game, one of wire.Phase...
	Phase() string
	// Current is the last active realm, if it is open. It must not block.
	Current() (Realm, bool)
	// Open gives a realm to watch without making it the last active one.
	Open(ctx context.Context, id string) (Realm, error)
	List(ctx context.Context) (wire.RealmList, error)
	// Link makes a realm of a folder, or opens the one it has, as the last active
	// one. progress may be called from any goroutine until Link returns.
	Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (Realm, error)
	// Resume opens a realm as the last active one.
	Resume(ctx context.Context, id string) (Realm, error)
	// Remove closes a realm and deletes its folder.
	Remove(ctx context.Context, id string) error
	// Bare makes a realm without a folder, as the last active one.
	Bare(ctx context.Context, problem string) (Realm, error)
	Templates() []wire.TemplateInfo
	// Driver is what plays roles that nobody holds: "scout", "script", "model" or "none".
	Driver() string
	// Offer is the folder that the page offers to link, "" for none.
	Offer() string
}
