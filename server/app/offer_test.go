package app

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/agent/script"
	"agentdungeon/shared/wire"
)

// Templates whose roles all have drivers are offered first. A template without drivers is marked as such.
// P5.1, P9.11a.
func TestOffersFirstWhatPlaysItself(t *testing.T) {
	const (
		chorus = `{"version":1,"turns":[
			{"match":{"role":"ideator"},"steps":[{"say":"a"}]},{"match":{"role":"facilitator"},"steps":[{"say":"b"}]},
			{"match":{"role":"devils_advocate","stage":"challenge"},"steps":[{"say":"c"}]},{"match":{"role":"synthesizer"},"steps":[{"say":"d"}]}],"otherwise":[{"say":"e"}]}`
		one = `{"version":1,"turns":[{"match":{"role":"picker","kind":"process"},"steps":[{"say":"a"}]}]}`
	)
	s := modeltest.New()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			name   string
			change func(*Config)
			first  string
			played map[string]int // number of roles with a driver, by template; all others have 0
			driver map[string]string
		}{
			{"scouts", func(*Config) {}, "code_review", map[string]int{"code_review": 11}, map[string]string{"code_review": wire.DriverScout, "deep_brainstorm": wire.DriverNone}},
			{"a model", modeled(t, s), "deep_brainstorm", map[string]int{"deep_brainstorm": 11, "code_review": 11, "rapid_fire": 4}, map[string]string{"code_review": wire.DriverScout, "deep_brainstorm": wire.DriverModel}},
			{"a script written for a template", castFile(t, chorus), "standard_brainstorm", map[string]int{"standard_brainstorm": 4, "rapid_fire": 4}, map[string]string{"standard_brainstorm": wire.DriverScript, "deep_brainstorm": wire.DriverScript}},
			{"a script for one role", castFile(t, one), "rapid_fire", map[string]int{"rapid_fire": 1, "code_review": 0}, map[string]string{"rapid_fire": wire.DriverScript, "code_review": wire.DriverNone}},
		} {
			a := start(t, filepath.Join(t.TempDir(), "worlds"), c.change)
			drivers, err := a.drivers()
			if err != nil {
				t.Fatal(err)
			}
			templates := &templates{store: a.store, log: zerolog.Nop(), driver: a.driver, drivers: drivers}
			if s, ok := drivers.(*script.Script); ok {
				templates.written = s.Written
			}
			infos := templates.infos()
			if infos[0].ID != c.first {
				t.Errorf("%s: %s is offered first, not %s", c.name, infos[0].ID, c.first)
			}
			rank := func(i wire.TemplateInfo) int {
				n := 0
				for _, r := range i.Cast {
					if r.Played {
						n++
					}
				}
				if want, asked := c.played[i.ID]; asked && n != want {
					t.Errorf("%s: %d roles of %s play themselves, not %d", c.name, n, i.ID, want)
				}
				switch n {
				case len(i.Cast):
					return 0
				case 0:
					return 2
				}
				return 1
			}
			if !slices.IsSortedFunc(infos, func(a, b wire.TemplateInfo) int { return rank(a) - rank(b) }) {
				t.Errorf("%s: something that plays itself stands behind what does not", c.name)
			}
			for _, i := range infos {
				if want := c.driver[i.ID]; want != "" && i.Driver != want {
					t.Errorf("%s: %s says that it is played by %s, not %s", c.name, i.ID, i.Driver, want)
				}
			}
			stop(t, a)
		}
	})
}
