//go:build race

package main

// buildFlags make the tested binary like the test: with the race detector.
var buildFlags = []string{"-race"}
