// Package checkpoint writes a realm's state to files. It takes a Picture, which is the state of the
// realm after one event, and writes it as state.json and, once a day, as a base in the journal. It
// writes what each member has learned to the member's vault file. It decides when to write, and
// owns the goroutines that encode and write.
//
// It emits and shows nothing and reads no file. A lost file only makes the next opening slower, because
// the journal has the same content; but a lost vault file also loses the insights whose events the journal
// has trimmed. The realm's actor and the worker of an erasure call it.
//
//   - checkpoints.go: when a Picture is taken and which Picture may be used
//   - picture.go: the state of a realm after one event; vaults.go: what members have learned
//   - writer.go: the goroutine that writes
package checkpoint
