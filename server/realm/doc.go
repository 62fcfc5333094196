// Package realm is the actor that owns one realm: its world, its numbering, its
// conversations, its timers. Everything else sends it inputs through a bounded
// inbox and gets frames through a Viewer.
//
// It decides (with the pure plans of floor 1), folds with world.Apply, and lets
// out in one order: a durable event is a barrier in the outbox that opens when
// its commit returns. It never touches a socket, a file or a database: those are
// ports (ports.go). The keeper starts and stops it, the gate attaches viewers.
//
// All methods of the unexported actor run in its one goroutine, turn by turn, unless they
// say otherwise; what has to wait runs in a goroutine of its own and comes back as a turn
// (wait.Result, skills.Written).
//
// # Where to look
//
//   - the handle others hold; the actor's state, its loop, emit and fold: realm.go, actor.go, calendar.go
//   - the first turn of a life: what was cut off, who is missing: opening.go and server/realm/opening
//   - what it needs of others: ports.go
//   - a command, as it is carried out: commands.go; what it passes and which rule decides it: server/realm/command
//   - what leaves, and in what order: out.go and server/realm/commit
//   - what is saved: checkpoint.go and server/realm/checkpoint
//   - who watches, and what they get first: attach.go, tail.go, shown.go, server/realm/watch and server/realm/view
//   - runs of drivers: turns.go and server/realm/run
//   - how kinds of conversations are driven: kinds.go and server/realm/plan
//   - which conversations are in memory: server/realm/memory
//   - what a command needs that is not in memory, and what becomes of it: waiting.go and server/realm/wait
//   - conversations that are taken up again or come from files: imports.go
//   - the skills folder, and skills that are written: skills.go and server/realm/skills
//   - what is erased and what retention marks: erase.go, retention.go and server/realm/erasure
//   - the map, who walks, findings and quests: server/realm/place
package realm
