// Package skills keeps a realm's world in step with its skills folder: it holds the texts of the
// skills that lie there, decides the events by which the world lists them (world.World.Skills), and
// writes new skills. The folder decides which skills there are; the world alone decides which
// agents a skill is given to.
//
// The realm's actor reads the folder, passes what it found to Shelf.Saw, and emits the events that
// the methods return. Only Worker touches the disk; it writes in a goroutine of its own.
//
//   - shelf.go: the folder as it was last read
//   - writes.go: the skills that are being written
//   - give.go: which agents a skill is given to
package skills
