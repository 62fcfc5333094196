//go:build race

package store

// raceOn thins out what the race detector makes ten times slower and has nothing
// to say about.
const raceOn = true
