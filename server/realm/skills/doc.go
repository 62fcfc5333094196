// Package skills is what a realm knows of its skills folder: the texts that its members are told,
// the folders that cannot be used, and the skills that are being written. What lies in the folder
// counts, and the world knows of it (world.World.Skills); whom a skill is given to is the world's
// alone.
//
// server/realm reads the folder, hands what it found to Shelf.Saw, and has the events happen that
// the methods return. Only Worker touches the disk: it writes a skill in a goroutine of its own.
package skills
