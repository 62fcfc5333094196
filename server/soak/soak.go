// Package soak tells tests how many of their cases to run. Only tests call it.
//
// A test that repeats one scenario for each of many moments, cuts or seeds runs a sample of them in "make test": the
// same ones each time, so that a failure can be repeated. "make soak" sets AGENTDUNGEON_WHOLE=1 and runs all of them.
package soak

import "os"

// sample is the minimum number of cases that a test runs if it has at least that many cases.
const sample = 20

// Whole reports whether tests run all of their cases.
func Whole() bool { return os.Getenv("AGENTDUNGEON_WHOLE") == "1" }

// Cases returns the number of cases to run: whole under "make soak", otherwise few.
func Cases[N int | int64 | uint64](whole, few N) N {
	if Whole() {
		return whole
	}
	return few
}

// Skips reports whether a test leaves out case i of n. It keeps all cases in a soak, and otherwise the first, the last
// and at least 18 between them at even distances.
func Skips(i, n int) bool {
	return !Whole() && i != n-1 && i%max(1, n/sample) != 0
}
