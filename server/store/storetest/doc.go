// Package storetest runs a realm on a real folder for the tests of server/store: it numbers, folds
// and commits events, and kills, damages and reopens the realm. Only tests import it. All databases of such a
// test are opened through a driver that can fail (Faults).
//
//   - a realm that runs: rig.go; its erasures: erase.go; a folder that a killed one has left: killed.go
//   - damage of files: damage.go; errors of the database driver: faults.go
//   - what a realm must hold: model.go (a fold of its events); what it holds: read.go
//   - stores, worlds and checks of the tests of package files: testfs.go; other checks: check.go
package storetest
