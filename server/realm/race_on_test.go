//go:build race

package realm

// raceOn thins out seeds of random courses, which take ten times as long under the race
// detector. "go test" without it takes them all.
const raceOn = true
