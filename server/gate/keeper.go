package gate

import (
	"context"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// Keeper is Realms with the types of server/realm. keeper.Tenant implements it.
type Keeper interface {
	Phase() string
	Current() (*realm.Realm, bool)
	Open(ctx context.Context, id string) (*realm.Realm, error)
	List(ctx context.Context) (wire.RealmList, error)
	Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (*realm.Realm, error)
	Resume(ctx context.Context, id string) (*realm.Realm, error)
	Remove(ctx context.Context, id string) error
	Bare(ctx context.Context, problem string) (*realm.Realm, error)
}

// About has the parts of server:info that are not about realms.
type About struct {
	Templates func() []wire.TemplateInfo // in the order in which they are offered
	Driver    string                     // "scout", "script", "model" or "none"
	Offer     string                     // a folder to link, or ""
}

// RealmsOf returns a keeper as Realms.
func RealmsOf(k Keeper, about About) Realms { return kept{k, about} }

// RealmOf returns an actor's realm as a Realm, for Gate.Opened.
func RealmOf(r *realm.Realm) Realm { return openRealm{r} }

type kept struct {
	keeper Keeper
	about  About
}

// of converts a result. It keeps a nil pointer from becoming a Realm that is not nil.
func of(r *realm.Realm, err error) (Realm, error) {
	if err != nil {
		return nil, err
	}
	return openRealm{r}, nil
}

func (k kept) Phase() string { return k.keeper.Phase() }

func (k kept) Current() (Realm, bool) {
	r, ok := k.keeper.Current()
	if !ok {
		return nil, false
	}
	return openRealm{r}, true
}

func (k kept) Open(ctx context.Context, id string) (Realm, error) { return of(k.keeper.Open(ctx, id)) }

func (k kept) List(ctx context.Context) (wire.RealmList, error) { return k.keeper.List(ctx) }

func (k kept) Link(ctx context.Context, path string, progress func(wire.RealmProgress)) (Realm, error) {
	return of(k.keeper.Link(ctx, path, progress))
}

func (k kept) Resume(ctx context.Context, id string) (Realm, error) {
	return of(k.keeper.Resume(ctx, id))
}

func (k kept) Remove(ctx context.Context, id string) error { return k.keeper.Remove(ctx, id) }

func (k kept) Bare(ctx context.Context, problem string) (Realm, error) {
	return of(k.keeper.Bare(ctx, problem))
}

func (k kept) Templates() []wire.TemplateInfo {
	if k.about.Templates == nil {
		return nil
	}
	return k.about.Templates()
}

func (k kept) Driver() string { return k.about.Driver }
func (k kept) Offer() string  { return k.about.Offer }

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
		return wire.Errorf(wire.Internal, "the viewer is not of this realm")
	}
	return a.Realm.Submit(realm.Input{From: from, RequestID: requestID, Command: cmd, To: v})
}
