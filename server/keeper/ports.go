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

// Config of a keeper. realm.Config documents Kinds, Templates, Teams, Drivers, Peek (its Folder) and Pace.
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
	// Retention deletes conversations that are due; nil keeps everything.
	Retention *Retention
	// Still opens realms in which nothing continues by itself; see realm.Config.
	Still bool
	// Afresh opens no realm at the start. The last active realms stay the last active ones.
	Afresh bool
	// Board copies findings; nil for no copy.
	Board Board
}

// Store is the port to the worlds folder.
type Store interface {
	// Tenants lists the tenants that have realms.
	Tenants() []string
	// Tenant returns the realms of one tenant. It returns an error for an empty or invalid name.
	Tenant(name string) (TenantStore, error)
}

// TenantStore is the port to the realms of one tenant.
type TenantStore interface {
	// Realms returns the realms of the registry and the id of the last active one, "" for none.
	Realms() (realms []wire.RealmInfo, lastActive string)
	// Unfinished reports whether a realm was not closed cleanly.
	Unfinished(id string) bool
	FindByPath(path string) (id string, ok bool)
	Create(name, path string) (world.Realm, error)
	// Open loads a realm and begins a new epoch; auto records that no person asked for it.
	Open(ctx context.Context, id string, auto bool) (Opened, error)
	Update(info wire.RealmInfo) error
	SetLastActive(id string) error
	// Remove deletes a realm, which must not be open.
	Remove(id string) error
	// Heads reads a realm's conversations for retention, without opening the realm.
	Heads(ctx context.Context, id string) ([]retention.Head, error)
}

// Opened holds a loaded realm and the ports to its folder.
type Opened struct {
	Saved   world.Saved
	Journal realm.Journal
	Files   realm.Files
	Eraser  erasure.Eraser // nil if nothing can be erased there
	Rescuer realm.Rescuer  // nil if nothing can be rescued there
	Map     []byte         // map.json, the last scan; nil if there is none
	SaveMap func([]byte) error
}

// Folders is the port to linked folders.
type Folders interface {
	// Check returns the clean absolute path of a folder that may be linked, or a *wire.Error
	// with the reason why it may not.
	Check(path string) (string, error)
	// Scan reads the folder; progress gets the number of entries seen so far.
	Scan(ctx context.Context, path string, progress func(done int)) (*dungeon.Tree, world.Map, error)
	// Follow calls report with each state of the folder that differs from the previous one, at first
	// from first, which may be out of date. It returns when ctx ends.
	Follow(ctx context.Context, path string, first *dungeon.Survey, report func(*dungeon.Survey, dungeon.Change))
}

// Board is the port to the copy of the findings for other programs (S3-15).
type Board interface {
	// Follow copies what a realm commits until the realm has closed. The caller calls end after the realm has
	// stopped: end makes a last copy and waits for it for a bounded time.
	Follow(tenant string, r *realm.Realm) (end func())
	// Removed reports that a realm was removed from the store, so that its copy is deleted too.
	Removed()
}

// Retention holds the ports of the cleaner. The rule is in server/retention (S1-16, S1-B7).
type Retention struct {
	// Policy returns the operator's current limits. After an error nothing is deleted.
	Policy func() (retention.Policy, error)
	// Load and Save keep what passes record of the clock.
	Load func() (retention.Watch, error)
	Save func(retention.Watch) error
	// Erase deletes conversations with the reason world.ErasedByRetention, all or none of them,
	// at most atOnce. It returns erasure.ErrNotSilent if one of them has changed since its last
	// update.
	Erase func(ctx context.Context, r *realm.Realm, due []retention.Item) error
	// Clock is the wall clock, nil for the machine's.
	Clock func() time.Time
}
