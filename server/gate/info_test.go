package gate

import (
	"fmt"
	"testing"
	"testing/synctest"

	"agentdungeon/shared/wire"
)

func (r *fakeRealm) Position() (string, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return "epoch-" + r.id, 7 + r.said
}

// Each socket gets a server:info with the present state, although sockets that connect at the same time share one
// encoded frame. P5.1.
func TestInfoIsOfTheMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		offered := []wire.TemplateInfo{{ID: "first"}}
		realms := newRealms("r1", "r2")
		h := open(t, realms, Limits{}, func(cfg *Config) {
			cfg.Tenants[0].About.Templates = func() []wire.TemplateInfo { return offered }
		})
		told := func() string {
			m := h.dial().expect("server:info")
			return fmt.Sprintf("%v %v %v %v", m["realmId"], m["epoch"], m["seq"],
				m["templates"].([]any)[0].(map[string]any)["id"])
		}
		expect := func(want string) {
			for range 2 {
				if got := told(); got != want {
					t.Errorf("server:info says %s, not %s", got, want)
				}
			}
		}
		expect("r1 epoch-r1 7 first")
		r1 := realms.known["r1"]
		r1.mu.Lock()
		r1.said++
		r1.mu.Unlock()
		expect("r1 epoch-r1 8 first")
		offered = []wire.TemplateInfo{{ID: "second"}}
		expect("r1 epoch-r1 8 second")
		realms.mu.Lock()
		realms.current = realms.known["r2"]
		realms.mu.Unlock()
		expect("r2 epoch-r2 7 second")
	})
}
