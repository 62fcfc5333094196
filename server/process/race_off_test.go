//go:build !race

package process

const raceOn = false
