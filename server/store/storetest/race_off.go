//go:build !race

package storetest

// RaceOn is false without the race detector.
const RaceOn = false
