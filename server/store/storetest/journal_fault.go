package storetest

import (
	"errors"
	"sync"
	"testing"

	"agentdungeon/shared/world"
)

// faultyDriver is SQLite's driver, which asks Faults before and after each statement. The store
// opens all databases through it where this package is linked.
const faultyDriver = "sqlite-faulty"

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

// FaultyRig is a rig whose journal has prepared few statements: faults of preparing them come, too.
func FaultyRig(t *testing.T) *Rig {
	t.Helper()
	r := NewRig(t)
	r.Tell()
	r.Close() // with it go the statements that it has prepared
	r.Open()
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
