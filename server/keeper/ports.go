package keeper

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Config configures a keeper. The comments of realm.Config explain Kinds, Templates, Teams, Drivers and Pace. Peek
// becomes the field Folder of realm.Config.
type Config struct {
	Store     Store
	Folders   Folders
	Kinds     []kind.Registration
	Templates kind.Templates
	Teams     kind.Teams
	Drivers   driver.Drivers
	Peek      realm.Folder
	Log       zerolog.Logger
	Pace      string
	// Retention has the ports of retention. If it is nil, no conversation is marked or deleted.
	Retention *Retention
	// If Still is set, processes and conversations do not continue when a realm is opened; see realm.Config.
	Still bool
	// If Afresh is set, Start opens no realm. It does not change the registry, so a later start without Afresh opens
	// the last active realms.
	Afresh bool
	// Board copies findings for other programs; nil for no copies.
	Board Board
	// Shadows passes the sessions of coding agents, which people run in their own programs, to realms; nil for none.
	Shadows Shadows
}

// Store is the port to the worlds folder.
type Store interface {
	// Tenants returns the names of the tenants that have realms.
	Tenants() []string
	// Tenant returns the port to the realms of one tenant. It returns an error if the name is empty or
	// invalid.
	Tenant(name string) (TenantStore, error)
}

// TenantStore is the port to the realms of one tenant.
type TenantStore interface {
	// Realms returns all realms of the tenant and the id of the last active one, "" for none.
	Realms() (realms []wire.RealmInfo, lastActive string)
	// Unfinished reports whether a realm was not closed cleanly.
	Unfinished(id string) bool
	FindByPath(path string) (id string, ok bool)
	// FreeID returns an id that a realm with that name can have. It reserves nothing.
	FreeID(name string) (string, error)
	// Create makes a realm. If id is "", it chooses an id.
	Create(id, name, path string) (world.Realm, error)
	// Open loads a realm and begins a new epoch. auto is set unless a person has linked or resumed the realm: the
	// journal then records that a running process continues without a request of a person.
	Open(ctx context.Context, id string, auto bool) (Opened, error)
	Update(info wire.RealmInfo) error
	SetLastActive(id string) error
	// Remove deletes a realm. The realm must not be open.
	Remove(id string) error
	// Heads returns the data of each conversation of a realm from which retention decides. It does not open the
	// realm.
	Heads(ctx context.Context, id string) ([]retention.Head, error)
}

// Opened is a loaded realm with the ports to its folder.
type Opened struct {
	Saved   world.Saved
	Journal realm.Journal
	Files   realm.Files
	Eraser  erasure.Eraser // carries out erasures in this realm; nil if it cannot erase
	Rescuer realm.Rescuer  // writes the realm elsewhere if its folder is taken away; nil if that is not possible
	Map     []byte         // map.json, the last scan; nil if there is none
	SaveMap func([]byte) error
}

// Folders is the port to linked folders.
type Folders interface {
	// Check returns the clean absolute path of a folder that may be linked, or a *wire.Error
	// with the reason why it may not.
	Check(path string) (string, error)
	// Scan reads the folder. It calls progress with the number of entries that it has read so far.
	Scan(ctx context.Context, path string, progress func(done int)) (*dungeon.Tree, world.Map, error)
	// Follow calls report with each new state of the folder. It compares the folder with first, which may be
	// out of date, and from then on with the last state. It returns when ctx ends.
	Follow(ctx context.Context, path string, first *dungeon.Survey, report func(*dungeon.Survey, dungeon.Change))
}

// Board copies findings for other programs (S3-15).
type Board interface {
	// Follow begins to copy the findings of a realm, until the realm has closed. The caller must call the returned
	// function end after the realm has stopped: it makes a last copy and waits for it for a limited time.
	Follow(tenant string, r *realm.Realm) (end func())
	// Removed tells the Board that a realm was removed from the store, so that the Board deletes the realm's
	// copy.
	Removed()
}

// Shadows reads sessions of coding agents for realms.
type Shadows interface {
	// Follow begins to read sessions for a realm. The caller must call the returned function end before it stops the
	// realm; it returns when nothing is read any more.
	Follow(tenant string, r *realm.Realm) (end func())
}

// Retention has the ports of the cleaner. Package retention decides what is due (S1-16, S1-B7).
type Retention struct {
	// Policy returns the operator's current limits. If it returns an error, the pass deletes nothing.
	Policy func() (retention.Policy, error)
	// Load and Save read and write the watch, which has the observations of the clock by earlier passes.
	Load func() (retention.Watch, error)
	Save func(retention.Watch) error
	// Erase deletes at most atOnce conversations with the reason world.ErasedByRetention: either all of them
	// or none. It returns erasure.ErrNotSilent if one of them has changed since the pass read it.
	Erase func(ctx context.Context, r *realm.Realm, due []retention.Item) error
	// Clock returns the time of the wall clock; nil stands for time.Now.
	Clock func() time.Time
}
