//go:build race

package storetest

// RaceOn is true with the race detector. Tests then leave out cases that take ten times as long and
// have no concurrency.
const RaceOn = true
