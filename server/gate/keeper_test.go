package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// oneActor is a keeper with one real realm, whose journal is in memory.
type oneActor struct {
	mu sync.Mutex
	r  *realm.Realm
}

func (k *oneActor) Phase() string { return wire.PhasePlaying }
func (k *oneActor) Current() (*realm.Realm, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.r, k.r != nil
}
func (k *oneActor) Open(context.Context, string) (*realm.Realm, error) {
	return nil, wire.Errorf(wire.NotFound, "there is none")
}
func (k *oneActor) List(context.Context) (wire.RealmList, error) { return wire.RealmList{}, nil }
func (k *oneActor) Link(context.Context, string, func(wire.RealmProgress)) (*realm.Realm, error) {
	return nil, errors.New("broken")
}
func (k *oneActor) Preview(context.Context, string) (*wire.Preview, error) {
	return nil, errors.New("broken")
}
func (k *oneActor) Resume(context.Context, string) (*realm.Realm, error)   { return k.r, nil }
func (k *oneActor) Remove(context.Context, string) error                   { return nil }
func (k *oneActor) Bare(_ context.Context, _ string) (*realm.Realm, error) { return k.r, nil }

type memory struct {
	realm.Transcripts // nobody reads any here
	mu                sync.Mutex
	frames            []world.Frame
}

func (m *memory) Commit(b *world.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range b.Records {
		m.frames = append(m.frames, world.Frame{Seq: r.Event.Seq, Type: r.Event.Body.EventType(), Bytes: slices.Clone(r.Frame)})
	}
	return nil
}

func (m *memory) Read(_ context.Context, after int64, limit int) ([]world.Frame, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.frames[min(after, int64(len(m.frames))):]
	return slices.Clone(out[:min(limit, len(out))]), nil
}

func (m *memory) Floor() int64                                         { return 1 }
func (m *memory) MarkVaults(world.VaultMark) error                     { return nil }
func (m *memory) SaveBase(world.Checkpoint) error                      { return nil }
func (m *memory) Idle()                                                {}
func (m *memory) Close() error                                         { return nil }
func (m *memory) WriteCheckpoint(world.Checkpoint) error               { return nil }
func (m *memory) Asides(world.Time) ([]string, error)                  { return nil, nil }
func (m *memory) Forget(int64, int64, []string) (int, []string, error) { return 0, nil, nil }
func (m *memory) WriteVault(world.Vault) error                         { return nil }
func (m *memory) SessionFiles() ([]string, error)                      { return nil, nil }
func (m *memory) ReadSession(string) ([]byte, error)                   { return nil, nil }
func (m *memory) RemoveSession(string) error                           { return nil }
func (m *memory) LoadSkills([]world.Skill) ([]world.SkillText, error)  { return nil, nil }
func (m *memory) WriteSkill(world.SkillFiles) error                    { return nil }
func (m *memory) ReadSkill(string) (map[string]string, error) {
	return nil, world.ErrNoSkill
}

type nothing struct{}

func (nothing) All() []*world.Template                           { return nil }
func (nothing) Template(string) (*world.Template, error)         { return nil, errors.New("none") }
func (nothing) Driver(*world.Template, world.Role) driver.Driver { return nil }

// The adapters work with a real realm: attach, a durable frame with its requestId, a reply, presence,
// replay after a cut, and the end of the realm.
// P4.3.
func TestARealActorBehindTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &memory{}
		r := realm.Start(realm.Config{
			Saved: world.Saved{
				Realm: world.Realm{ID: "r1", Tenant: "default"},
				World: world.New(world.Realm{ID: "r1", Name: "realm", Tenant: "default"}), Epoch: "e1",
				Lines: []world.Line{{Epoch: "e1", FromSeq: 1}},
			},
			Journal: disk, Files: disk, Kinds: kinds.All(), Templates: nothing{}, Drivers: nothing{}, Log: zerolog.Nop(),
		})
		k := &oneActor{r: r}
		h := open(t, newRealms(), Limits{}, func(c *Config) {
			c.Tenants = []Tenant{{Name: "default", Realms: RealmsOf(k), About: About{Driver: "none", Offer: "/x"}}}
		})
		c := h.dial()
		if m := c.expect("server:info"); m["realmId"] != "r1" || m["epoch"] != "e1" || m["offer"] != "/x" || m["templates"] == nil {
			t.Errorf("server:info %v", m)
		}
		who := c.register("Ada")
		c.send("type", "hello", "protocol", 1, "realmId", "r1")
		if m := c.expect("welcome"); m["realmId"] != "r1" || m["continuity"] != "snapshot" {
			t.Errorf("welcome %v", m)
		}
		until := func(kind string) map[string]any {
			for {
				if m := c.expect(""); m["type"] == kind {
					return m
				}
			}
		}
		until("overlays")
		c.send("type", "spectator:command", "text", "hi", "requestId", "q1")
		said := until("spectator:command")
		if said["spectatorId"] != who["spectatorId"] || said["requestId"] != "q1" || said["seq"] == nil {
			t.Errorf("%v", said)
		}
		c.send("type", "player:link-repo", "path", "/x", "requestId", "q2")
		for until("error")["code"] != "internal" {
		}
		_ = c.conn.CloseNow()

		c = h.dial() // the client comes back with its position and gets exactly the frames that it missed
		c.expect("server:info")
		c.send("type", "hello", "protocol", 1, "realmId", "r1", "epoch", "e1", "lastSeq", said["seq"].(float64)-1)
		if m := c.expect("welcome"); m["continuity"] != "replay" || m["from"] != said["seq"] {
			t.Errorf("welcome %v", m)
		}
		if m := c.expect("spectator:command"); m["seq"] != said["seq"] {
			t.Errorf("replayed %v", m)
		}
		if _, err := r.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
		k.mu.Lock()
		k.r = nil
		k.mu.Unlock()
		if m := until("server:info"); m["realmId"] != nil {
			t.Errorf("server:info %v", m)
		}
		if m := until("welcome"); m["continuity"] != "none" {
			t.Errorf("welcome %v", m)
		}
		if _, err := RealmOf(r).Attach(context.Background(), watch.Position{}); !errors.Is(err, watch.ErrStopped) {
			t.Errorf("attach to a closed realm: %v", err)
		}
	})
}

// P3.2.
func TestErrorsOfTheActorAreKnown(t *testing.T) {
	if r, err := asRealm(nil, errors.New("x")); r != nil || err == nil {
		t.Error("a failed call gives a realm")
	}
}
