package storetest

import (
	"errors"
	"sync"
	"testing"

	"agentdungeon/shared/world"
)

// faultyDriver is SQLite's driver with a call of Faults before and after each statement. In a
// program that links this package the store opens all databases through it.
const faultyDriver = "sqlite-faulty"

// Faults sets the errors to inject. Tests that set it must not run in parallel.
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

// FaultyRig returns a rig whose journal has prepared few statements, so that preparing can fail too.
func FaultyRig(t *testing.T) *Rig {
	t.Helper()
	r := NewRig(t)
	r.Tell()
	r.Close() // drops the statements that it has prepared
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
