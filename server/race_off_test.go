//go:build !race

package main

// buildFlags make the tested binary like the test.
var buildFlags []string
