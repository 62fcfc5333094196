//go:build !race

package realm

const raceOn = false
