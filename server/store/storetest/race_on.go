//go:build race

package storetest

// RaceOn thins out what the race detector makes ten times slower and has nothing
// to say about.
const RaceOn = true
