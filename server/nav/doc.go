// Package nav finds ways on the map: the walkable ground of the overworld and of rooms, paths,
// places to stand, the tiles that a walk reveals and wears, and the rooms that lead a person
// back.
//
// It owns no state: everything is a function of its arguments, so the same walk always gives the
// same result. It touches no disk and no clock. The realm actor calls it and turns its results
// into events.
package nav
