// Package nav computes walks on the map: the walkable ground of the overworld and of rooms
// (ground.go), paths and free tiles (path.go), the tiles that a walk reveals and wears (trail.go),
// and the rooms to go back through (stack.go).
//
// It owns no state, and its results depend only on the arguments; it uses no disk and no clock. The
// package realm/place calls it and makes events of the results.
package nav
