// Package commit owns the one ordered way out of a realm: what has been decided waits here
// until it is durable, and is shown in the order in which it was decided (P12).
//
// A durable event is a barrier: neither it nor anything behind it leaves before its commit has
// returned. What is to be done outside once all before it is durable stands in the same line,
// as data: the outbox gives it back as Due, and the realm's actor does it.
//
// The outbox decides no events and reads no clock. Only the actor calls it; what runs beside
// the actor are the committer, which writes batches, and the rescuer, which writes a realm
// elsewhere whose database was taken away.
//
//   - entry.go: what waits; outbox.go: the line, and what a commit releases
//   - batch.go: what is committed together; committer.go: the goroutine that commits
//   - status.go: how saving stands, as everybody is told; rescue.go: where the files are gone
//   - rows.go: rows that stream
package commit
