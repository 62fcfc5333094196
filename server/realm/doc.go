// Package realm is the actor of one realm. It owns the realm's world, the numbering of its events, its
// conversations and its timers. Other goroutines send it messages through a bounded inbox and get
// frames through a watch.Viewer.
//
// The actor decides with the pure plans of floor 1 and applies events with world.Apply. Everything that
// leaves it goes through the outbox in one order; an event and all that is behind it leave after the
// event's commit. The actor never touches a socket, a file or a database: those are ports (ports.go).
// The keeper starts and stops it; the gate attaches viewers.
//
// All methods of actor run in its goroutine, step by step. What has to wait runs in a goroutine of its
// own and sends a message when it is done, such as wait.Result or skills.Written.
//
// # Where to look
//
//   - the handle for other packages: realm.go; what the realm needs from them: ports.go
//   - the actor's state, its loop, its start and its end: actor.go; the wall clock: calendar.go
//   - the first step: opening.go and server/realm/opening
//   - commands and steps of plans, and how they wait: commands.go, server/realm/command, plan and wait
//   - how an event happens: events.go
//   - what leaves the actor: out.go and server/realm/commit
//   - checkpoints and vaults: checkpoint.go and server/realm/checkpoint
//   - viewers: attach.go, server/realm/watch and view; copies for other parts of the server: copies.go
//   - runs of drivers: runs.go and server/realm/run
//   - what kinds of conversations see: kinds.go; which conversations are in memory: server/realm/memory
//   - sessions that are restored or imported: imports.go
//   - sessions of coding agents that people run: observe.go; what their hooks tell: hook.go, and hear: listen.go
//   - the skills folder: server/realm/skills
//   - quests of findings that the repository accepts: settle.go
//   - erasures and retention: erase.go, retention.go and server/realm/erasure
//   - the map and the members on it: server/realm/place
package realm
