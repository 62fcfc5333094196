//go:build race

package party

// raceOn reduces tests that walk the rules at random on one goroutine: the race detector makes them ten
// times slower and finds nothing there. Without -race they run completely.
const raceOn = true
