// Package nav knows where one can walk: the ground of the overworld and of rooms,
// ways over it, places to stand, what a walk reveals and wears, and the rooms that
// lead a person back.
//
// It owns no state: everything is a function of what it is given, so the same walk
// is found for ever. It never touches a disk or a clock. The realm actor calls it
// and makes events of what it says.
package nav
