// Package nav computes walks on the map: on which tiles of the overworld and of rooms one can walk (ground.go),
// paths and free tiles (path.go), the tiles that a walk reveals and wears (trail.go), and the rooms to go back
// through (stack.go).
//
// It owns no state, and its results depend only on the arguments; it uses no disk and no clock. The package
// realm/place calls it and makes events of the results.
package nav
