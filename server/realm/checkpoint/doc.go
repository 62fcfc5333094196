// Package checkpoint writes a realm's world to its files: pictures of the world become state.json
// and, once a day, a base in the journal; what members have learned becomes their vault files. It
// decides when to write, and owns the goroutines that encode and write.
//
// It emits and shows nothing and reads no file. The journal has everything that is written here, so
// a lost file makes the next opening slower and nothing else. The realm's actor calls it.
//
//   - checkpoints.go: when a picture is taken and which picture may be used
//   - picture.go: the realm at one event; vaults.go: what members have learned
//   - writer.go: the goroutine that writes
package checkpoint
