// Package commit owns the outbox of a realm: everything that leaves the realm waits here, in the
// order in which it was decided, until all events before it are durable (P12).
//
// Entries are events, ephemeral frames, replies and effects. An effect is a function of the realm's
// actor for something that must not happen before the events that led to it are durable, such as
// the start of a driver.
//
// The outbox decides no events and reads no clock. Only the actor calls it. Two goroutines run
// beside the actor: the committer writes batches, and the rescuer writes a realm elsewhere after its
// database was taken away.
//
//   - outbox.go: the queue; entry.go: what waits in it
//   - batch.go: batches of events, and what follows from their commits
//   - status.go: save:status
//   - committer.go: the goroutine that commits
//   - rescue.go: the goroutine that rescues a realm
package commit
