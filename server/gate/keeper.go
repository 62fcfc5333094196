package gate

import (
	"context"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// Keeper has the methods of Realms with the types of package realm. keeper.Tenant implements Keeper.
type Keeper interface {
	Phase() string
	Current() (*realm.Realm, bool)
	Open(ctx context.Context, id string) (*realm.Realm, error)
	List(ctx context.Context) (wire.RealmList, error)
	Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (*realm.Realm, error)
	Preview(ctx context.Context, path string) (*wire.Preview, error)
	Resume(ctx context.Context, id string) (*realm.Realm, error)
	Remove(ctx context.Context, id string) error
	Bare(ctx context.Context, problem string) (*realm.Realm, error)
}

// RealmsOf returns k as a Realms.
func RealmsOf(k Keeper) Realms { return keptRealms{k} }

// RealmOf returns r as a Realm. Callers of Gate.Opened need it.
func RealmOf(r *realm.Realm) Realm { return openRealm{r} }

// keptRealms implements Realms with a Keeper. It converts the realms that the Keeper returns.
type keptRealms struct{ Keeper }

// asRealm converts a realm that a Keeper returned, and its error. It returns a nil Realm after an error;
// converting a nil *realm.Realm would yield a Realm that is not nil.
func asRealm(r *realm.Realm, err error) (Realm, error) {
	if err != nil {
		return nil, err
	}
	return openRealm{r}, nil
}

func (k keptRealms) Current() (Realm, bool) {
	r, ok := k.Keeper.Current()
	if !ok {
		return nil, false
	}
	return openRealm{r}, true
}

func (k keptRealms) Open(ctx context.Context, id string) (Realm, error) {
	return asRealm(k.Keeper.Open(ctx, id))
}

func (k keptRealms) Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (Realm, error) {
	return asRealm(k.Keeper.Link(ctx, path, progress))
}

func (k keptRealms) Resume(ctx context.Context, id string) (Realm, error) {
	return asRealm(k.Keeper.Resume(ctx, id))
}

func (k keptRealms) Bare(ctx context.Context, problem string) (Realm, error) {
	return asRealm(k.Keeper.Bare(ctx, problem))
}

type openRealm struct{ *realm.Realm }

func (a openRealm) Attach(ctx context.Context, pos watch.Position) (Viewer, error) {
	v, err := a.Realm.Attach(ctx, pos)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (a openRealm) Submit(from realm.Person, requestID string, cmd wire.Command, to Viewer) *wire.Error {
	v, ok := to.(*watch.Viewer)
	if !ok {
		return wire.Errorf(wire.Internal, "the viewer belongs to another realm")
	}
	return a.Realm.Submit(realm.Input{From: from, RequestID: requestID, Command: cmd, To: v})
}
