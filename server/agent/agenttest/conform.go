package agenttest

import (
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/driver"
)

// Turns holds the requests that make the driver under test behave in a known way. Where a request is nil, Conform
// skips the checks that need it and names them in the test's output.
type Turns struct {
	// Good is a turn that ends well. It streams at least two chunks of text, and the same text whenever it is played.
	Good *driver.Turn
	// Fails is a turn that ends with a *driver.TurnError. FailCode is the error code that Conform expects; "" accepts
	// any code.
	Fails    *driver.Turn
	FailCode string
	// Stalls is a turn that ends only when it is cancelled. It may stream chunks or be silent.
	Stalls *driver.Turn
	// Huge is a turn that streams at least HugeBytes bytes of text and ends well. HugeBytes must be at least 32 MiB.
	Huge      *driver.Turn
	HugeBytes int64
}

// Conform tests that a driver keeps the contract of driver.Driver:
//
//   - a good turn streams its text in several chunks (B19), each with one field set;
//   - a failed turn returns a *driver.TurnError with a code and does not count as
//     done (B5), so that the plan can count it and back off (B6);
//   - a cancelled turn ends at once, from any wait and from inside emit, with an error;
//   - nothing is emitted after emit has failed, after Run has returned, or by two
//     goroutines at once, and no goroutine that Run started remains;
//   - each tool has a callId of its own and ends at most once, and a turn that ends by
//     itself leaves no tool running;
//   - a huge answer needs little memory (B25);
//   - two turns at once do not mix.
//
// Each check calls open within its bubble to get the driver.
func Conform(t *testing.T, open func() driver.Driver, turns Turns) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if !c.has(turns) {
				t.Skip("the driver names no turn for this")
			}
			synctest.Test(t, func(t *testing.T) {
				if err := c.run(open, turns); err != nil {
					t.Error(err)
					outlast()
				}
			})
		})
	}
}

// outlast waits, in the simulated time of the bubble, until everything that a faulty driver left running has ended:
// a bubble that ends earlier panics.
func outlast() { time.Sleep(24 * time.Hour) }

type check struct {
	name string
	has  func(Turns) bool
	run  func(open func() driver.Driver, turns Turns) error
}

var checks = []check{
	{"a good turn streams", hasGood, goodTurn},
	{"cancelled before it begins", hasGood, cancelledBefore},
	{"cancelled while it waits", hasStalls, cancelledWaiting},
	{"cancelled while emit blocks", hasGood, cancelledInEmit},
	{"emit fails", hasGood, emitFails},
	{"a failed turn", func(t Turns) bool { return t.Fails != nil }, failedTurn},
	{"a huge answer", func(t Turns) bool { return t.Huge != nil }, hugeAnswer},
	{"two turns at once", hasGood, twoAtOnce},
}

func hasGood(t Turns) bool   { return t.Good != nil }
func hasStalls(t Turns) bool { return t.Stalls != nil }
