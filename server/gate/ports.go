package gate

import (
	"context"
	"net/http"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Realm is an open realm. Its methods are safe for concurrent use. Attach and Viewer.Take return
// watch.ErrStopped if the realm has closed; Take returns watch.ErrLapped if the viewer was too slow.
type Realm interface {
	ID() string
	// Position returns the epoch and the seq of the last committed event.
	Position() (epoch string, seq int64)
	// Attach returns a viewer that begins at pos. The viewer's first frames are the frame welcome, then the events
	// after pos or a snapshot, then the overlays (the words of open rows).
	Attach(ctx context.Context, pos watch.Position) (Viewer, error)
	// Submit passes a command to the realm and never blocks. The realm sends its later replies and errors to
	// the viewer to, which must come from Attach of this realm.
	Submit(from realm.Person, requestID string, cmd wire.Command, to Viewer) *wire.Error
	// Erased reports whether the person with that id was erased in this realm. The gate then gives the
	// person's seat a new id.
	Erased(spectatorID string) bool
	// Search returns the transcript rows that contain the words of q.
	Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error)
}

// Viewer is a socket's cursor in a realm. Only one goroutine may call Take; the other methods are safe for
// concurrent use.
type Viewer interface {
	// Take returns the next frames in order, with about maxBytes bytes in total. It returns no frame if there is no
	// new one yet.
	Take(ctx context.Context, maxBytes int) ([][]byte, error)
	// Ready returns a channel that receives a value when Take may have new frames.
	Ready() <-chan struct{}
	// OnLapped sets a function that is called when the ring has dropped frames that the viewer has not taken. The
	// function is called even while nobody calls Take. It must not block.
	OnLapped(func())
	// Identify sets the person who uses this viewer.
	Identify(who wire.Spectator)
	Close()
}

// Tenant is a tenant that the gate serves. Its tokens give access only to its own realms (S1-08). Name must
// not be empty.
type Tenant struct {
	Name   string
	Tokens Tokens
	Realms Realms
	About  About
	Hooks  Hooks // handles hooks of coding agents; nil if this tenant takes none
	// Facts serves /mcp, where coding agents ask questions (P17.13); nil for a tenant that answers none. The gate admits
	// the owner alone, and has checked Host and Origin.
	Facts http.Handler
	// Sessions returns the sessions of coding agents of a realm; nil for a tenant without any.
	Sessions func(ctx context.Context, realmID string) (wire.SessionsListed, error)
}

// Hooks handles the hooks of coding agents (P17.8).
type Hooks interface {
	// Handle handles the payload that a hook of a coding agent's program has sent, and returns what the hook must print
	// and its exit code.
	Handle(ctx context.Context, by shadow.Caller, payload []byte) (answer shadow.Answer, err error)
	// Heard returns, by program, when a hook of that program has last sent something.
	Heard() map[string]world.Time
}

// About has those parts of server:info that do not depend on a realm.
type About struct {
	Templates func() []wire.TemplateInfo // templates in the order in which the page offers them; nil for none
	Driver    string                     // driver of roles that no person holds: "scout", "script", "model" or "none"
	Offer     string                     // a folder that the page suggests for linking, or ""
}

// templates returns the templates that the people of the tenant can use.
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

// Realms has the realms of one tenant. The gate sends a *wire.Error of these methods to the client unchanged;
// it logs any other error and sends an internal error. The implementation executes Link, Resume, Remove and
// Bare one at a time; if one fails, it has changed nothing (B22).
type Realms interface {
	// Phase returns a wire.Phase constant: whether the last active realm is open, a folder is being linked, or
	// neither.
	Phase() string
	// Current returns the last active realm if it is open. It must not block.
	Current() (Realm, bool)
	// Open returns a realm to watch. The last active realm stays the same.
	Open(ctx context.Context, id string) (Realm, error)
	List(ctx context.Context) (wire.RealmList, error)
	// Link makes a realm of a folder, or opens the realm that the folder already has, and makes it the last
	// active realm. Until Link returns, it may call progress from any goroutine.
	Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (Realm, error)
	// Preview returns the map that a folder would have if it were linked.
	Preview(ctx context.Context, path string) (*wire.Preview, error)
	// Resume opens a realm and makes it the last active realm.
	Resume(ctx context.Context, id string) (Realm, error)
	// Remove closes a realm and deletes its folder.
	Remove(ctx context.Context, id string) error
	// Bare makes a realm without a linked folder and makes it the last active realm.
	Bare(ctx context.Context, problem string) (Realm, error)
}
