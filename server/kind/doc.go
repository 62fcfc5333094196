// Package kind is the interface between the engine and a kind of conversation: the interface Kind, optional
// capabilities of some kinds, what a kind sees of its realm (Realm), and its results (Decision, Step).
//
// The engine, server/realm, drives every kind through this package and names no kind. A kind is a package of pure
// functions with its own state type: it decides from its arguments and returns events as data. It reads no clock,
// disk or log, starts no goroutine and does not modify its arguments. Its name comes from its Registration; no code
// compares it with a constant. server/kinds lists all kinds.
//
// # How to add a kind
//
// Write a package server/NAME with a type that implements Kind and a constructor New(name string) kind.Kind, and
// add one line to server/kinds: the engine begins, plays, stops, continues, shows, erases and restores its
// conversations. server/ARCHITECTURE.md lists what a new package and a new name on the wire also need.
//
// # Where to look
//
//   - the interface and its capabilities: kind.go; what the server asks outside of a realm: files.go
//   - arguments and results: decision.go; reads before a decision: need.go, look.go
//   - requests of a run whose answers are not shown: asks.go
//   - the kinds of a realm: set.go; a kind's view of its realm: realm.go; prompts: said.go; members and
//     their drivers: cast.go; members on the map: onmap.go
package kind
