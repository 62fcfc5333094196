package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// FaultyDriver is SQLite's driver with a hand on what it executes: before and after
// each statement it asks faults.
const FaultyDriver = "sqlite-faulty"

// Faults is what goes wrong; tests that set it do not run beside each other.
var Faults struct {
	sync.Mutex
	Before, After func(query string) error
}

func SetFaults(t testing.TB, before, after func(query string) error) {
	set := func(b, a func(string) error) {
		Faults.Lock()
		defer Faults.Unlock()
		Faults.Before, Faults.After = b, a
	}
	set(before, after)
	t.Cleanup(func() { set(nil, nil) })
}

// FaultyRig is a rig whose journal runs on the faulty driver.
func FaultyRig(t *testing.T) *Rig {
	t.Helper()
	r := NewRig(t)
	r.Tell()
	r.Close() // with it go the statements that the other driver has prepared
	o, err := recovery.OpenWith(t.Context(), FaultyDriver, files.OpenRealm(afero.NewOsFs(), r.Dir), RigRealm,
		world.DefaultSettings(), RigStart.Add(time.Hour))
	Must(t, err)
	t.Cleanup(func() { o.Journal.Close() })
	r.O = o
	return r
}

var ErrDisk = errors.New("the disk failed")

func Findings(ids ...string) []world.Body {
	var out []world.Body
	for _, id := range ids {
		out = append(out, &world.FindingPosted{Finding: world.Finding{ID: id, Severity: "low", Title: id}})
	}
	return out
}
