//go:build !race

package forge

const raceOn = false
