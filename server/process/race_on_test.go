//go:build race

package process

// raceOn thins out what the race detector makes ten times slower and has nothing to say
// about: rules that one goroutine walks at random. "go test" without it takes them all.
const raceOn = true
